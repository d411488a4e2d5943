import { scanComments } from './markdown-comments.ts';
import { lineStarts } from './places.ts';

interface Bare {
  readonly number: number;
  /** Offsets of the line in the file, its end mark not counted. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Column where the text begins, tabs counted to the next multiple of 4. */
  readonly indent: number;
  /** Column where the content of the list item around this line begins; 0 outside lists. */
  readonly base: number;
}
export interface Heading extends Bare {
  readonly kind: 'heading';
  readonly level: number;
  readonly title: string;
}
export interface Bullet extends Bare {
  readonly kind: 'bullet';
  readonly contentAt: number;
  /** The one character of a checkbox and its offset, or null for a plain bullet. */
  readonly box: { readonly mark: string; readonly at: number } | null;
}
/** `lazy`: text of the paragraph above that stands further left than it should. */
export type Line =
  | Heading
  | Bullet
  | (Bare & { readonly kind: 'blank' | 'code' | 'comment' | 'quote' | 'break' })
  | (Bare & { readonly kind: 'text'; readonly lazy: boolean });

export interface MarkdownLines {
  readonly lines: readonly Line[];
  /** Offset of the first comment at the start of a line that nothing closes, or null. */
  readonly unclosed: number | null;
}

interface Fence {
  readonly mark: string;
  readonly base: number;
}
interface State {
  fence: Fence | null;
  commentEnd: number;
  /** Content columns of the list items around the current line, outermost first. */
  items: number[];
  readonly lines: Line[];
  unclosed: number | null;
}

const BULLET = /^([-*+]|\d{1,9}[.)])([ \t]+|$)/;
const BOX = /^\[([ xX~!-])\](?=[ \t]+[^ \t])/;
const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})/;
const BREAK = /^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const CODE_INDENT = 4;

/** Tells what each line of a Markdown file is, as far as tasks are concerned. The rules are those of CommonMark. */
export function markdownLines(text: string): MarkdownLines {
  const state: State = { fence: null, commentEnd: 0, items: [], lines: [], unclosed: null };
  const starts = lineStarts(text);
  for (const [index, start] of starts.entries()) {
    const next = starts[index + 1] ?? text.length;
    const whole = text.slice(start, next).replace(/[\r\n]+$/, '');
    const lead = /^[ \t]*/.exec(whole)?.[0] ?? '';
    const place = { number: index + 1, start, end: start + whole.length, text: whole, indent: widthOf(lead) };
    state.lines.push(readLine(text, place, whole.slice(lead.length), state));
  }
  return { lines: state.lines, unclosed: state.unclosed };
}

function readLine(text: string, place: Omit<Bare, 'base'>, rest: string, state: State): Line {
  const blank = rest === '';
  const inItem = state.items.at(-1) ?? 0;
  if (place.start < state.commentEnd) return { ...place, base: inItem, kind: 'comment' };
  if (state.fence !== null) {
    // A line further left than the list item ends the item, and an open fence with it.
    if (blank || place.indent >= state.fence.base) {
      const base = state.fence.base;
      if (closes(rest, state.fence)) state.fence = null;
      return { ...place, base, kind: 'code' };
    }
    state.fence = null;
  }
  if (blank) return { ...place, base: inItem, kind: 'blank' };

  const items = state.items.filter((column) => column <= place.indent);
  const base = items.at(-1) ?? 0;
  const bare: Bare = { ...place, base };
  const line = place.indent - base >= CODE_INDENT ? null : readBlock(text, bare, rest, state);
  if (line === null) return readText(text, bare, items, state);
  state.items = line.kind === 'bullet' ? [...items, contentColumn(line)] : items;
  if (line.kind === 'bullet') openFence(text.slice(line.contentAt, line.end), state.items.at(-1) ?? 0, state);
  return line;
}

