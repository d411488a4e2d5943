import { createHash, randomBytes } from 'node:crypto';
import { renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoriesPage, pageParts, signedPage } from '../../text/memory/page.ts';
import type { Repository } from '../git/repository.ts';
import { removeQuietly } from '../log/durable-file.ts';
import { errorCode } from '../log/log-errors.ts';
import { ensureRalphFolder, ralphFolder } from '../state-places.ts';
import { applyPage } from './apply-page.ts';
import { memoryFile, readMemories } from './memory-file.ts';
import { readPlainFile } from './read-plain-file.ts';

const PAGE_BYTES_MAX = 16 * 1024 * 1024;
const KEPT_MAX = 1000;

const pageFile = (repo: Repository): string => join(ralphFolder(repo), 'memories.md');
const digestOf = (body: string): string => createHash('sha256').update(body).digest('hex').slice(0, 16);

/** The page of what holds now, ready to be changed. */
export function pageNow(repo: Repository): { readonly page: string; readonly size: number } {
  const { memories, size } = readMemories(repo);
  const body = memoriesPage(memories);
  return { page: signedPage(body, size, digestOf(body)), size };
}

/** The page for people. Whoever adds last shows last: the others leave it to them, and look again whether they were overtaken. */
export function showPeople(repo: Repository): void {
  const page = pageFile(repo);
  const aside = `${page}.${randomBytes(6).toString('hex')}.tmp`;
  const isNews = (size: number): boolean => statSync(memoryFile(repo)).size !== size;
  try {
    ensureRalphFolder(repo);
    for (;;) {
      const now = pageNow(repo);
      writeFileSync(aside, now.page, { flag: 'wx' });
      if (isNews(now.size)) break;
      renameSync(aside, page);
      // Between these two lines another page may have been put there that knew more than ours.
      if (!isNews(now.size)) break;
    }
  } catch {
    // Read-only or full: the page is a copy, and the next one who adds makes it again.
  } finally {
    removeQuietly(aside);
  }
}

/** What somebody changed on the page since we made it becomes memories; where it cannot be read, the page is laid aside. */
export function takeUpPage(repo: Repository, say: (text: string) => void): void {
  const page = readPlainFile(pageFile(repo), PAGE_BYTES_MAX);
  if (page === null) return;
  const { body, signature } = pageParts(page);
  if (signature?.digest === digestOf(body)) return;
  const { count, problems } = applyPage(repo, page);
  const [problem] = problems;
  if (problem !== undefined) {
    const kept = layAside(repo, page);
    say(`.ralph/memories.md:${problem.line}: ${problem.text}; the changed page is kept as .ralph/${kept}`);
  } else if (count > 0) say(`taken up what was changed in .ralph/memories.md by hand: ${count}`);
  showPeople(repo);
}

/** Never over another one. */
function layAside(repo: Repository, page: string): string {
  for (let n = 1; ; n += 1) {
    const name = `memories.md.kept-${n}`;
    try {
      writeFileSync(join(ralphFolder(repo), name), page, { flag: 'wx' });
      return name;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST' || n === KEPT_MAX) throw error;
    }
  }
}
