import { randomBytes } from 'node:crypto';
import { AppError } from '../core/errors.ts';
import { cleanMemory, MEMORY_CHARS_MAX, searchMemories } from '../text/memories.ts';
import type { Memory } from '../text/memories.ts';
import { memoryLine, removalLine } from '../text/memory/lines.ts';
import type { Repository } from './git/repository.ts';
import { errorCode } from './log/log-errors.ts';
import type { AppliedPage } from './memory/apply-page.ts';
import { applyPage } from './memory/apply-page.ts';
import type { Imported } from './memory/import-memories.ts';
import { importFound, importPage } from './memory/import-memories.ts';
import { appendLines, readMemories } from './memory/memory-file.ts';
import { pageNow, showPeople, takeUpPage } from './memory/memory-page.ts';

export type { Memory } from '../text/memories.ts';

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
  /** How many lines of the file are no memories. */
  skipped(): number;
  /** All of them as a page that may be changed and given to `apply`. */
  page(): string;
  apply(page: string): AppliedPage;
  /** Takes over another tool's page. */
  importPage(page: string, writtenAt: number): Imported;
}

const REMEDY = 'ralph memory add "what later loops should know"';

/**
 * Memories of one repository, shared by all its worktrees. Whoever uses them first takes up what people wrote elsewhere:
 * on the page, or for another tool; `say` is told in one line.
 */
export function openMemories(repo: Repository, say: (text: string) => void = () => {}): Memories {
  const settled = (): Repository => {
    takeUp(repo, say);
    return repo;
  };
  const write = (line: string): void => {
    appendLines(settled(), [line]);
    showPeople(repo);
  };
  return {
    add: (entry) => {
      const memory = cleanMemory({ ...entry, id: `m${randomBytes(6).toString('hex')}` });
      refuseUnfit(memory.text);
      write(memoryLine(memory));
      return { id: memory.id };
    },
    change: (changed) => {
      const memory = cleanMemory(changed);
      refuseUnfit(memory.text);
      write(memoryLine(memory));
    },
    remove: (id) => write(removalLine(id, Date.now())),
    list: () => readMemories(settled()).memories,
    search: (words) => searchMemories(readMemories(settled()).memories, words),
    skipped: () => readMemories(repo).skipped,
    page: () => pageNow(settled()).page,
    apply: (page) => {
      const applied = applyPage(settled(), page);
      if (applied.count > 0) showPeople(repo);
      return applied;
    },
    importPage: (page, writtenAt) => {
      const imported = importPage(repo, page, writtenAt);
      if (imported.added > 0) showPeople(repo);
      return imported;
    },
  };
}

/** Where nothing can be written, what people wrote waits, and what is known can still be read. */
function takeUp(repo: Repository, say: (text: string) => void): void {
  try {
    takeUpPage(repo, say);
    if (importFound(repo, say)) showPeople(repo);
  } catch (error) {
    if (!(error instanceof AppError) && errorCode(error) === null) throw error;
  }
}

function refuseUnfit(text: string): void {
  if (text === '') throw new AppError('E_USAGE', 'a memory without text is none', { remedy: REMEDY });
  if (text.length > MEMORY_CHARS_MAX) {
    throw new AppError('E_USAGE', `a memory has at most ${MEMORY_CHARS_MAX} characters, this one ${text.length}`, {
      remedy: REMEDY,
    });
  }
}
