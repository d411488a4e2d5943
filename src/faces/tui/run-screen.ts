import { gatesSaid } from '../../core/views/gates-said.ts';
import type { Loop } from '../../core/model/model.ts';
import { taskIdOf } from '../../core/model/tasks.ts';
import { describeRed } from '../../core/model/line-that-matters.ts';
import { costInWords, usageView } from '../../core/views/cost-view.ts';
import type { InboxKind } from '../../core/views/inbox.ts';
import { iterationOf } from '../../core/views/loops-view.ts';
import { COMMIT_DIGITS, standing } from '../../core/views/standing.ts';
import { apart, cell, fitLine, raw, rightCell, span, widthOf } from './line.ts';
import type { Line, Tone } from './line.ts';
import type { Model, RunFacts, Size } from './model.ts';
import { WIDE, describeAge, heading, nameWidth, rowOf, title } from './rows.ts';
import type { Row } from './rows.ts';
import { trainRows } from './train-rows.ts';

const WIDER = 130;
const SHA_DIGITS = 7;
const TASK_WIDTH = 20;

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
  const left = [...lefts, []].find((one) => widthOf(one) + widthOf(right) < columns);
  return left === undefined ? fitLine([...name, ...right], columns) : apart(left, right, columns);
}

/** Everything there is of a run, from what needs a person to what is over. */
export function runRows(model: Model, { columns }: Size): readonly Row[] {
  const { facts, filter } = model;
  const rows = [
    ...inboxRows(model, columns),
    ...trainRows(model, columns),
    ...workRows(model, columns),
    ...waitRows(facts),
    ...landedRows(model),
    ...parkedRows(facts),
  ];
  const wanted = filter.toLowerCase();
  return filter === '' ? rows : rows.filter(({ key, line }) => key !== null && textOf(line).includes(wanted));
}

const textOf = (line: Line): string => line.map(({ text }) => text.toLowerCase()).join('');

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
  const gates = loop.phase.at === 'gating' ? 'run' : (gatesSaid(loop.lastGate) ?? '-');
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
      return rowOf('landed', { task, loop, next: `git show ${commit.slice(0, COMMIT_DIGITS)}` }, [
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

/** Which row is chosen when others come and go: the same one, or where it is gone the next one that is still there. */
export function staysChosen(selected: string | null, before: readonly Row[], after: readonly Row[]): string | null {
  const isThere = new Set(after.map(({ key }) => key));
  if (selected !== null && isThere.has(selected)) return selected;
  const keys = before.flatMap(({ key }) => (key === null ? [] : [key]));
  const at = Math.max(0, keys.indexOf(selected ?? ''));
  return [...keys.slice(at), ...keys.slice(0, at).toReversed()].find((key) => isThere.has(key)) ?? null;
}

/** The first row shown, so that the chosen one is on the screen and as little as possible moves. */
export function topRow(top: number, body: readonly Row[], selected: string | null, room: number): number {
  const at = body.findIndex(({ key }) => key !== null && key === selected);
  const last = Math.max(0, body.length - room);
  // With the heading above the first of a section.
  const seen = at < 0 ? top : Math.max(Math.min(top, at - 1), at - room + 1);
  return Math.min(Math.max(0, seen), last);
}
