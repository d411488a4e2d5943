import { randomBytes } from 'node:crypto';
import { AppError } from '../../core/model/errors.ts';
import { cleanMemory, MEMORY_CHARS_MAX, searchMemories } from '../../text/memories.ts';
import type { Memory } from '../../text/memories.ts';
import { memoryLine, removalLine } from '../../text/memory/lines.ts';
import type { Repository } from '../git/run/repository.ts';
import { appendLines, readMemories } from './memory/memory-file.ts';

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
