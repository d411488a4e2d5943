import { createHash } from 'node:crypto';
import { memoryLine, onceLine, removalLine } from '../../text/memory/lines.ts';
import { pageChanges } from '../../text/memory/page-changes.ts';
import type { PageProblem } from '../../text/memory/page.ts';
import { pageParts } from '../../text/memory/page.ts';
import type { Repository } from '../git/repository.ts';
import { appendLines, readMemories } from './memory-file.ts';

export interface AppliedPage {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly count: number;
  /** Where there are any, nothing was taken. */
  readonly problems: readonly PageProblem[];
}

/**
 * Makes what somebody changed on a page hold. What they did is measured by what the page showed when they began: what
 * others added meanwhile is not on it, and is not removed for that.
 */
export function applyPage(repo: Repository, page: string): AppliedPage {
  const { body, signature } = pageParts(page);
  const shown = readMemories(repo, signature?.size ?? null).memories;
  const changes = pageChanges(body, shown);
  // Without the line at its end nobody can say what was on it.
  const removed = signature === null ? [] : changes.removed;
  const none = { added: 0, changed: 0, removed: 0, count: 0 };
  if (changes.problems.length > 0) return { ...none, problems: changes.problems };
  const at = Date.now();
  // The same page taken up by two at once has its new entries once.
  const begun = `${signature?.size ?? ''}`;
  const known = new Set(signature === null ? shown.map(({ text }) => text) : []);
  const added = changes.added.filter((text) => !known.has(text));
  appendLines(repo, [
    ...added.map((text) => onceLine({ id: idOf(begun, text), at, by: 'user', text, tags: [] })),
    ...changes.changed.map(memoryLine),
    ...removed.map((id) => removalLine(id, at)),
  ]);
  const [a, c, r] = [added.length, changes.changed.length, removed.length];
  return { added: a, changed: c, removed: r, count: a + c + r, problems: [] };
}

/** The same text from the same page is the same memory. */
export const idOf = (from: string, text: string): string =>
  `m${createHash('sha256').update(`${from}\n${text}`).digest('hex').slice(0, 12)}`;
