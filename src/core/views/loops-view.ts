import { otherCommands } from './acts.ts';
import type { LoopState, LoopStanding } from './standing.ts';
import { LOOP_STATES, standing } from './standing.ts';
import type { LoopId, Sha } from '../model/ids.ts';
import { isoMs } from '../model/describe-time.ts';
import type { Loop, State } from '../model/model.ts';
import { loopsOf } from '../model/model.ts';
import { findTask, isPromptTask, taskIdOf } from '../model/tasks.ts';
import { gatesSaid } from './gates-said.ts';

/** Enough to know what was asked for; a file of a megabyte is no line of a table. */
const PROMPT_CHARS_MAX = 4000;

export interface LoopRow extends LoopStanding {
  readonly id: LoopId;
  /** What else may be done, each a command. */
  readonly others: readonly string[];
  readonly task: string;
  /** What it is called: the first line of what it was asked for, or the feature. */
  readonly title: string;
  /** What it was asked for, cut where it is very long. */
  readonly prompt: string;
  readonly agent: string;
  readonly started_at: string;
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
}

/** Where a branch stands now; null: unknown, or there is none. */
export type TipOf = (branch: string) => Sha | null;

/** Every loop the log knows, in the order they began. */
export const loopRows = (state: State, nowMs: number, tipOf: TipOf = () => null): readonly LoopRow[] =>
  loopsOf(state).map((loop) => rowOf(state, loop, nowMs, tipOf));

/** Over and done with: nobody has to look at it again. */
export const isOver = ({ state }: LoopRow): boolean => state === 'landed' || state === 'discarded';

/** How many there are in each state, none left out but those without any. */
export function countRows(rows: readonly LoopRow[]): readonly (readonly [LoopState, number])[] {
  return LOOP_STATES.flatMap((state) => {
    const count = rows.filter((row) => row.state === state).length;
    return count === 0 ? [] : [[state, count] as const];
  });
}

function rowOf(state: State, loop: Loop, nowMs: number, tipOf: TipOf): LoopRow {
  const { phase, place } = loop;
  const task = taskIdOf(state, loop.task);
  const host = loop.host === null ? undefined : state.hosts[loop.host];
  return {
    id: loop.id,
    ...standing(state, loop),
    others: otherCommands(state, loop),
    task,
    title: loop.title.trim().split(/\r?\n/)[0] ?? '',
    prompt: promptOf(state, loop),
    agent: loop.agent,
    started_at: isoMs(loop.claimedAt),
    age_ms: Math.max(0, nowMs - loop.claimedAt),
    iterations: iterationOf(loop),
    // Nothing lands that is red.
    gates:
      phase.at === 'landed' && loop.lastGate?.isUntested !== true
        ? 'green'
        : isJudged(loop, tipOf)
          ? gatesSaid(loop.lastGate)
          : null,
    cost_usd: loop.usage.costUsd,
    cost_kind: loop.usage.costKind,
    branch: loop.branch,
    place: place.at === 'worktree' ? 'worktree' : 'in-place',
    worktree: loop.worktree,
    commit: phase.at === 'landed' ? phase.commit : null,
    pid: host?.mark.pid ?? null,
  };
}

/** Of a prompt all of it; of a task in a file its title, which leads to the rest. */
function promptOf(state: State, { task, title }: Loop): string {
  const body = isPromptTask(task) ? findTask(state, task)?.body : undefined;
  const text = (body ?? title).trim();
  return text.length > PROMPT_CHARS_MAX ? `${text.slice(0, PROMPT_CHARS_MAX)}…` : text;
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
