import { openLoops } from '../loops/draft.ts';
import type { Host, HostPolicy, Loop, ParkReason, State } from '../model/model.ts';
import { isWorking } from '../model/model.ts';
import { isTakenByAnother } from '../fold/land.ts';
import { isWithdrawn } from '../loops/withdrawn.ts';
import { newestLoops } from './newest-loops.ts';
import { isPromptTask, isPromptTracker } from '../model/tasks.ts';

/** How many loops of task lists are at work, all hosts together, and how many may be. */
export interface Crowd {
  readonly atWork: number;
  readonly max: number;
}

/** Hosts of task lists; nobody waits for one that is suspended, for nobody knows when it goes on. */
const isCounted = (host: Host | undefined): boolean => host !== undefined && host.state !== 'stopped';

export function crowdOf(state: State): Crowd {
  const isAtWork = ({ host, task }: Loop): boolean =>
    host !== null && isCounted(state.hosts[host]) && !isPromptTask(task);
  const limits = Object.values(state.hosts)
    .filter((host) => isCounted(host) && !isPromptTracker(host.policy.tracker))
    .map(({ policy }) => policy.maxWorkers ?? policy.slots);
  return {
    atWork: openLoops(state).filter((loop) => isWorking(loop) && isAtWork(loop)).length,
    max: Math.max(0, ...limits),
  };
}

/** Room for further loops of this host beside all others at work. A prompt never waits for it. */
export function roomBeside(state: State, { policy }: Host): number {
  if (isPromptTracker(policy.tracker)) return Number.POSITIVE_INFINITY;
  const { atWork, max } = crowdOf(state);
  return Math.max(0, max - atWork);
}

const TO_READ: ReadonlySet<ParkReason> = new Set(['protected', 'too-large']);

/** Loops of a task list that wait for a person to read them and, where nothing lands by itself, those at work that will. */
export function unreadOf(
  state: State,
  { tracker, mergePolicy }: HostPolicy,
): { readonly waiting: number; readonly atWork: number } {
  const newest = [...newestLoops(state).values()].filter(({ task }) => task.startsWith(`${tracker}#`));
  const waits = (loop: Loop): boolean => {
    const { phase } = loop;
    if (phase.at === 'parked') return TO_READ.has(phase.reason) && !isTakenByAnother(state, loop);
    return phase.at === 'ready' && !phase.queued && !isWithdrawn(state, loop);
  };
  return {
    waiting: newest.filter(waits).length,
    atWork: mergePolicy === 'manual' ? newest.filter(isWorking).length : 0,
  };
}
