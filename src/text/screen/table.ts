import { cleanText } from './clean.ts';

const GAP = '  ';

/** A command is pasted, so it is whole or not there. */
const COMMAND = /^(?:next: )?(?:ralph|git|kill|printf) /;
/** A cell that is cut shorter says nothing any more. */
const CELL_LEAST = 8;

/**
 * Columns aligned by spaces; the last one is free. Cells are cleaned: they hold text that is not ours. Where there is less room, the
 * widest cells that are no command are cut, and a command that ends a row goes below it.
 */
export function alignRows(rows: readonly (readonly string[])[], room = Number.POSITIVE_INFINITY): string {
  const ends = rows.map((row) => row.at(-1) ?? '');
  if (Number.isFinite(room) && ends.some((end) => COMMAND.test(end)) && wholeLine(rows) > room) {
    const lines = alignRows(
      rows.map((row) => row.slice(0, -1)),
      room,
    ).split('\n');
    return lines.flatMap((line, at) => [line, `${GAP}${cleanCell(ends[at] ?? '')}`.trimEnd()]).join('\n');
  }
  const clean = narrowed(
    rows.map((row) => row.map(cleanCell)),
    room,
  );
  const widths = clean.reduce<number[]>(
    (all, row) => row.map((cell, at) => Math.max(all[at] ?? 0, displayWidth(cell))),
    [],
  );
  const line = (row: readonly string[]): string =>
    row.map((cell, at) => (at === row.length - 1 ? cell : padToWidth(cell, widths[at] ?? 0))).join(GAP);
  return clean.map((row) => line(row).trimEnd()).join('\n');
}

const wholeLine = (rows: readonly (readonly string[])[]): number =>
  sumOf(widthsOf(rows)) + GAP.length * (widthsOf(rows).length - 1);

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: count }, (_, at) => Math.max(...rows.map((row) => displayWidth(row[at] ?? ''))));
}

function narrowed(rows: readonly (readonly string[])[], room: number): readonly (readonly string[])[] {
  const widths = widthsOf(rows);
  const mayCut = widths.map((_, at) => !rows.some((row) => COMMAND.test(row[at] ?? '')));
  for (let over = sumOf(widths) + GAP.length * (widths.length - 1) - room; over > 0; over -= 1) {
    const widest = Math.max(...widths.filter((_, at) => mayCut[at] === true));
    if (widest <= CELL_LEAST) break;
    const at = widths.findIndex((width, index) => width === widest && mayCut[index] === true);
    widths[at] = widest - 1;
  }
  return rows.map((row) => row.map((cell, at) => cutToWidth(cell, widths[at] ?? 0)));
}

const sumOf = (some: readonly number[]): number => some.reduce((a, b) => a + b, 0);

const cleanCell = (cell: string): string => cleanText(cell).replaceAll(/[\n\t]/g, ' ');

export interface TableColumn {
  readonly head: string;
  readonly cells: readonly string[];
  /** How badly it is wanted where room is short: 1 before 2. Null: it is always there. */
  readonly rank: number | null;
  /** It may be cut down to this width; absent: it is whole or not there. */
  readonly least?: number;
  /** Where even the columns that are always there do not fit beside each other, it goes below, a line for each row. */
  readonly below?: string;
}

/** A column with how wide it is, and how narrow it may become. */
interface Measured extends TableColumn {
  readonly whole: number;
  readonly narrow: number;
}

/** A table no wider than the terminal, as far as that can be: first cells are cut, then whole columns are left out. */
export function fitTable(columns: readonly TableColumn[], width: number): string {
  const all = columns.map(measured);
  const must = all.filter(({ rank }) => rank === null);
  if (wholeWidth(must) <= width) return alignRows(rowsOf(cut(pick(all, width), width)));
  const beside = all.filter(({ below }) => below === undefined);
  const under = all.filter(({ below }) => below !== undefined);
  const [head = '', ...lines] = alignRows(rowsOf(cut(pick(beside, width), width))).split('\n');
  const told = (at: number): readonly string[] =>
    under.map(({ cells, below = '' }) => `${GAP}${below}${cells[at] ?? ''}`);
  return [head, ...lines.flatMap((line, at) => [line, ...told(at)])].join('\n');
}

function measured(column: TableColumn): Measured {
  const cells = column.cells.map(cleanCell);
  const head = displayWidth(column.head);
  const whole = cells.reduce((most, cell) => Math.max(most, displayWidth(cell)), head);
  return { ...column, cells, whole, narrow: Math.min(whole, Math.max(head, column.least ?? whole)) };
}

const sumWidth = (columns: readonly Measured[], widthOf: (column: Measured) => number): number =>
  columns.reduce((sum, column) => sum + widthOf(column), GAP.length * (columns.length - 1));

const wholeWidth = (columns: readonly Measured[]): number => sumWidth(columns, ({ whole }) => whole);

/** Those that are always there, and of the others whatever still fits, the most wanted first; in the old order. */
function pick(columns: readonly Measured[], width: number): readonly Measured[] {
  const kept = new Set(columns.filter(({ rank }) => rank === null));
  for (const column of columns.toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))) {
    const more = [...new Set([...kept, column])];
    // Nothing that is always there is cut for the sake of something that is not.
    if (sumWidth(more, ({ rank, whole, narrow }) => (rank === null ? whole : narrow)) <= width) kept.add(column);
  }
  return columns.filter((column) => kept.has(column));
}

/** Takes what is too much from the cells that may be cut, last from columns that are always there. */
function cut(columns: readonly Measured[], width: number): readonly Measured[] {
  let over = wholeWidth(columns) - width;
  const narrower = new Map<Measured, number>();
  for (const column of columns.toSorted((a, b) => (b.rank ?? 0) - (a.rank ?? 0))) {
    const gives = Math.min(Math.max(0, over), column.whole - column.narrow);
    over -= gives;
    if (gives > 0) narrower.set(column, column.whole - gives);
  }
  return columns.map((column) => {
    const most = narrower.get(column);
    return most === undefined ? column : { ...column, cells: column.cells.map((cell) => cutToWidth(cell, most)) };
  });
}

const rowsOf = (columns: readonly TableColumn[]): readonly (readonly string[])[] => [
  columns.map(({ head }) => head),
  ...(columns[0]?.cells ?? []).map((_, at) => columns.map(({ cells }) => cells[at] ?? '')),
];

// East Asian wide and fullwidth characters; halfwidth forms are narrow.
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;
const PLAIN = /^[ -~]*$/;
const SEGMENTS = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How many columns of a terminal a cleaned text on one line takes. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of SEGMENTS.segment(text)) width += widthOf(segment);
  return width;
}

function widthOf(character: string): number {
  // A picture by itself, or by the selector that follows it.
  if (/\p{Emoji_Presentation}|\ufe0f/u.test(character) || WIDE.test(character)) return 2;
  return /^[\p{M}\p{Cf}\p{Cc}]/u.test(character) ? 0 : 1;
}

/** The same text, or as much of its beginning as there is room for, with a sign that there was more. */
export function cutToWidth(text: string, most: number): string {
  if (displayWidth(text) <= most) return text;
  let width = 1;
  let cut = '';
  for (const { segment } of SEGMENTS.segment(text)) {
    width += widthOf(segment);
    if (width > most) break;
    cut += segment;
  }
  return `${cut.trimEnd()}…`;
}

export const padToWidth = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - displayWidth(text)));
