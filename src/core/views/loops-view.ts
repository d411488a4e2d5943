import { describeBesides, heldBesides } from './besides.ts';
import type { LoopId, Sha } from '../model/ids.ts';
import { isTakenByAnother } from '../fold/land.ts';
import { loopNext } from './loop-next.ts';
import type { MergeState } from './merge-state.ts';
import { mergeState } from './merge-state.ts';
import type { Loop, ParkReason, State } from '../model/model.ts';
import { loopsOf } from '../model/model.ts';
import { findTask, isPromptTask, taskIdOf } from '../model/tasks.ts';
import { describeWithdrawn, isWithdrawn } from '../loops/withdrawn.ts';

/** Enough to know what was asked for; a file of a megabyte is no line of a table. */
const PROMPT_CHARS_MAX = 4000;

/** Where a loop stands, in the words people know from elsewhere. In this order they are counted. */
export const LOOP_STATUSES = [
  'running',
  'suspended',
  'orphaned',
  'interrupted',
  'waiting',
  'queued',
  'merging',
  'ready',
  'needs-review',
  'stopped',
  'merged',
  'discarded',
] as const;

export type LoopStatus = (typeof LOOP_STATUSES)[number];

export interface LoopRow {
  readonly id: LoopId;
  readonly status: LoopStatus;
  /** Why it was put aside. */
  readonly reason: ParkReason | null;
  readonly detail: string | null;
  readonly task: string;
  /** What it is called: the first line of what it was asked for, or the feature. */
  readonly title: string;
  /** What it was asked for, cut where it is very long. */
  readonly prompt: string;
  readonly agent: string;
  readonly started_at: number;
  readonly age_ms: number;
  readonly iterations: number;
  /** What the gates said last; null: they have not run, or not on what its branch holds now. */
  readonly gates: 'green' | 'red' | null;
  readonly cost_usd: number | null;
  readonly cost_kind: string | null;
  readonly branch: string;
  readonly place: 'worktree' | 'in-place';
  /** Where it works, or its work still stands; null: nowhere. */
  readonly worktree: string | null;
  /** What landed. */
  readonly commit: Sha | null;
  /** The process that holds it; null: nobody does. */
  readonly pid: number | null;
  /** Whether it would land if somebody said so now; null: there is nothing to land. */
  readonly merge: MergeState | null;
  /** The command that moves it on or shows more. */
  readonly next: string;
}

/** Where a branch stands now; null: unknown, or there is none. */
export type TipOf = (branch: string) => Sha | null;

/** Every loop the log knows, in the order they began. */
export const loopRows = (state: State, nowMs: number, tipOf: TipOf = () => null): readonly LoopRow[] =>
  loopsOf(state).map((loop) => rowOf(state, loop, nowMs, tipOf));

/** Over and done with: nobody has to look at it again. */
export const isOver = ({ status }: LoopRow): boolean => status === 'merged' || status === 'discarded';

/** How many there are of each status, none left out but those without any. */
export function countRows(rows: readonly LoopRow[]): readonly (readonly [LoopStatus, number])[] {
  return LOOP_STATUSES.flatMap((status) => {
    const count = rows.filter((row) => row.status === status).length;
    return count === 0 ? [] : [[status, count] as const];
  });
}

function rowOf(state: State, loop: Loop, nowMs: number, tipOf: TipOf): LoopRow {
  const { phase, place } = loop;
  const status = statusOf(state, loop);
  const task = taskIdOf(state, loop.task);
  const host = loop.host === null ? undefined : state.hosts[loop.host];
  return {
    id: loop.id,
    status,
    reason: phase.at === 'parked' ? phase.reason : null,
    detail: phase.at === 'parked' ? phase.detail : noteOf(state, loop),
    task,
    title: loop.title.trim().split(/\r?\n/)[0] ?? '',
    prompt: promptOf(state, loop),
    agent: loop.agent,
    started_at: loop.claimedAt,
    age_ms: Math.max(0, nowMs - loop.claimedAt),
    iterations: iterationOf(loop),
    // Nothing lands that is red.
    gates: phase.at === 'landed' ? 'green' : isJudged(loop, tipOf) ? (loop.lastGate?.verdict ?? null) : null,
    cost_usd: loop.usage.costUsd,
    cost_kind: loop.usage.costKind,
    branch: loop.branch,
    place: place.at === 'worktree' ? 'worktree' : 'in-place',
    worktree: loop.worktree,
    commit: phase.at === 'landed' ? phase.commit : null,
    pid: host?.mark.pid ?? null,
    merge: mergeState(state, loop),
    next: loopNext(state, loop, status),
  };
}

