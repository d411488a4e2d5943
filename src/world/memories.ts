import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../core/errors.ts';
import {
  cleanMemory,
  memoriesPage,
  MEMORY_CHARS_MAX,
  memoryLine,
  readMemoryLine,
  searchMemories,
} from '../text/memories.ts';
import type { Memory } from '../text/memories.ts';
import type { Repository } from './git/repository.ts';
import { removeQuietly } from './log/durable-file.ts';
import { cannotRead, cannotWrite, errorCode } from './log/log-errors.ts';
import { ensureRalphFolder, ralphFolder } from './state-places.ts';

export type { Memory } from '../text/memories.ts';

export interface Memories {
  /** Kept when this returns, whoever else is adding at the same time. */
  add(entry: Omit<Memory, 'id'>): { readonly id: string };
  /** Oldest first. */
  list(): readonly Memory[];
  /** Those that hold every word, newest first. */
  search(words: string): readonly Memory[];
  /** How many lines of the file are no memories. */
  skipped(): number;
}

/** More is not read: what is older than this many bytes is no news to anybody. */
const READ_BYTES_MAX = 8 * 1024 * 1024;
const REMEDY = 'ralph memory add "what later loops should know"';

/** Memories of one repository, shared by all its worktrees. */
export function openMemories(repo: Repository): Memories {
  const file = join(repo.stateDir, 'memories.jsonl');
  return {
    add: (entry) => {
      const memory = cleanMemory({ ...entry, id: `m${randomBytes(6).toString('hex')}` });
      refuseUnfit(memory.text);
      append(repo.stateDir, file, memoryLine(memory));
      showPeople(repo, file);
      return { id: memory.id };
    },
    list: () => read(file).memories,
    search: (words) => searchMemories(read(file).memories, words),
    skipped: () => read(file).skipped,
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

/**
 * One write at the end of the file, which no other write can get into. It begins with a line feed of its own, because
 * somebody may have been stopped, or have run out of disk, in the middle of the line before.
 */
function append(folder: string, file: string, line: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const fd = openSync(
      file,
      constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW,
      0o600,
    );
    try {
      const isNew = fstatSync(fd).size === 0;
      const bytes = Buffer.from(`\n${line}\n`);
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

interface Found {
  readonly memories: readonly Memory[];
  readonly skipped: number;
  /** How long the file was. */
  readonly size: number;
}

function read(file: string): Found {
  const { text, size } = readEnd(file);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const memories = lines.map(readMemoryLine).filter((memory) => memory !== null);
  return { memories, skipped: lines.length - memories.length, size };
}

function readEnd(file: string): { readonly text: string; readonly size: number } {
  try {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = fstatSync(fd);
      const from = Math.max(0, size - READ_BYTES_MAX);
      const bytes = Buffer.alloc(size - from);
      const text = bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, from));
      return { text: from === 0 ? text : text.slice(text.indexOf('\n') + 1), size };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { text: '', size: 0 };
    throw errorCode(error) === null ? error : cannotRead(file, error);
  }
}

/** The page for people. Whoever adds last shows last: the others leave it to them, and look again whether they were overtaken. */
function showPeople(repo: Repository, file: string): void {
  const page = join(ralphFolder(repo), 'memories.md');
  const aside = `${page}.${randomBytes(6).toString('hex')}.tmp`;
  const isNews = (size: number): boolean => statSync(file).size !== size;
  try {
    ensureRalphFolder(repo);
    for (;;) {
      const { memories, size } = read(file);
      writeFileSync(aside, memoriesPage(memories), { flag: 'wx' });
      if (isNews(size)) break;
      renameSync(aside, page);
      // Between these two lines another page may have been put there that knew more than ours.
      if (!isNews(size)) break;
    }
  } catch {
    // Read-only or full: the page is a copy, and the next one who adds makes it again.
  } finally {
    removeQuietly(aside);
  }
}
