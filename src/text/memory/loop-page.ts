import type { Memory } from '../memories.ts';
import { describeAuthor, MEMORY_CHARS_MAX, newestFirst } from '../memories.ts';
import { cutChars } from '../screen/clean.ts';

/** By this a page is known to be ours, whatever stands below. */
const HEAD = '# Memories shared by all loops of this repository';
const LAST = '<!-- ralph: write new memories below this line, one a line; nothing else that changes here is kept -->';
/** What an agent reads beside its task. */
const CHARS_MAX = 64 * 1024;
/** More in one iteration is no memory, but a log. */
const ADDED_MAX = 50;

/** The page as an agent finds it, newest first. */
export function loopPage(all: readonly Memory[]): string {
  const lines: string[] = [];
  let left = CHARS_MAX;
  for (const { text, by } of newestFirst(all)) {
    const line = `- ${text.replaceAll('\n', '\n  ')} (${describeAuthor(by)})`;
    left -= line.length;
    if (left < 0) break;
    lines.push(line);
  }
  return `${[HEAD, '', ...lines, ...(lines.length === 0 ? [] : ['']), LAST].join('\n')}\n`;
}

export const isLoopPage = (text: string): boolean => text.startsWith(`${HEAD}\n`) || text.includes(`\n${LAST}\n`);

/** What an agent wrote below the last line; whatever else it did to the page counts for nothing. */
export function addedToPage(page: string): readonly string[] {
  const at = page.lastIndexOf(`\n${LAST}`);
  if (at < 0) return [];
  const below = page.slice(at + 1 + LAST.length).replace(/^[^\n]*\n?/, '');
  return [...new Set(linesOf(below).map((text) => cutChars(text.trim(), MEMORY_CHARS_MAX)))]
    .filter((text) => text !== '')
    .slice(0, ADDED_MAX);
}

/** A memory a line; what is indented goes on with the one above. The id and the comment that some tools write around a quotation are no memories. */
function linesOf(text: string): readonly string[] {
  const found: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:#+ mem-\S+\s*$|<!--.*-->\s*$)/.test(line)) continue;
    const last = found.at(-1);
    if (last !== undefined && /^[ \t]+\S/.test(line)) found[found.length - 1] = `${last}\n${line.trim()}`;
    else if (line.trim() !== '') found.push(line.trim().replace(/^[-*+>] +/, ''));
  }
  return found;
}
