import type { Facts } from '../fold/fold.ts';
import { fold } from '../fold/fold.ts';
import type { LoopId, Sha } from '../model/ids.ts';
import type { Loop, ParkReason, State } from '../model/model.ts';
import { EMPTY_STATE, isWorking, loopsOf } from '../model/model.ts';
import { reachedLimit } from '../model/project-limits.ts';
import { taskIdOf } from '../model/tasks.ts';
import { describeHold } from './describe-hold.ts';
import type { UsageView } from './cost-view.ts';
import { usageView } from './cost-view.ts';

/** A run, counted from its records: what it did, and what it did not have to do. */
export interface RunLine extends UsageView {
  /** From 1, in the order in which they began. */
  readonly n: number;
  readonly since: number;
  /** null: it goes on, or was cut short and the next `ralph run` goes on with it. */
  readonly ended: number | null;
  /** Its last record so far. */
  readonly last_at: number;
  readonly landed: readonly RunLanding[];
  /** Put aside in it, and not taken up again. */
  readonly parked: readonly RunParked[];
  readonly iterations: number;
  /** Ready work that went back to be mended, by what it did not fit. */
  readonly sent_back: { readonly conflict: number; readonly red: number };
  /** Gates run on trains, and how many of them were red. */
  readonly gate_runs: number;
  readonly red_gate_runs: number;
  /** How many more it would have been, had each loop been tested by itself. */
  readonly gate_runs_saved: number;
  readonly limits: readonly LimitMet[];
}

export interface RunLanding {
  readonly loop: LoopId;
  readonly task: string;
  readonly title: string;
  readonly commit: Sha;
  readonly at: number;
  /** From the claim to the landing. */
  readonly took_ms: number;
  readonly iterations: number;
  readonly cost_usd: number | null;
}

export interface RunParked {
  readonly loop: LoopId;
  readonly task: string;
  readonly title: string;
  readonly reason: ParkReason;
  readonly detail: string;
  readonly at: number;
}

/** A limit that was met: of an account, of the run, of the project, of the disk, or of one loop. */
export interface LimitMet {
  readonly at: number;
  readonly of: 'account' | 'run' | 'project' | 'disk' | 'loop';
  readonly detail: string;
}

/** Every run the log tells of, the oldest first. */
export function runsView(records: readonly Facts[]): readonly RunLine[] {
  let runs: readonly RunLine[] = [];
  let before = EMPTY_STATE;
  for (const record of records) {
    const after = fold(before, record);
    runs = withRecord(runs, before, record, after);
    before = after;
  }
  return runs;
}

/** The same with one more record, for who follows the log. */
export function withRecord(runs: readonly RunLine[], before: State, record: Facts, after: State): readonly RunLine[] {
  const isNew = after.run.isOpen && (!before.run.isOpen || after.run.since !== before.run.since);
  const known = isNew ? [...runs, begun(runs.length + 1, after)] : runs;
  const last = known.at(-1);
  // What lands after a run was made in it, as a rule: `ralph land` in the morning.
  return last === undefined ? known : [...known.slice(0, -1), counted(last, before, record, after)];
}

const begun = (n: number, { run }: State): RunLine => ({
  n,
  since: run.since,
  ended: null,
  last_at: run.since,
  landed: [],
  parked: [],
  iterations: 0,
  sent_back: { conflict: 0, red: 0 },
  gate_runs: 0,
  red_gate_runs: 0,
  gate_runs_saved: 0,
  limits: [],
  ...usageView(run.usage),
});

/** The loops a record changed, each with what it was. */
function changes(before: State, after: State): readonly (readonly [Loop | undefined, Loop])[] {
  if (before.loops === after.loops) return [];
  return loopsOf(after).flatMap((loop) => {
    const was = before.loops[loop.id];
    return was === loop ? [] : [[was, loop] as const];
  });
}

