import type { Loop, State } from '../../core/model/model.ts';
import { taskIdOf } from '../../core/model/tasks.ts';
import { costInWords, usageView } from '../../core/views/cost-view.ts';
import { iterationOf } from '../../core/views/loops-view.ts';
import type { TrainView } from '../../core/views/queue-view.ts';
import { describeRed } from '../../core/model/line-that-matters.ts';
import { apart, cell, raw, rightCell, span } from './line.ts';
import type { Line, Tone } from './line.ts';
import type { Model, RunFacts, Size } from './model.ts';

/** A row of the list; one with a key can be chosen. */
export interface Row {
  readonly key: string | null;
  readonly line: Line;
}

const WIDE = 90;
const WIDER = 130;
const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const SHA_DIGITS = 7;

/** How long: seconds only below a minute, so that nothing moves that nobody waits for. */
function describeAge(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.max(0, Math.floor(ms / SECOND_MS))}s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m`;
  return `${Math.floor(ms / HOUR_MS)}h${String(Math.floor(ms / MINUTE_MS) % 60).padStart(2, '0')}`;
}

/** What a run comes to, in a few words. */
export const totals = ({ landed, work, waits, wanted }: RunFacts): string =>
  `${landed.length} landed  ${work.length} at work  ${waits.length} wait  ${wanted.length} need you`;

/** The first row: where, how long, and what it comes to. */
export function headLine({ facts, nowMs }: Model, { columns }: Size): Line {
  const { run } = facts.state;
  const since = run.since > 0 && run.isOpen ? `   run ${describeAge(nowMs - run.since)}` : '';
  const where = columns < WIDE ? facts.target : `${facts.target} <- ${facts.tracker}${since}`;
  const cost = facts.cost === '-' ? '' : facts.cost;
  const more = [facts.left, cost].filter((part) => part !== '').join('   ');
  const left: Line = [raw(' '), span('ralph', 'bold'), raw('  '), span(where)];
  return apart(left, [span(totals(facts), 'bold'), raw(more === '' ? ' ' : `    ${more} `)], columns);
}

/** Everything there is of a run, from what needs a person to what is over. */
export function runRows(model: Model, { columns }: Size): readonly Row[] {
  const { facts, filter } = model;
  const rows = [
    ...wantedRows(model, columns),
    ...trainRows(facts, columns),
    ...workRows(model, columns),
    ...waitRows(facts),
    ...landedRows(model),
    ...parkedRows(facts),
  ];
  if (filter === '') return rows;
  const wanted = filter.toLowerCase();
  return rows.filter(({ key, line }) => key !== null && line.some(({ text }) => text.toLowerCase().includes(wanted)));
}

const heading = (name: string, more: string): Row => ({
  key: null,
  line: [span(name, 'bold'), raw(more === '' ? '' : '  '), span(more, 'dim')],
});

const nameWidth = (columns: number): number => Math.max(10, Math.min(28, Math.floor(columns / 6)));

const SIGNS: Readonly<Record<string, { readonly sign: string; readonly tone: Tone }>> = {
  asks: { sign: '?', tone: 'yellow' },
  blocked: { sign: '?', tone: 'yellow' },
  review: { sign: '+', tone: 'green' },
  stopped: { sign: '!', tone: 'red' },
};

function wantedRows({ facts: { wanted }, nowMs }: Model, columns: number): readonly Row[] {
  if (wanted.length === 0) return [];
  const width = nameWidth(columns);
  return [
    heading(`NEEDS YOU ${wanted.length}`, ''),
    ...wanted.map(({ key, name, what, detail, since, next }) => {
      const { sign, tone } = SIGNS[what] ?? { sign: '!', tone: 'red' as const };
      const left = [raw(`${sign} `, tone), cell(name, width), raw(' '), cell(what, 11, tone), raw(' '), span(detail)];
      const right = [rightCell(describeAge(nowMs - since), 6, 'dim'), raw('  '), span(next, 'dim')];
      return { key, line: columns < WIDER ? left : apart(left, right, columns - 2) };
    }),
  ];
}

const CAR_SIGNS = { green: '+', red: 'x', testing: '.', waiting: ' ' } as const;

function trainRows({ queue, target }: RunFacts, columns: number): readonly Row[] {
  const { train, waiting, paused, trouble } = queue;
  const rows: Row[] = [];
  if (trouble !== null) rows.push({ key: null, line: [raw('  '), span(`landing is stopped: ${trouble}`, 'red')] });
  if (train !== null) rows.push({ key: null, line: carsLine(train, target) });
  if (waiting.length > 0)
    rows.push({ key: null, line: [raw('  next train: '), span(waiting.map((one) => one.task).join(', '))] });
  if (rows.length === 0 && !paused) return [];
  const runs = (train?.runs ?? []).map(
    ({ slot, up_to: upTo, since_ms: sinceMs }) =>
      `slot ${slot}: ${upTo === 0 ? 'main itself' : upTo === 1 ? 'car 1' : `cars 1-${upTo}`}, ${describeAge(sinceMs)}`,
  );
  const more = [
    ...(train?.base == null ? [] : [`on ${train.base.slice(0, SHA_DIGITS)}`]),
    ...(train === null ? [] : [train.stage]),
    ...(paused ? ['paused'] : []),
    ...(columns < WIDE ? [] : runs),
  ];
  return [heading('TRAIN', more.join('   ')), ...rows];
}

function carsLine({ cars }: TrainView, target: string): Line {
  const each = cars.flatMap(({ task, gates }) => [
    raw('['),
    span(`${task ?? 'your commits'} `),
    raw(CAR_SIGNS[gates], gates === 'green' ? 'green' : gates === 'red' ? 'red' : 'plain'),
    raw(']'),
  ]);
  return [raw('  '), span(`${target} --`), ...each];
}

const STATES: Readonly<Record<string, string>> = {
  preparing: 'prepares',
  iterating: 'works',
  gating: 'gates run',
  updating: 'merges',
};

function workRows(model: Model, columns: number): readonly Row[] {
  const { work, state } = model.facts;
  if (work.length === 0) return [];
  const width = nameWidth(columns);
  const isWide = columns >= WIDE;
  const head: Line = [
    span(`AT WORK ${work.length}`, 'bold'),
    raw(' '.repeat(Math.max(1, width + 3 - `AT WORK ${work.length}`.length))),
    span(
      isWide
        ? `state      iter   time  gates      cost  ${columns >= WIDER ? `${'branch'.padEnd(branchWidth(columns))}  ` : ''}last words`
        : 'iter  time  gates  last words',
      'dim',
    ),
  ];
  return [{ key: null, line: head }, ...work.map((loop) => workRow(model, state, loop, columns))];
}

const branchWidth = (columns: number): number => Math.min(30, Math.floor(columns / 6));

function workRow({ words, nowMs }: Model, state: State, loop: Loop, columns: number): Row {
  const isHeld = loop.host !== null;
  const gates = loop.phase.at === 'gating' ? 'run' : (loop.lastGate?.verdict ?? '-');
  const gateTone: Tone = gates === 'green' ? 'green' : gates === 'red' ? 'red' : 'plain';
  const last = words.get(loop.id)?.text ?? loop.progress ?? '';
  const sign = isHeld ? (loop.phase.at === 'gating' ? '=' : '*') : '-';
  const name = [raw(`${sign} `), cell(taskIdOf(state, loop.task), nameWidth(columns)), raw(' ')];
  const age = describeAge(nowMs - loop.claimedAt);
  if (columns < WIDE)
    return {
      key: loop.id,
      line: [
        ...name,
        rightCell(String(iterationOf(loop)), 4),
        rightCell(age, 6),
        raw('  '),
        cell(gates, 5, gateTone),
        raw('  '),
        span(last),
      ],
    };
  return {
    key: loop.id,
    line: [
      ...name,
      cell(isHeld ? (STATES[loop.phase.at] ?? loop.phase.at) : 'waits', 10, isHeld ? 'plain' : 'yellow'),
      rightCell(String(iterationOf(loop)), 5),
      rightCell(age, 7),
      raw('  '),
      cell(gates, 5, gateTone),
      rightCell(costInWords(usageView(loop.usage)), 10),
      raw('  '),
      ...(columns >= WIDER ? [cell(loop.branch, branchWidth(columns), 'dim'), raw('  ')] : []),
      span(last),
    ],
  };
}

function waitRows({ waits }: RunFacts): readonly Row[] {
  if (waits.length === 0) return [];
  const kinds = [...new Set(waits.map(({ kind }) => kind))];
  const counted = kinds.map((kind) => `${kind} ${waits.filter((one) => one.kind === kind).length}`).join(', ');
  return [
    heading(`WAITING ${waits.length}`, counted),
    ...waits.map(({ task, why }) => ({
      key: `task:${task}`,
      line: [raw('  '), cell(task, 20), raw(' '), span(why, 'dim')],
    })),
  ];
}

function landedRows({ facts: { landed }, nowMs }: Model): readonly Row[] {
  const [last] = landed;
  if (last === undefined) return [];
  return [
    heading(`LANDED ${landed.length}`, `last: ${last.task} ${describeAge(nowMs - last.at)} ago`),
    ...landed.map(({ task, loop, commit, at }) => ({
      key: loop ?? `task:${task}`,
      line: [
        raw('  '),
        cell(task, 20),
        raw(' '),
        span('as', 'dim'),
        raw(' '),
        span(commit.slice(0, SHA_DIGITS), 'green'),
        raw(' '),
        span(`${describeAge(nowMs - at)} ago`, 'dim'),
      ],
    })),
  ];
}

function parkedRows({ parked, state }: RunFacts): readonly Row[] {
  if (parked.length === 0) return [];
  return [
    heading(`PARKED ${parked.length}`, ''),
    ...parked.map((loop) => {
      const { phase, lastGate } = loop;
      const [reason, detail] = phase.at === 'parked' ? [phase.reason, phase.detail] : ['', ''];
      const red = lastGate?.verdict === 'red' ? `; ${describeRed(lastGate)}` : '';
      return {
        key: loop.id,
        line: [
          raw('  '),
          cell(taskIdOf(state, loop.task), 20),
          raw(' '),
          span(reason, 'yellow'),
          raw(' '),
          span(`${detail}${red}`),
        ],
      };
    }),
  ];
}
