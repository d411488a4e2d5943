import type { LoopId } from '../../core/model/ids.ts';
import type { Loop } from '../../core/model/model.ts';
import { taskIdOf } from '../../core/model/tasks.ts';
import { describeRed } from '../../core/model/line-that-matters.ts';
import { costInWords, usageView } from '../../core/views/cost-view.ts';
import type { InboxKind } from '../../core/views/inbox.ts';
import { iterationOf } from '../../core/views/loops-view.ts';
import { standing } from '../../core/views/standing.ts';
import type { TrainView } from '../../core/views/queue-view.ts';
import { apart, cell, fitLine, raw, rightCell, span, widthOf } from './line.ts';
import type { Line, Tone } from './line.ts';
import type { Model, RunFacts, Size } from './model.ts';

export type Section = 'needs you' | 'train' | 'at work' | 'waiting' | 'landed' | 'parked';

/** A row of the list. */
export interface Row {
  readonly section: Section;
  /** Null: it cannot be chosen. */
  readonly key: string | null;
  readonly loop: LoopId | null;
  readonly task: string | null;
  /** The command that moves it on. */
  readonly next: string | null;
  readonly line: Line;
}

const WIDE = 90;
const WIDER = 130;
const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const SHA_DIGITS = 7;
const TASK_WIDTH = 20;