function counted(line: RunLine, before: State, record: Facts, after: State): RunLine {
  const changed = changes(before, after);
  const tests = record.events.filter(({ type }) => type === 'candidate-tested');
  const reds = tests.filter((event) => 'report' in event && event.report?.verdict === 'red');
  const landed = changed.flatMap(([was, loop]) => landing(after, was, loop, record.at));
  const back = changed.flatMap(([was, loop]) =>
    was?.phase.at === 'ready' && isWorking(loop) && loop.rework !== null ? [loop.rework.kind] : [],
  );
  const sent = {
    conflict: line.sent_back.conflict + back.filter((kind) => kind === 'conflict').length,
    red: line.sent_back.red + back.filter((kind) => kind !== 'conflict').length,
  };
  const allLanded = [...line.landed, ...landed];
  const parked = [
    ...line.parked.filter(({ loop }) => isAside(after.loops[loop])),
    ...changed.flatMap(([was, loop]) => putAside(after, was, loop, record.at)),
  ];
  const runs = line.gate_runs + tests.length;
  // By itself, each of these would have been tested on its own once.
  const alone = allLanded.length + sent.red + parked.filter(({ reason }) => reason === 'red').length;
  return {
    ...line,
    ended: endOf(line, before, record, after),
    last_at: after.run.isOpen || landed.length > 0 || changed.length > 0 ? record.at : line.last_at,
    landed: allLanded,
    parked,
    iterations: line.iterations + record.events.filter(({ type }) => type === 'iteration-ended').length,
    sent_back: sent,
    gate_runs: runs,
    red_gate_runs: line.red_gate_runs + reds.length,
    gate_runs_saved: Math.max(0, alone - runs),
    limits: [...line.limits, ...limitsMet(before, record, after, changed)],
    ...usageView(after.run.usage),
  };
}

function endOf(line: RunLine, before: State, { at }: Facts, after: State): number | null {
  if (after.run.isOpen) return null;
  return before.run.isOpen ? at : line.ended;
}

function landing(state: State, was: Loop | undefined, loop: Loop, at: number): readonly RunLanding[] {
  if (loop.phase.at !== 'landed' || was?.phase.at === 'landed') return [];
  return [
    {
      loop: loop.id,
      task: taskIdOf(state, loop.task),
      title: loop.title,
      commit: loop.phase.commit,
      at,
      took_ms: Math.max(0, at - loop.claimedAt),
      iterations: loop.counted,
      cost_usd: loop.usage.costUsd,
    },
  ];
}

function isAside(loop: Loop | undefined): boolean {
  return loop?.phase.at === 'parked' && !BY_PERSON.has(loop.phase.reason);
}

function putAside(state: State, was: Loop | undefined, loop: Loop, at: number): readonly RunParked[] {
  const { phase } = loop;
  if (phase.at !== 'parked' || BY_PERSON.has(phase.reason)) return [];
  if (was?.phase.at === 'parked' && was.phase.reason === phase.reason) return [];
  const { reason, detail } = phase;
  return [{ loop: loop.id, task: taskIdOf(state, loop.task), title: loop.title, reason, detail, at }];
}

/** Where a person put it is told apart. */
const BY_PERSON: ReadonlySet<ParkReason> = new Set(['stopped', 'discarded']);

const OF_LOOP: ReadonlySet<ParkReason> = new Set(['iterations', 'runtime', 'budget']);

function limitsMet(
  before: State,
  { at }: Facts,
  after: State,
  changed: readonly (readonly [Loop | undefined, Loop])[],
): readonly LimitMet[] {
  const met: LimitMet[] = [];
  if (before.accounts !== after.accounts)
    for (const [name, { hold }] of Object.entries(after.accounts)) {
      const was = before.accounts[name]?.hold ?? null;
      const isNew = hold !== null && (was === null || was.kind !== hold.kind || was.untilMs !== hold.untilMs);
      if (isNew && hold.kind === 'limit') met.push({ at, of: 'account', detail: `${name}: ${describeHold(hold)}` });
    }
  if (after.run.overspent !== null && before.run.overspent === null)
    met.push({ at, of: 'run', detail: after.run.overspent });
  if (after.disk !== null && before.disk === null)
    met.push({ at, of: 'disk', detail: `${after.disk.freeMb} MB free, ${after.disk.floorMb} MB required` });
  for (const [was, loop] of changed) {
    if (loop.phase.at !== 'parked' || was?.phase.at === 'parked' || !OF_LOOP.has(loop.phase.reason)) continue;
    met.push({ at, of: 'loop', detail: `${taskIdOf(after, loop.task)}: ${loop.phase.detail}` });
  }
  const limits = Object.values(after.hosts).at(-1)?.policy.project;
  const reached = before.loops === after.loops ? null : reachedLimit(after, limits);
  if (reached !== null && reachedLimit(before, limits) === null) met.push({ at, of: 'project', detail: reached.spent });
  return met;
}
