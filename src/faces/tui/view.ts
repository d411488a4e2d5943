import { raw, render, span } from './line.ts';
import type { Line } from './line.ts';
import type { Model, Size } from './model.ts';
import { headLine, runRows, totals } from './run-screen.ts';
import type { Row } from './run-screen.ts';

/** In less there is room for one row of totals. */
const LEAST: Size = { columns: 40, rows: 8 };

const OFFERED: readonly (readonly [string, string])[] = [
  ['enter', 'open'],
  ['d', 'diff'],
  ['t', 'transcript'],
  ['w', 'why'],
  ['s', 'say'],
  ['a', 'land'],
  ['x', 'stop'],
  ['/', 'filter'],
  [':', 'command'],
  ['?', 'keys'],
  ['q', 'leave'],
];

/** The screen, row by row, as text that can be written as it is. The same model gives the same rows. */
export function view(model: Model, size: Size): readonly string[] {
  const { look } = model;
  if (size.columns < LEAST.columns || size.rows < LEAST.rows)
    return [render([span(totals(model.facts))], size.columns, look)];
  const body = runRows(model, size);
  const room = size.rows - 2;
  const top = topRow(model, body, room);
  const shown = body.slice(top, top + room).map((row) => marked(row, model.selected));
  const blanks = Array.from({ length: Math.max(0, room - shown.length) }, (): Line => []);
  return [headLine(model, size), ...shown, ...blanks, lastLine(model, size)].map((line) =>
    render(line, size.columns, look),
  );
}

/** All of it, however long: for who only looks once. */
export function wholeView(model: Model, columns: number): readonly string[] {
  const size = { columns, rows: Number.POSITIVE_INFINITY };
  const lines = [headLine(model, size), ...runRows(model, size).map((row) => marked(row, null))];
  return lines.map((line) => render(line, columns, model.look));
}

const marked = ({ key, line }: Row, selected: string | null): Line => {
  if (key === null) return line;
  return key === selected ? [raw('> ', 'bold'), ...line] : [raw('  '), ...line];
};

/** The first row shown, so that the chosen one is on the screen and as little as possible moves. */
export function topRow({ top, selected }: Model, body: readonly Row[], room: number): number {
  const at = body.findIndex(({ key }) => key !== null && key === selected);
  const last = Math.max(0, body.length - room);
  // With the heading above the first of a section.
  const seen = at < 0 ? top : Math.max(Math.min(top, at - 1), at - room + 1);
  return Math.min(Math.max(0, seen), last);
}

function lastLine({ asked, note, filter }: Model, { columns }: Size): Line {
  if (asked !== null) return [raw(' '), span(asked.prompt, 'bold'), raw(' '), span(asked.text), raw('_')];
  if (note !== null) return [raw(' '), span(note.text, note.isBad ? 'red' : 'plain')];
  if (filter !== '') return [raw(' '), span(`filter: ${filter}`, 'bold'), raw('   '), span('esc shows all', 'dim')];
  const words: Line[] = OFFERED.map(([key, does]) => [raw(' '), span(key, 'bold'), raw(` ${does} `)]);
  const few = columns < 80 ? words.filter((_, at) => [0, 1, 7, 9, 10].includes(at)) : words;
  return few.flat();
}
