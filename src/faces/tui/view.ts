import { cell, raw, render, span, widthOf } from './line.ts';
import type { Line, Span } from './line.ts';
import { loopLines } from './loop-screen.ts';
import type { Model, RunFacts, Screen, Size } from './model.ts';
import { pageLines } from './page.ts';
import { KEYS_FRAME_ROWS, chosenKey, chosenRow, keyLines, roomOf } from './press.ts';
import { headLine, runRows, topRow, totals } from './run-screen.ts';
import { STANDS_ROWS_MIN, listRoom } from './rows.ts';
import type { Row } from './rows.ts';
import { standsLine } from './stands-line.ts';

/** In less there is room for one row of totals. */
const LEAST: Size = { columns: 40, rows: 8 };
const NARROW = 80;

type Offer = readonly [key: string, does: string, isAlways?: true];

/** The keys most wanted where one is, in the last row. */
const OFFERED: Readonly<Record<'run' | 'loop' | 'diff' | 'text', readonly Offer[]>> = {
  run: [
    ['enter', 'open', true],
    ['d', 'diff', true],
    ['t', 'transcript'],
    ['w', 'why'],
    ['s', 'say'],
    ['a', 'approve'],
    ['x', 'stop'],
    ['/', 'filter', true],
    [':', 'command'],
    ['?', 'keys', true],
    ['q', 'leave', true],
  ],
  loop: [
    ['s', 'say', true],
    ['d', 'diff', true],
    ['x', 'stop'],
    ['!', 'shell in its worktree'],
    ['/', 'search', true],
    ['f', 'follow'],
    ['y', 'copy'],
    ['[ ]', 'other loop'],
    ['esc', 'back', true],
    ['?', 'keys', true],
  ],
  diff: [
    ['c', 'comment', true],
    ['v', 'range'],
    ['n N', 'hunk'],
    ['tab', 'scope'],
    ['a', 'approve and land', true],
    ['S', 'send back', true],
    ['y', 'copy'],
    ['esc', 'back', true],
    ['?', 'keys'],
  ],
  text: [
    ['/', 'search', true],
    ['n N', 'next hit', true],
    ['g G', 'first, last'],
    ['y', 'copy'],
    ['esc', 'back', true],
  ],
};

/** The screen, row by row, as text that can be written as it is. The same model gives the same rows. */
export function view(model: Model, size: Size): readonly string[] {
  const { look } = model;
  if (size.columns < LEAST.columns || size.rows < LEAST.rows)
    return [render([narrowTotals(model.facts, size.columns)], size.columns, look)];
  const lines = [...screenLines(model, size), lastLine(model, size)];
  return lines.map((line) => render(line, size.columns, look));
}

function narrowTotals(facts: RunFacts, columns: number): Span {
  const all = totals(facts);
  return span(all.length > columns ? all.replaceAll('  ', ' ') : all);
}

/** All of it, however long: for who only looks once. */
export function wholeView(model: Model, columns: number): readonly string[] {
  const size = { columns, rows: Number.POSITIVE_INFINITY };
  const lines = [headLine(model, size), ...runRows(model, size).flatMap((row) => told(model, row, columns))];
  return lines.map((line) => render(line, columns, model.look));
}

const BELOW = '     ';

/** What waits for somebody with the command that moves it on, which nobody is there to ask for by a key. */
function told({ facts }: Model, row: Row, columns: number): readonly Line[] {
  const stands =
    row.section === 'needs you' || row.section === 'parked' ? standsLine(facts, row, columns - BELOW.length) : null;
  return [marked(row, null), ...(stands === null ? [] : [[raw(BELOW), ...stands]])];
}

/** Everything but the last row, as many rows as there are. */
function screenLines(model: Model, size: Size): readonly Line[] {
  const { screen, page } = model;
  const rows = size.rows - 1;
  switch (screen.at) {
    case 'run':
      return filled(runLines(model, size), rows);
    case 'loop':
      return filled(loopLines(model, screen, size), rows);
    case 'keys':
      return filled(keysLines(model, size), rows);
    case 'text':
      return filled(
        [[raw(' '), span(screen.title, 'bold')], ...(page === null ? [] : pageLines(page, roomOf(screen, size)))],
        rows,
      );
  }
}

const filled = (lines: readonly Line[], rows: number): readonly Line[] => [
  ...lines.slice(0, rows),
  ...Array.from({ length: Math.max(0, rows - lines.length) }, (): Line => []),
];

function runLines(model: Model, size: Size): readonly Line[] {
  const body = runRows(model, size);
  const room = listRoom(size);
  const chosen = chosenRow(body, model.selected);
  const selected = chosen?.key ?? null;
  const top = topRow(model.top, body, selected, room);
  const list = [headLine(model, size), ...body.slice(top, top + room).map((row) => marked(row, selected))];
  if (size.rows < STANDS_ROWS_MIN) return list;
  return [...filled(list, room + 1), standsLine(model.facts, chosen, size.columns) ?? []];
}

const marked = ({ key, line }: Row, selected: string | null): Line => {
  if (key === null) return line;
  return key === selected ? [raw('> ', 'bold'), ...line] : [raw('  '), ...line];
};

function keysLines(model: Model, size: Size): readonly Line[] {
  const width = size.columns < NARROW ? 26 : 44;
  const all = keyLines(model, size);
  const room = size.rows - KEYS_FRAME_ROWS;
  const chosen = chosenKey(model, all.length);
  const top = Math.max(0, chosen - room + 1);
  const lines = all
    .slice(top, top + room)
    .map(({ spec, command }, at): Line => [
      raw(top + at === chosen ? '> ' : '  ', 'bold'),
      cell(spec.shown, 14, 'bold'),
      cell(spec.does, width),
      raw('  '),
      span(command ?? '', 'dim'),
    ]);
  const shown = lines.length < all.length ? `${top + 1}-${top + lines.length} of ${all.length}   ` : '';
  return [
    [
      raw(' '),
      span('KEYS', 'bold'),
      raw('   '),
      span(`${shown}type to search, arrows choose, enter does it; each with its command`, 'dim'),
    ],
    ...lines,
  ];
}

function offeredIn(screen: Screen): readonly Offer[] {
  if (screen.at === 'run') return OFFERED.run;
  if (screen.at === 'loop') return screen.tab === 'diff' ? OFFERED.diff : OFFERED.loop;
  return OFFERED.text;
}

const offerLine = ([key, does]: Offer): Line => [raw(' '), span(key, 'bold'), raw(` ${does} `)];

/** Without the least wanted, where there is no room for all. */
function fitting(offers: readonly Offer[], columns: number): readonly Offer[] {
  const least = offers.findLastIndex(([, , isAlways]) => isAlways !== true);
  return least < 0 || widthOf(offers.flatMap(offerLine)) <= columns
    ? offers
    : fitting(offers.toSpliced(least, 1), columns);
}

function lastLine({ asked, note, filter, screen }: Model, { columns }: Size): Line {
  if (asked !== null) {
    const room = Math.max(8, columns - asked.prompt.length - 4);
    return [raw(' '), span(asked.prompt, 'bold'), raw(' '), raw(span(asked.text).text.slice(-room)), raw('_')];
  }
  if (note !== null) return [raw(' '), span(note.text, note.isBad ? 'red' : 'plain')];
  if (filter !== '' && screen.at === 'run')
    return [raw(' '), span(`filter: ${filter}`, 'bold'), raw('   '), span('esc shows all', 'dim')];
  return fitting(offeredIn(screen), columns).flatMap(offerLine);
}