function readBlock(text: string, place: Bare, rest: string, state: State): Line | null {
  if (openFence(rest, place.base, state)) return { ...place, kind: 'code' };
  if (rest.startsWith('<!--')) {
    const start = place.end - rest.length;
    const close = state.unclosed === null ? text.indexOf('-->', start + 2) : -1;
    if (close === -1) {
      state.unclosed ??= start;
      return null;
    }
    state.commentEnd = close + 3;
    return { ...place, kind: 'comment' };
  }
  if (rest.startsWith('>')) return { ...place, kind: 'quote' };
  const underline = place.base === 0 ? /^(?:=+|-+)[ \t]*$/.exec(rest)?.[0] : undefined;
  if (underline !== undefined && makeHeading(underline.startsWith('=') ? 1 : 2, state))
    return { ...place, kind: 'break' };
  if (BREAK.test(rest)) return { ...place, kind: 'break' };
  const atx = place.base === 0 ? /^(#{1,6})(?:[ \t]+(.*))?$/.exec(rest) : null;
  if (atx !== null) {
    const title = (atx[2] ?? '').replaceAll(/<!--[^>]*-->/g, '').replace(/(?:^|[ \t])#+[ \t]*$/, '');
    return { ...place, kind: 'heading', level: (atx[1] ?? '').length, title: title.trim() };
  }
  return readBullet(text, place, rest, state);
}

function readBullet(text: string, place: Bare, rest: string, state: State): Line | null {
  const bullet = BULLET.exec(rest);
  if (bullet === null) return null;
  const contentAt = place.end - rest.length + bullet[0].length;
  const isCode = widthOf(bullet[2] ?? '', place.indent + (bullet[1] ?? '').length) > CODE_INDENT;
  const mark = isCode ? undefined : BOX.exec(text.slice(contentAt, place.end))?.[1];
  endComment(text, contentAt, place.end, state);
  return { ...place, kind: 'bullet', contentAt, box: mark === undefined ? null : { mark, at: contentAt + 1 } };
}

function readText(text: string, place: Bare, items: number[], state: State): Line {
  endComment(text, place.start, place.end, state);
  const above = state.lines.at(-1);
  const lazy = items.length < state.items.length && (above?.kind === 'bullet' || above?.kind === 'text');
  if (!lazy) state.items = items;
  return { ...place, base: state.items.at(-1) ?? 0, kind: 'text', lazy };
}

/** A comment that begins inside a line may hide the lines below it. */
function endComment(text: string, from: number, to: number, state: State): void {
  state.commentEnd = Math.max(state.commentEnd, scanComments(text, from, to).comments.at(-1)?.end ?? 0);
}

function openFence(rest: string, base: number, state: State): boolean {
  const mark = FENCE.exec(rest)?.[1];
  if (mark === undefined) return false;
  state.fence = { mark, base };
  return true;
}

function closes(rest: string, fence: Fence): boolean {
  const bare = rest.trimEnd();
  return bare.length >= fence.mark.length && bare === (fence.mark[0] ?? '').repeat(bare.length);
}

/** An underlined paragraph is a heading: the line above turns out to be one. */
function makeHeading(level: number, state: State): boolean {
  const above = state.lines.at(-1);
  if (above?.kind !== 'text' || above.base !== 0 || above.indent >= CODE_INDENT) return false;
  const { lazy: _lazy, ...place } = above;
  state.lines[state.lines.length - 1] = { ...place, kind: 'heading', level, title: above.text.trim() };
  return true;
}

function contentColumn(line: Bullet): number {
  const parts = BULLET.exec(line.text.trimStart());
  const marker = line.indent + (parts?.[1] ?? '').length;
  const gap = widthOf(parts?.[2] ?? '', marker);
  return gap === 0 || gap > CODE_INDENT ? marker + 1 : marker + gap;
}

/** How many columns white space takes that begins at a column. */
export function widthOf(space: string, from = 0): number {
  let column = from;
  for (const char of space) column = char === '\t' ? column - (column % 4) + 4 : column + 1;
  return column - from;
}
