import { join } from 'node:path';
import type { Loop, State } from '../../core/model/model.ts';
import { findTask, trackerOf } from '../../core/model/tasks.ts';
import type { Facts } from '../../core/fold/fold.ts';
import { loopHistory } from '../../core/views/loop-history.ts';
import type { HistoryEntry } from '../../core/views/loop-history.ts';
import { cleanLine } from '../../text/screen/clean.ts';
import { followFile, startedIterations } from '../../world/agents/transcript.ts';
import type { Repository } from '../../world/git/run/repository.ts';
import { clockTime } from '../../world/os/clock.ts';
import { historyLine } from '../call/history-line.ts';
import { tailLines } from '../call/tail-lines.ts';
import type { Style } from '../call/output.ts';
import { openPrinting } from '../verbs/print-transcript.ts';
import type { PageRow } from './model.ts';
import { textRow } from './page.ts';

const PLAIN: Style = { bold: String, dim: String, red: String, green: String, yellow: String };

/** Of an iteration that says more only the end is held; `ralph logs` has all of it. */
const END_BYTES = 512 * 1024;
const ITERATION_ROWS_MAX = 4000;
/** Of a line that goes on and on the beginning is held: a row shows no more. */
const BEGUN_CHARS_MAX = 4000;

interface Heard {
  readonly n: number;
  readonly from: ReturnType<typeof followFile>;
  readonly printing: ReturnType<typeof openPrinting>;
  readonly rows: PageRow[];
  begun: string;
}

/** What an agent said and what became of it, in the order of time; grows while it works. */
export function openTranscript(repo: Repository, loop: Loop['id']) {
  const heard = new Map<number, Heard>();
  let entries: readonly HistoryEntry[] = [];

  /** Takes what is new; true: there was something. */
  const listen = (): boolean => {
    let isNew = false;
    for (const { n, folder, agent } of startedIterations(repo, loop)) {
      const known = heard.get(n) ?? {
        n,
        from: followFile(join(folder, 'stdout.log'), END_BYTES),
        printing: openPrinting('rendered', agent.protocol, { iteration: n }),
        rows: [{ ...textRow(`iteration ${n}, ${cleanLine(agent.name)}`, 'bold'), isMark: true }],
        begun: '',
      };
      if (!heard.has(n)) isNew = true;
      heard.set(n, known);
      isNew = take(known) || isNew;
    }
    return isNew;
  };

  return {
    listen,
    /** What the log tells of it. */
    recall: (records: readonly Facts[]): void => {
      entries = loopHistory(records, loop);
    },
    rows: (): readonly PageRow[] => inOrder([...heard.values()], entries, loop),
  };
}

function take(one: Heard): boolean {
  const before = one.rows.length;
  let isNew = false;
  for (let bytes = one.from.next(); bytes !== null; bytes = one.from.next()) {
    isNew = true;
    const lines = (one.begun + String(one.printing.push(bytes))).split('\n');
    one.begun = (lines.pop() ?? '').slice(0, BEGUN_CHARS_MAX);
    for (const line of lines) one.rows.push(textRow(`    ${line}`, toneOf(line)));
    if (one.rows.length > ITERATION_ROWS_MAX) one.rows.splice(1, one.rows.length - ITERATION_ROWS_MAX);
  }
  return isNew || one.rows.length !== before;
}

const toneOf = (line: string): PageRow['tone'] =>
  line.startsWith('x ') ? 'red' : line.startsWith('> ') ? 'dim' : 'plain';

/** The words of an iteration stand before what ended it. */
function inOrder(heard: readonly Heard[], entries: readonly HistoryEntry[], loop: Loop['id']): readonly PageRow[] {
  const rows: PageRow[] = [];
  const told = new Set<number>();
  const tell = (one: Heard): void => {
    if (told.has(one.n)) return;
    told.add(one.n);
    rows.push(...one.rows);
    if (one.begun.trim() !== '') rows.push(textRow(`    ${one.begun}`));
  };
  for (const entry of entries) {
    const { what } = entry;
    if (what.type === 'iteration-ended') for (const one of heard) if (one.n <= what.n) tell(one);
    const [first = '', ...more] = historyLine(entry, loop, PLAIN).split('\n');
    const isBad = what.type === 'gates-ended' && what.report.verdict === 'red';
    rows.push(
      textRow(`${clockTime(entry.at)}  ${first}`, isBad ? 'red' : 'green'),
      ...more.map((line) => textRow(line)),
    );
    if (what.type === 'gates-ended' && isBad)
      rows.push(...tailLines(what.report.tail).map((line) => textRow(line, 'dim')));
  }
  for (const one of heard) tell(one);
  return rows;
}

/** What the gates said last. */
export function gateRows(loop: Loop): readonly PageRow[] {
  const { lastGate: report } = loop;
  if (report === null) return [textRow('its gates have not run yet')];
  if (report.isUntested === true) return [textRow('no gates are configured')];
  if (report.verdict === 'green')
    return [textRow('gates green', 'green'), ...tailLines(report.tail).map((line) => textRow(line))];
  return [
    textRow(`gates red: ${report.failing ?? ''}`, 'red'),
    ...tailLines(report.tail).map((line) => textRow(line)),
    textRow(''),
    textRow(`why, and how to see it fail again: ralph why ${loop.id}`, 'dim'),
  ];
}

/** What its task asks for. */
export function taskRows(state: State, loop: Loop): readonly PageRow[] {
  const task = findTask(state, loop.task);
  const lines = task?.body.split('\n') ?? [];
  return [
    textRow(loop.title, 'bold'),
    ...(task === null ? [] : [textRow(`${trackerOf(state, loop.task)}:${task.line}`, 'dim')]),
    textRow(''),
    ...lines.map((line) => textRow(cleanLine(line))),
    ...(task?.acceptance ?? []).map((line) => textRow(`- ${cleanLine(line)}`)),
  ];
}
