import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { cleanMemory, MEMORY_CHARS_MAX, searchMemories } from '../../text/memories.ts';
import type { Memory } from '../../text/memories.ts';
import { memoryLine, removalLine, foldMemories } from '../../text/memory/lines.ts';
import { cannotRead, cannotWrite, errorCode } from '../os/errno.ts';
import type { Repository } from '../git/run/repository.ts';

export type { Memory } from '../../text/memories.ts';

export interface Memories {
  /** Kept when this returns, whoever else is adding at the same time. */
  add(entry: Omit<Memory, 'id'>): { readonly id: string };
  /** From now on it says this; what it said before stays in the file. */
  change(memory: Memory): void;
  remove(id: string): void;
  /** Oldest first. */
  list(): readonly Memory[];
  /** Those that hold every word, newest first. */
  search(words: string): readonly Memory[];
}

const REMEDY = 'ralph memory add "what later loops should know"';

/** Memories of one repository, shared by all its worktrees. */
export function openMemories(repo: Repository): Memories {
  const write = (memory: Memory): void => {
    refuseUnfit(memory.text);
    appendLines(repo, [memoryLine(memory)]);
  };
  return {
    add: (entry) => {
      const memory = cleanMemory({ ...entry, id: `m${randomBytes(6).toString('hex')}` });
      write(memory);
      return { id: memory.id };
    },
    change: (changed) => write(cleanMemory(changed)),
    remove: (id) => appendLines(repo, [removalLine(id, Date.now())]),
    list: () => readMemories(repo),
    search: (words) => searchMemories(readMemories(repo), words),
  };
}

function refuseUnfit(text: string): void {
  if (text === '') throw new AppError('E_USAGE', 'a memory without text is none', { remedy: REMEDY });
  if (text.length > MEMORY_CHARS_MAX) {
    throw new AppError('E_USAGE', `a memory has at most ${MEMORY_CHARS_MAX} characters, this one ${text.length}`, {
      remedy: REMEDY,
    });
  }
}

/** More is not read: what is older than this many bytes is no news to anybody. */
const READ_BYTES_MAX = 8 * 1024 * 1024;

const memoryFile = (repo: Repository): string => join(repo.stateDir, 'memories.jsonl');

/**
 * One write at the end of the file, which no other write can get into. It begins with a line feed of its own, because
 * somebody may have been stopped, or have run out of disk, in the middle of the line before.
 */
export function appendLines(repo: Repository, lines: readonly string[]): void {
  if (lines.length === 0) return;
  const folder = repo.stateDir;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const fd = openSync(
      memoryFile(repo),
      constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW,
      0o600,
    );
    try {
      const isNew = fstatSync(fd).size === 0;
      const bytes = Buffer.from(`\n${lines.join('\n')}\n`);
      // The rest would not be the same write any more, and what is torn is passed over.
      if (writeSync(fd, bytes) < bytes.length)
        throw Object.assign(new Error('no room for all of it'), { code: 'ENOSPC' });
      fsyncSync(fd);
      if (isNew) syncFolder(folder);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw cannotWrite(folder, error);
  }
}

function syncFolder(folder: string): void {
  const fd = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** What holds, oldest first. */
function readMemories(repo: Repository): readonly Memory[] {
  return foldMemories(readEnd(memoryFile(repo)));
}

function readEnd(file: string): string {
  try {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = fstatSync(fd);
      const from = Math.max(0, size - READ_BYTES_MAX);
      const bytes = Buffer.alloc(size - from);
      const text = bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, from));
      return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw errorCode(error) === null ? error : cannotRead(file, error);
  }
}