/** How long: seconds only below a minute, so that nothing moves that nobody waits for. */
export function describeAge(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.max(0, Math.floor(ms / SECOND_MS))}s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m`;
  return `${Math.floor(ms / HOUR_MS)}h${String(Math.floor(ms / MINUTE_MS) % 60).padStart(2, '0')}`;
}

/** What a run comes to, in a few words. */
export const totals = ({ landed, work, waits, inbox }: RunFacts): string =>
  `${landed.length} landed  ${work.length} at work  ${waits.length} wait  ${inbox.length} need you`;

/** The first row: where, how long, and what it comes to. */
export function headLine({ facts, nowMs }: Pick<Model, 'facts' | 'nowMs'>, { columns }: Size): Line {
  const { run } = facts.state;
  const since = run.since > 0 && run.isOpen ? `   run ${describeAge(nowMs - run.since)}` : '';
  const more = [facts.left, facts.cost].filter((part) => part !== '').join('   ');
  const right = [span(totals(facts), 'bold'), raw(more === '' ? ' ' : `    ${more} `)];
  const name: Line = [raw(' '), span('ralph', 'bold'), raw('  ')];
  const wheres = [`${facts.target} <- ${facts.tracker}${since}`, `${facts.target}${since}`, facts.target, ''];
  const lefts = wheres.map((where) => [...name, span(where)]);
  const left = lefts.find((one) => widthOf(one) + widthOf(right) < columns);
  return left === undefined ? fitLine([...name, ...right], columns) : apart(left, right, columns);
}

/** Everything there is of a run, from what needs a person to what is over. */
export function runRows(model: Model, { columns }: Size): readonly Row[] {
  const { facts, filter } = model;
  const rows = [
    ...inboxRows(model, columns),
    ...trainRows(facts, columns),
    ...workRows(model, columns),
    ...waitRows(facts),
    ...landedRows(model),
    ...parkedRows(facts),
  ];
  const wanted = filter.toLowerCase();
  return filter === '' ? rows : rows.filter(({ key, line }) => key !== null && textOf(line).includes(wanted));
}

const textOf = (line: Line): string => line.map(({ text }) => text.toLowerCase()).join('');

const heading = (section: Section, line: Line): Row => ({
  section,
  key: null,
  loop: null,
  task: null,
  next: null,
  line,
});

const title = (section: Section, many: number, more: string): Row =>
  heading(section, [span(`${section.toUpperCase()} ${many}`, 'bold'), raw('  '), span(more, 'dim')]);

type About = Partial<Pick<Row, 'key' | 'loop' | 'task' | 'next'>>;

const rowOf = (section: Section, { key, loop = null, task = null, next = null }: About, line: Line): Row => ({
  section,
  key: key ?? loop ?? `task:${task}`,
  loop,
  task,
  next,
  line,
});

const nameWidth = (columns: number): number => Math.max(10, Math.min(28, Math.floor(columns / 6)));

const SIGNS: Readonly<Record<InboxKind, { readonly sign: string; readonly tone: Tone }>> = {
  stopped: { sign: '!', tone: 'red' },
  asks: { sign: '?', tone: 'yellow' },
  review: { sign: '+', tone: 'green' },
  parked: { sign: '!', tone: 'yellow' },
};

function inboxRows({ facts: { inbox }, nowMs }: Model, columns: number): readonly Row[] {
  if (inbox.length === 0) return [];
  return [
    title('needs you', inbox.length, columns < WIDE ? '' : 'n goes to the next'),
    ...inbox.map(({ kind, key, loop, task, reason, detail, since, next }) => {
      const { sign, tone } = SIGNS[kind];
      const name = cell(task ?? kind, nameWidth(columns));
      const left = [raw(`${sign} `, tone), name, raw(' '), cell(reason, 11, tone), raw(' '), span(detail)];
      const right = [raw('  '), rightCell(describeAge(nowMs - since), 5, 'dim'), raw('  '), span(next, 'dim')];
      const room = columns - 2 - widthOf(right);
      const line = columns < WIDER || room < columns / 2 ? left : apart(fitLine(left, room - 1), right, columns - 2);
      return rowOf('needs you', { key: loop ?? key, loop, task, next }, line);
    }),
  ];
}

const CAR_SIGNS = { green: '+', red: 'x', testing: '.', waiting: ' ' } as const;

function trainRows({ queue, target }: RunFacts, columns: number): readonly Row[] {
  const { train, waiting, paused, trouble } = queue;
  const lines: Line[] = [];
  if (trouble !== null) lines.push([raw('  '), span(`landing is stopped: ${trouble}`, 'red')]);
  if (train !== null) lines.push(carsLine(train, target));
  if (waiting.length > 0) lines.push([raw('  next train: '), span(waiting.map((one) => one.task).join(', '))]);
  if (lines.length === 0 && !paused) return [];
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
  return [
    heading('train', [span('TRAIN', 'bold'), raw('  '), span(more.join(', '), 'dim')]),
    ...lines.map((line) => heading('train', line)),
  ];
}

function carsLine({ cars }: TrainView, target: string): Line {
  const each = cars.flatMap(({ task, gates }) => [
    raw('['),
    span(task ?? 'your commits'),
    raw(' '),
    raw(CAR_SIGNS[gates], gates === 'green' ? 'green' : gates === 'red' ? 'red' : 'plain'),
    raw(']'),
  ]);
  return [raw('  '), span(`${target} --`), ...each];
}

/** The train in one row. */
export function trainLine({ queue: { train, waiting, paused, trouble }, target }: RunFacts): Line {
  if (trouble !== null) return [span(`landing is stopped: ${trouble}`, 'red')];
  if (paused) return [span(`landing is paused, ${waiting.length} wait: ralph queue resume`, 'yellow')];
  if (train !== null) return [span(`train ${train.stage}`), ...carsLine(train, target)];
  return [span(waiting.length === 0 ? 'nothing waits to land' : `${waiting.length} wait for the next train`, 'dim')];
}

/** What a loop at work is about. */
const DOES: Readonly<Record<string, string>> = {
  preparing: 'prepares',
  iterating: 'works',
  gating: 'gates run',
  updating: 'merges',
};

function workRows(model: Model, columns: number): readonly Row[] {
  const { work } = model.facts;
  if (work.length === 0) return [];
  const name = `AT WORK ${work.length}`;
  const branch = columns >= WIDER ? `${'branch'.padEnd(branchWidth(columns))}  ` : '';
  const heads =
    columns >= WIDE ? `state      iter   time  gates      cost  ${branch}last words` : 'iter  time  gates  last words';
  const gap = ' '.repeat(Math.max(1, nameWidth(columns) + 5 - name.length));
  return [
    heading('at work', [span(name, 'bold'), raw(gap), span(heads, 'dim')]),
    ...work.map((loop) => workRow(model, loop, columns)),
  ];
}

const branchWidth = (columns: number): number => Math.min(30, Math.floor(columns / 6));

function workRow({ words, nowMs, facts: { state } }: Model, loop: Loop, columns: number): Row {
  const stands = standing(state, loop);
  const isAtWork = stands.state === 'at-work';
  const task = taskIdOf(state, loop.task);
  const gates = loop.phase.at === 'gating' ? 'run' : (loop.lastGate?.verdict ?? '-');
  const gatesCell = cell(gates, 5, gates === 'green' ? 'green' : gates === 'red' ? 'red' : 'plain');
  const last = isAtWork ? span(words.get(loop.id)?.text ?? loop.progress ?? '') : span(stands.why, 'yellow');
  const sign = isAtWork ? (loop.phase.at === 'gating' ? '=' : '*') : '-';
  const name = [raw(`${sign} `), cell(task, nameWidth(columns)), raw(' ')];
  const age = describeAge(nowMs - loop.claimedAt);
  const iteration = String(iterationOf(loop));
  const about = { loop: loop.id, task, next: stands.next };
  if (columns < WIDE)
    return rowOf('at work', about, [
      ...name,
      rightCell(iteration, 4),
      rightCell(age, 6),
      raw('  '),
      gatesCell,
      raw('  '),
      last,
    ]);
  return rowOf('at work', about, [
    ...name,
    cell(isAtWork ? (DOES[loop.phase.at] ?? '') : stands.state, 10, isAtWork ? 'plain' : 'yellow'),
    rightCell(iteration, 5),
    rightCell(age, 7),
    raw('  '),
    gatesCell,
    rightCell(costInWords(usageView(loop.usage)), 10),
    raw('  '),
    ...(columns >= WIDER ? [cell(loop.branch, branchWidth(columns), 'dim'), raw('  ')] : []),
    last,
  ]);
}

function waitRows({ waits }: RunFacts): readonly Row[] {
  if (waits.length === 0) return [];
  const kinds = [...new Set(waits.map(({ kind }) => kind))];
  const counted = kinds.map((kind) => `${kind} ${waits.filter((one) => one.kind === kind).length}`).join(', ');
  return [
    title('waiting', waits.length, counted),
    ...waits.map(({ task, why }) =>
      rowOf('waiting', { task }, [raw('  '), cell(task, TASK_WIDTH), raw(' '), span(why, 'dim')]),
    ),
  ];
}

function landedRows({ facts: { landed }, nowMs }: Model): readonly Row[] {
  const [last] = landed;
  if (last === undefined) return [];
  return [
    title('landed', landed.length, `last: ${last.task} ${describeAge(nowMs - last.at)} ago`),
    ...landed.map(({ task, loop, commit, at }) => {
      const short = commit.slice(0, SHA_DIGITS);
      return rowOf('landed', { task, loop, next: `git show ${short}` }, [
        raw('  '),
        cell(task, TASK_WIDTH),
        raw(' as '),
        span(short, 'green'),
        raw(' '),
        span(`${describeAge(nowMs - at)} ago`, 'dim'),
      ]);
    }),
  ];
}

function parkedRows({ parked, state }: RunFacts): readonly Row[] {
  if (parked.length === 0) return [];
  return [
    title('parked', parked.length, ''),
    ...parked.map((loop) => {
      const { phase, lastGate, id } = loop;
      const [reason, detail] = phase.at === 'parked' ? [phase.reason, phase.detail] : ['', ''];
      const red = lastGate?.verdict === 'red' ? `; ${describeRed(lastGate)}` : '';
      const task = taskIdOf(state, loop.task);
      const words = [cell(task, TASK_WIDTH), raw(' '), span(reason, 'yellow'), raw(' '), span(`${detail}${red}`)];
      return rowOf('parked', { loop: id, task, next: standing(state, loop).next }, [raw('  '), ...words]);
    }),
  ];
}

/** The first row shown, so that the chosen one is on the screen and as little as possible moves. */
export function topRow(top: number, body: readonly Row[], selected: string | null, room: number): number {
  const at = body.findIndex(({ key }) => key !== null && key === selected);
  const last = Math.max(0, body.length - room);
  // With the heading above the first of a section.
  const seen = at < 0 ? top : Math.max(Math.min(top, at - 1), at - room + 1);
  return Math.min(Math.max(0, seen), last);
}
