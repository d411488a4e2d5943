import { realpathSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanMemory, IMPORTED_BY, MEMORY_CHARS_MAX } from '../../text/memories.ts';
import type { Memory } from '../../text/memories.ts';
import type { ForeignMemory } from '../../text/memory/foreign.ts';
import { readForeignMemories } from '../../text/memory/foreign.ts';
import { onceLine } from '../../text/memory/lines.ts';
import { isLoopPage } from '../../text/memory/loop-page.ts';
import { cutChars } from '../../text/screen/clean.ts';
import type { Repository } from '../git/repository.ts';
import { idOf } from './apply-page.ts';
import { appendLines, readMemories } from './memory-file.ts';
import { readPlainFile } from './read-plain-file.ts';
import { howMany } from '../../core/how-many.ts';

/** Where another tool of the same name keeps its memories. */
export const FOREIGN_PAGES = ['.agent/memories.md', '.ralph/agent/memories.md'] as const;
const FOREIGN_BYTES_MAX = 8 * 1024 * 1024;

export interface Imported {
  /** How many the page holds. */
  readonly found: number;
  /** How many of them are new to us. */
  readonly added: number;
}

/** Takes over what stands on such a page. What was taken over before is known by its id, also if it was removed since. */
export function importPage(repo: Repository, page: string, writtenAt: number): Imported {
  const found = readForeignMemories(page).map((one) => asMemory(one, writtenAt));
  const { known } = readMemories(repo);
  const isNew = new Map(found.filter(({ id }) => !known.has(id)).map((memory) => [memory.id, memory]));
  appendLines(repo, [...isNew.values()].map(onceLine));
  return { found: found.length, added: isNew.size };
}

function asMemory({ id, at, text, tags }: ForeignMemory, writtenAt: number): Memory {
  const kept = cutChars(text, MEMORY_CHARS_MAX);
  return cleanMemory({ id: id ?? idOf(IMPORTED_BY, kept), at: at ?? writtenAt, by: IMPORTED_BY, text: kept, tags });
}

/** Takes over, once, what is found where such pages are. */
export function importFound(repo: Repository, say: (text: string) => void): boolean {
  const taken = FOREIGN_PAGES.map((name) => importOnce(repo, name, say));
  return taken.includes(true);
}

function importOnce(repo: Repository, name: string, say: (text: string) => void): boolean {
  const file = join(repo.root, name);
  const stat = statSync(file, { throwIfNoEntry: false });
  // Beside the memories, so that it goes when they go.
  const mark = join(repo.stateDir, `imported${name.replaceAll('/', '-')}`);
  if (stat === undefined || statSync(mark, { throwIfNoEntry: false }) !== undefined || !isItself(repo.root, name))
    return false;
  const page = readPlainFile(file, FOREIGN_BYTES_MAX);
  // What loops are shown is what is known.
  if (page === null || isLoopPage(page)) return false;
  const { found, added } = importPage(repo, page, stat.mtimeMs);
  // Another one may be at it: taking it over twice adds nothing.
  if (found > 0) writeFileSync(mark, '');
  if (added > 0) say(`taken over from ${name}, which stays as it is: ${howMany(added, 'memory', 'memories')}`);
  return added > 0;
}

/** Neither the file nor a folder on the way is a link to something else. */
const isItself = (root: string, name: string): boolean =>
  realpathSync(join(root, name)) === join(realpathSync(root), name);
