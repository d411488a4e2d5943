import { isWorking, loopsOf } from '../../core/model/model.ts';
import type { HostPolicy, Loop, State } from '../../core/model/model.ts';
import type { ProjectLimits } from '../../core/model/project-limits.ts';
import { taskIdOf } from '../../core/model/tasks.ts';
import { planRun } from '../../core/plan/plan-run.ts';
import { schedule } from '../../core/plan/schedule.ts';
import type { Waiting } from '../../core/plan/schedule.ts';
import { costInWords, usageView } from '../../core/views/cost-view.ts';
import { describeWaiting } from '../../core/views/describe-waiting.ts';
import { describeForecast, forecastView } from '../../core/views/forecast.ts';
import { inboxView } from '../../core/views/inbox.ts';
import { queueView } from '../../core/views/queue-view.ts';
import type { RunFacts } from './model.ts';

export interface FactsAbout {
  readonly tracker: string;
  readonly target: string;
  /** How a run started now would work. */
  readonly policy: HostPolicy;
  /** Loops a task may get by itself. */
  readonly attempts: number;
  readonly limits: ProjectLimits;
}

/** Waits of a task that waits for nothing, or that another section shows. */
const NOT_WAITING: ReadonlySet<Waiting['why']> = new Set([
  'done',
  'done-upstream',
  'landed',
  'held',
  'ready',
  'parked',
  'not-chosen',
]);

/** Everything the view shows that follows from the log alone. */
export function factsOf(state: State, about: FactsAbout, nowMs: number): RunFacts {
  const loops = loopsOf(state);
  const { since } = state.run;
  const landed = Object.entries(state.landed)
    .filter(([, { at }]) => at >= since)
    .map(([task, { loop, commit, at }]) => ({
      loop: state.loops[loop] === undefined ? null : loop,
      task: taskIdOf(state, task as Loop['task']),
      commit,
      at,
    }))
    .toSorted((a, b) => b.at - a.at);
  const { items: inbox } = inboxView(state, about);
  const isWanted = new Set(inbox.map(({ loop }) => loop));
  const work = loops.filter((loop) => isWorking(loop) || loop.phase.at === 'waiting');
  // Each task is in one section.
  const isAtWork = new Set(work.map((loop) => String(taskIdOf(state, loop.task))));
  return {
    state,
    atMs: nowMs,
    tracker: about.tracker,
    target: about.target,
    inbox,
    queue: queueView(state, nowMs),
    work,
    reviewing: loops.filter(({ phase }) => phase.at === 'reviewing'),
    waits: waitsOf(state, about).filter(({ task }) => !isAtWork.has(task)),
    landed,
    parked: loops.filter(({ phase, id, since: at }) => phase.at === 'parked' && at >= since && !isWanted.has(id)),
    left: describeForecast(forecastView(state, about.tracker, nowMs)),
    cost: costInWords(usageView(state.run.usage)).replace(/^-$/, ''),
  };
}

function waitsOf(state: State, { tracker, policy }: FactsAbout): RunFacts['waits'] {
  const host = Object.values(state.hosts).find(
    (one) => one.policy.tracker === tracker && one.policy.slots > 0 && one.state === 'up',
  );
  const plan = host !== undefined ? schedule(state, host.id) : planRun(state, policy);
  const idle =
    host === undefined ? plan.starts.map(({ task }) => ({ task, why: 'no run is under way', kind: 'run' })) : [];
  const waits = plan.waits
    .filter(({ waiting }) => !NOT_WAITING.has(waiting.why))
    .map(({ task, waiting }) => ({ task: String(task.id), why: describeWaiting(waiting), kind: waiting.why }));
  return [...idle.map((one) => ({ ...one, task: taskIdOf(state, one.task) })), ...waits];
}
