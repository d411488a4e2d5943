import type { HostId, LoopId } from '../model/ids.ts';
import { isoMs } from '../model/describe-time.ts';
import { describeRed } from '../model/line-that-matters.ts';
import type { Loop, Rework, State } from '../model/model.ts';
import { isWorking } from '../model/model.ts';
import { foreseenOf } from './foreseen.ts';
import { taskIdOf } from '../model/tasks.ts';
import { iterationOf } from './loops-view.ts';
import type { LoopState, LoopStanding } from './standing.ts';
import { gatesSaid } from './gates-said.ts';
import { standing } from './standing.ts';
import { tokensOf } from '../model/usage.ts';

export interface WorkerView extends LoopStanding {
  readonly slot: number;
  readonly task: string;
  readonly task_id: string;
  readonly title: string;
  readonly loop: LoopId;
  readonly branch: string;
  /** The same as `state`. */
  readonly status: LoopState;
  readonly iteration: number;
  readonly gates: 'green' | 'red' | null;
  /** The same, and that they run now. */
  readonly gates_status: 'green' | 'red' | 'running' | null;
  readonly started_at: string;
  readonly duration_ms: number;
  /** In seconds. */
  readonly duration: number;
  readonly worktree: string | null;
  readonly host: HostId | null;
  /** The process that holds it; null: nobody does, or it has ended. */
  readonly pid: number | null;
  readonly error: string | null;
  readonly agent: string;
  readonly progress: string | null;
  readonly tokens: number;
  readonly cost_usd: number | null;
  /** What it will conflict with if it goes on like this; task null: main. */
  readonly foreseen: readonly { readonly task: string | null; readonly paths: readonly string[] }[];
  /** Why it is back at work after it was ready. */
  readonly rework: { readonly kind: Rework['kind']; readonly times: number; readonly detail: string } | null;
}

/** Whether it is still at it, or only kept for what became of it. */
export const isAtWork = ({ state, reason }: WorkerView): boolean =>
  state === 'at-work' || state === 'waiting' || (state === 'stopped' && reason !== 'you');

export function workerView(state: State, loop: Loop, nowMs: number): WorkerView {
  const task = taskIdOf(state, loop.task);
  const stands = standing(state, loop);
  const ms = Math.max(0, (isWorking(loop) ? nowMs : loop.since) - loop.claimedAt);
  // Nothing lands that is red.
  const gates = loop.phase.at === 'landed' && loop.lastGate?.isUntested !== true ? 'green' : gatesSaid(loop.lastGate);
  return {
    slot: loop.slot,
    task,
    task_id: task,
    title: loop.title,
    loop: loop.id,
    branch: loop.branch,
    ...stands,
    status: stands.state,
    iteration: iterationOf(loop),
    gates,
    gates_status: loop.phase.at === 'gating' ? 'running' : gates,
    started_at: isoMs(loop.claimedAt),
    duration_ms: ms,
    duration: ms / 1000,
    worktree: loop.worktree,
    host: loop.host,
    pid: loop.host === null ? null : (state.hosts[loop.host]?.mark.pid ?? null),
    error: errorOf(loop),
    agent: loop.agent,
    progress: loop.progress,
    tokens: tokensOf(loop.usage),
    cost_usd: loop.usage.costUsd,
    foreseen: foreseenOf(state, loop),
    rework:
      loop.rework === null ? null : { kind: loop.rework.kind, times: loop.rework.times, detail: loop.rework.detail },
  };
}

function errorOf({ phase, agent, lastGate, lastFailure, failureStreak }: Loop): string | null {
  if (phase.at === 'parked') return `${phase.reason}: ${phase.detail}`;
  if (lastGate?.verdict === 'red') return `gate fails: ${describeRed(lastGate)}`;
  return failureStreak > 0 ? `${agent}: ${lastFailure?.message ?? `${failureStreak} failures in a row`}` : null;
}
