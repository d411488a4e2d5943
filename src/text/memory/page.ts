import type { Memory } from '../memories.ts';
import { describeAuthor, newestFirst } from '../memories.ts';

const HEAD = `# Memories

What every later loop should know. Change, add or remove entries here, and the next command takes it up; a new one is
a line that begins with \`- \`. Or: \`ralph memory add\`, \`ralph memory edit\`.
`;
const FOOTER = /^<!-- ralph: (\d{1,15}) ([0-9a-f]{16}) -->$/;

/** For people: newest first. */
export function memoriesPage(all: readonly Memory[]): string {
  return [HEAD, ...newestFirst(all).map(entryText)].join('\n');
}

function entryText(memory: Memory): string {
  return `- ${aboutLine(memory)}\n\n${memory.text.replaceAll(/^(?=.)/gm, '  ')}\n`;
}

function aboutLine({ id, at, by, tags }: Memory): string {
  const time = new Date(at).toISOString().slice(0, 16).replace('T', ' ');
  return [`${time} UTC`, describeAuthor(by), id, ...tags.map((tag) => `#${tag}`)].join(' · ');
}

/** The page and, at its end, how much of the file it shows and what it was like: by this a change by hand is seen. */
export const signedPage = (body: string, size: number, digest: string): string =>
  `${body}\n<!-- ralph: ${size} ${digest} -->\n`;

export interface PageParts {
  readonly body: string;
  /** Null: taken away by whoever changed the page. */
  readonly signature: { readonly size: number; readonly digest: string } | null;
}

/** A page without the line at its end, below which people may have written. */
export function pageParts(page: string): PageParts {
  const from = page.lastIndexOf('\n<!-- ralph: ');
  const [line = '', ...below] = from === -1 ? [] : page.slice(from + 1).split('\n');
  const signed = FOOTER.exec(line.trimEnd());
  if (signed === null) return { body: page, signature: null };
  const above = page.slice(0, from);
  const isAtEnd = below.every((one) => one.trim() === '');
  return {
    body: isAtEnd ? above : [above, '', ...below].join('\n'),
    signature: { size: Number(signed[1]), digest: signed[2] ?? '' },
  };
}

export interface PageEntry {
  /** The line of the page it begins on. */
  readonly line: number;
  /** What stands after its bullet, where that names a memory; null: a new one. */
  readonly about: string | null;
  readonly text: string;
}

export interface PageProblem {
  readonly line: number;
  readonly text: string;
}

const BULLET = /^[-*+] +(.*)$/;
const ABOUT = /^\d{4,6}-\d\d-\d\d \d\d:\d\d UTC · /;

/** The entries of a page that somebody may have changed. */
export function readPage(body: string): {
  readonly entries: readonly PageEntry[];
  readonly problems: readonly PageProblem[];
} {
  const found: { line: number; about: string | null; lines: string[] }[] = [];
  const problems: PageProblem[] = [];
  let isHead = true;
  let before = '';
  for (const [index, line] of body
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const bullet = BULLET.exec(line)?.[1];
    if (bullet !== undefined) {
      isHead = false;
      const isAbout = ABOUT.test(bullet);
      found.push({ line: index + 1, about: isAbout ? bullet.trimEnd() : null, lines: isAbout ? [] : [bullet] });
    } else if (line.trim() === '' || /^[ \t]/.test(line)) found.at(-1)?.lines.push(line.replace(/^(?: {1,2}|\t)/, ''));
    // As in every Markdown, a paragraph goes on without being indented.
    else if (!isHead && before.trim() !== '') found.at(-1)?.lines.push(line);
    else if (!isHead || !HEAD.split('\n').includes(line))
      problems.push({ line: index + 1, text: 'this belongs to no entry: begin it with `- `, or indent it' });
    before = line;
  }
  return { entries: found.map(({ lines, ...rest }) => ({ ...rest, text: lines.join('\n').trim() })), problems };
}

/** Which of these memories an entry is about; null: none of them. */
export function memoryOf(about: string, memories: readonly Memory[]): Memory | null {
  const exact = memories.find((memory) => aboutLine(memory) === about);
  const id = about.split(' · ')[2] ?? '';
  return exact ?? memories.find((memory) => memory.id === id.trim()) ?? null;
}

/** The tags an entry has now: as before, unless its first line was changed. */
export function tagsOf(about: string, memory: Memory): readonly string[] {
  if (about === aboutLine(memory)) return memory.tags;
  const words = about.split(' · ').slice(3);
  return words.map((word) => word.trim().replace(/^#/, '')).filter((tag) => tag !== '');
}
