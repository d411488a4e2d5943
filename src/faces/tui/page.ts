import { cutChars } from '../../text/screen/clean.ts';
import { raw, span } from './line.ts';
import type { Line } from './line.ts';
import type { Page, PageRow } from './model.ts';

const ROW_CHARS_MAX = 2000;

/** Rows of a text that is not ours: its beginning blanks stay. */
export const textRow = (text: string, tone: PageRow['tone'] = 'plain'): PageRow => ({
  text: cutChars(text, ROW_CHARS_MAX),
  tone,
});

export const pageOf = (rows: readonly PageRow[], isFollowing = false): Page => ({
  rows,
  cursor: isFollowing ? Math.max(0, rows.length - 1) : 0,
  top: 0,
  isFollowing,
  search: '',
  from: null,
  head: null,
  commit: null,
});

/** The same page with other rows: where somebody reads stays where it is, unless they follow the end. */
export const withRows = (page: Page, rows: readonly PageRow[]): Page => ({
  ...page,
  rows,
  cursor: page.isFollowing ? Math.max(0, rows.length - 1) : Math.min(page.cursor, Math.max(0, rows.length - 1)),
});

/** The first row on the screen, so that the cursor is on it and as little as possible moves. */
function topOf({ cursor, top, rows, isFollowing }: Page, room: number): number {
  const last = Math.max(0, rows.length - room);
  if (isFollowing) return last;
  return Math.max(0, Math.min(last, Math.max(Math.min(top, cursor), cursor - room + 1)));
}

export function moveTo(page: Page, cursor: number, room: number): Page {
  const moved = { ...page, isFollowing: false, cursor: Math.max(0, Math.min(page.rows.length - 1, cursor)) };
  return { ...moved, top: topOf(moved, room) };
}

/** The next row, forward or back, of which something is so; the same page where there is none. */
export function moveToNext(page: Page, step: 1 | -1, isSo: (row: PageRow) => boolean, room: number): Page | null {
  const { rows, cursor } = page;
  for (let turn = 1; turn <= rows.length; turn += 1) {
    const at = (((cursor + step * turn) % rows.length) + rows.length) % rows.length;
    const row = rows[at];
    if (row !== undefined && isSo(row)) return moveTo(page, at, room);
  }
  return null;
}

export const holds =
  (search: string) =>
  ({ text }: PageRow): boolean =>
    text.toLowerCase().includes(search.toLowerCase());

/** What of it is on the screen. */
export function pageLines(page: Page, room: number): readonly Line[] {
  const top = topOf(page, room);
  const [low, high] = [
    Math.min(page.cursor, page.from ?? page.cursor),
    Math.max(page.cursor, page.from ?? page.cursor),
  ];
  const lines = page.rows.slice(top, top + room).map(({ text, tone }, at): Line => {
    const isMeant = top + at >= low && top + at <= high;
    return [raw(isMeant ? '>' : ' ', 'bold'), raw(' '), withBlanks(text, tone)];
  });
  return [...lines, ...Array.from({ length: Math.max(0, room - lines.length) }, (): Line => [])];
}

/** `span` takes blanks away at the beginning, which code needs. */
function withBlanks(text: string, tone: PageRow['tone']): Line[number] {
  const begin = /^ */.exec(text)?.[0] ?? '';
  return raw(begin + span(text).text, tone);
}
