import { landingQueue } from '../loops/landing-queue.ts';
import { isWorking, loopsOf } from '../model/model.ts';
import { taskIdOf } from '../model/tasks.ts';
import { hazardOf, verdictOf } from '../loops/odds.ts';
import { usualMs } from '../train/pace.ts';
import type { LoopStanding } from './standing.ts';
import { standing } from './standing.ts';
import type { LoopId, Sha } from '../model/ids.ts';
import type { Landing, Loop, Rework, State } from '../model/model.ts';

export interface QueueView {
  readonly version: 1;
  readonly paused: boolean;
  readonly train: TrainView | null;
  /** Ready and not aboard, in the order in which they board. */
  readonly waiting: readonly WaitingView[];
  /** Back at work because they did not fit. */
  readonly mending: readonly MendingView[];
  /** Until the queue is empty, as far as past gate runs tell; null: nothing waits, or none was seen. */
  readonly expected_ms: number | null;
  /** Why nothing lands. */
  readonly trouble: string | null;
}

export interface TrainView {
  readonly stage: 'building' | 'testing' | 'advancing';
  readonly base: Sha | null;
  readonly cars: readonly CarView[];
  readonly runs: readonly RunView[];
}

/** Where its loop stands, if it has one. */
export interface CarView extends Partial<LoopStanding> {
  /** null: the user's own new commits. */
  readonly task: string | null;
  readonly loop: LoopId | null;
  readonly commit: Sha;
  /** What the gates say of it and all before it. */
  readonly gates: 'green' | 'red' | 'testing' | 'waiting';
}

export interface RunView {
  readonly slot: number;
  /** How many cars are tested together; 0: main itself. */
  readonly up_to: number;
  readonly commit: Sha;
  readonly since_ms: number;
  /** Runs of the same tree that were red before. */
  readonly again: number;
}

export interface WaitingView extends LoopStanding {
  readonly position: number;
  readonly task: string;
  readonly loop: LoopId;
}

export interface MendingView extends LoopStanding {
  readonly task: string;
  readonly loop: LoopId;
  readonly kind: 'conflict' | 'red' | 'checks' | 'review';
  readonly times: number;
  readonly paths: readonly string[];
}

export function queueView(state: State, nowMs: number): QueueView {
  const aboard = new Set(state.landing?.cars.map((car) => car.loop));
  const waiting = landingQueue(state).filter((loop) => !aboard.has(loop.id));
  return {
    version: 1,
    paused: state.queuePaused,
    train: state.landing === null ? null : trainView(state, state.landing, nowMs),
    waiting: waiting.map((loop, index) => ({
      position: index + 1,
      task: taskIdOf(state, loop.task),
      loop: loop.id,
      ...standing(state, loop),
    })),
    mending: loopsOf(state).flatMap((loop) => {
      const { rework } = loop;
      return rework === null || rework.kind === 'review' || !isWorking(loop)
        ? []
        : [mendingView(state, loop, rework.kind, rework)];
    }),
    expected_ms: expectedMs(state, nowMs),
    trouble: state.landingTrouble?.detail ?? null,
  };
}

function trainView(state: State, landing: Landing, nowMs: number): TrainView {
  const gatesHash = state.hosts[landing.host]?.policy.gatesHash ?? '';
  const gatesOf = ({ commit, tree }: Landing['cars'][number]): CarView['gates'] => {
    if (verdictOf(state, gatesHash, tree) === 'green') return 'green';
    if (landing.runs.some((run) => run.commit === commit)) return 'testing';
    return landing.reds.some((red) => red.tree === tree) ? 'red' : 'waiting';
  };
  return {
    stage: landing.stage.at,
    base: landing.base,
    cars: landing.cars.map((car) => ({
      task: car.loop === null ? null : taskName(state, car.loop),
      loop: car.loop,
      commit: car.commit,
      gates: gatesOf(car),
      ...standingOf(state, car.loop),
    })),
    runs: landing.runs.map((run) => ({
      slot: run.slot,
      up_to: landing.cars.findIndex((car) => car.commit === run.commit) + 1,
      commit: run.commit,
      since_ms: Math.max(0, nowMs - run.startedAt),
      again: run.again,
    })),
  };
}

function standingOf(state: State, id: LoopId | null): Partial<LoopStanding> {
  const loop = id === null ? undefined : state.loops[id];
  return loop === undefined ? {} : standing(state, loop);
}

const taskName = (state: State, id: LoopId): string => {
  const loop = state.loops[id];
  return loop === undefined ? id : taskIdOf(state, loop.task);
};

const mendingView = (state: State, loop: Loop, kind: MendingView['kind'], rework: Rework): MendingView => ({
  task: taskIdOf(state, loop.task),
  loop: loop.id,
  ...standing(state, loop),
  kind,
  times: rework.times,
  paths: rework.paths,
});

/** Gate runs still to come by what past ones say, one after the other; those under way have begun already. */
function expectedMs(state: State, nowMs: number): number | null {
  const usual = usualMs(state.pace);
  const left = landingQueue(state).length;
  if (usual === null || left === 0) return null;
  const hazard = hazardOf(state.odds);
  const batch = Math.max(1, Math.min(left, Math.round(1 / hazard)));
  const runs = Math.max(1, Math.ceil((left * (1 / batch + hazard * (1 + Math.log2(batch)))) / (1 - hazard)));
  const oldest = Math.min(nowMs, ...(state.landing?.runs ?? []).map((run) => run.startedAt));
  return Math.max(0, runs * usual - Math.min(usual, nowMs - oldest));
}