/** Of a prompt all of it; of a task in a file its title, which leads to the rest. */
function promptOf(state: State, { task, title }: Loop): string {
  const body = isPromptTask(task) ? findTask(state, task)?.body : undefined;
  const text = (body ?? title).trim();
  return text.length > PROMPT_CHARS_MAX ? `${text.slice(0, PROMPT_CHARS_MAX)}…` : text;
}

export function statusOf(state: State, loop: Loop): LoopStatus {
  switch (loop.phase.at) {
    case 'preparing':
    case 'iterating':
    case 'gating':
    case 'updating':
      if (loop.host !== null) return state.hosts[loop.host]?.state === 'stopped' ? 'suspended' : 'running';
      if (loop.waitsFor !== null) return 'waiting';
      return freeState(loop);
    case 'ready':
      if (state.landing?.cars.some((car) => car.loop === loop.id) === true) return 'merging';
      return loop.phase.queued && !isWithdrawn(state, loop) ? 'queued' : 'ready';
    case 'landed':
      return 'merged';
    case 'parked':
      return parkedStatus(state, loop, loop.phase.reason);
  }
}

function parkedStatus(state: State, loop: Loop, reason: ParkReason): LoopStatus {
  // Another loop does its task, or has done it: nobody waits for this one.
  if (reason !== 'discarded' && isTakenByAnother(state, loop)) return 'stopped';
  switch (reason) {
    case 'discarded':
      return 'discarded';
    case 'stopped':
    case 'replaced':
    case 'reset':
      return 'stopped';
    case 'iterations':
    case 'runtime':
    case 'budget':
    case 'no-progress':
    case 'failures':
    case 'conflict':
    case 'red':
    case 'base-parked':
    case 'broken':
    case 'blocked':
    case 'protected':
    case 'too-large':
    case 'ejected':
    case 'duplicate':
    case 'tampered':
      return 'needs-review';
  }
}

/** What a loop that its host gave back waits for. */
export const WAITS: Readonly<Record<NonNullable<Loop['waitsFor']>, string>> = {
  auth: 'no agent can work now',
  budget: "the run's budget is spent",
  limit: 'a limit of the project is reached',
  base: 'main itself fails its gates',
};

function noteOf(state: State, loop: Loop): string | null {
  const { host, waitsFor, stopping } = loop;
  if (loop.phase.at !== 'landed' && isWithdrawn(state, loop)) return describeWithdrawn(state, loop);
  const besides = heldBesides(loop);
  if (besides !== null) return describeBesides(besides);
  if (stopping) return 'stops when its iteration ends';
  if (host !== null || waitsFor === null) return null;
  return WAITS[waitsFor];
}

/** Whether what the gates said last is about what stands on its branch: a person may have rebased it, or gone on there. */
export function isJudged({ phase, branch, head }: Loop, tipOf: TipOf): boolean {
  if (phase.at !== 'ready' && phase.at !== 'parked') return true;
  const tip = tipOf(branch);
  return tip === null || head === null || tip === head;
}

/** The iteration under way, or the last one there was: who gave a loop back has begun no further one. */
export const iterationOf = ({ phase, iteration, host, hostDied }: Loop): number =>
  phase.at === 'iterating' && (host !== null || hostDied) ? phase.n : iteration;

/** At work, and held by nobody. */
export const freeState = ({ hostDied }: Loop): 'orphaned' | 'interrupted' => (hostDied ? 'orphaned' : 'interrupted');

/** The command that moves a loop on from where it stands. */
export const nextOf = (state: State, loop: Loop): string => loopNext(state, loop, statusOf(state, loop));
