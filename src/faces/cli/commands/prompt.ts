import { fold } from '../../../core/fold/fold.ts';
import { EXIT } from '../../../core/model/errors.ts';
import type { Event } from '../../../core/model/events.ts';
import { hostId, loopId, taskKey } from '../../../core/model/ids.ts';
import type { TaskKey } from '../../../core/model/ids.ts';
import type { HostPolicy, Loop, State } from '../../../core/model/model.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { newestLoops } from '../../../core/plan/newest-loops.ts';
import { planRun } from '../../../core/plan/plan-run.ts';
import { promptFor } from '../../../engine/effects/iteration-prompt.ts';
import { realClock } from '../../../world/os/clock.ts';
import { diffStat, logSubjects } from '../../../world/git/objects/history.ts';
import { preflight } from '../../../world/git/files/preflight.ts';
import { touchedPaths } from '../../../world/git/files/worktree-state.ts';
import { plainView } from '../../../world/git/run/view.ts';
import { openPrompts } from '../../../world/prompts/prompts.ts';
import { findOne } from '../../call/find-one.ts';
import type { Handler } from '../../call/handler.ts';
import { openTasks } from '../../call/open-tasks.ts';
import { openProject, readState } from '../../call/project.ts';
import { withChosen } from '../run/choose-tasks.ts';
import { runPolicy } from '../run/policy.ts';
import { sayWhere } from '../show/say-where.ts';

const SUBJECTS_MAX = 30;
const TOUCHED_MAX = 50;

interface Told {
  readonly task: string | null;
  /** The loop that would be told; null: it is not begun yet. */
  readonly loop: string | null;
  readonly iteration: number | null;
  readonly prompt: string | null;
}

/** What the next iteration would be told: of a task, or of what would go on or start first. Nothing is claimed. */
export const handle: Handler<Told> = async (call) => {
  const project = await openProject(call);
  const { repo, config } = project;
  const { settings } = config;
  sayWhere(call, repo);
  const { tracker, state: all } = await openTasks(project, await readState(repo));
  const state = withChosen(call, all, tracker, settings.tracker.only);
  const { target } = await preflight(repo, settings.landing.target);
  const policy = runPolicy({ settings, tracker, target, agents: [], resolver: null, env: call.env });
  const key = call.args[0] === undefined ? nextTask(state, policy) : named(state, tracker, call.args[0]);
  if (key === null)
    return {
      data: { task: null, loop: null, iteration: null, prompt: null },
      says: ['no task can start or resume now; see: ralph tasks list'],
      exit: EXIT.parked,
    };
  const [loop, begun] = loopOf(state, policy, key);
  const view = plainView(repo);
  const prompt = await promptFor(
    {
      state: () => begun,
      policy,
      gateCommands: settings.gates.commands,
      completion: { signal: settings.completionSignal, promise: settings.completionPromise },
      world: {
        clock: realClock,
        prompts: openPrompts(repo, settings.prompt),
        worktrees: { touched: (path, base) => touchedPaths({ repo, view }, { path, base, limit: TOUCHED_MAX }) },
        integration: {
          describe: async (from, to) => ({
            commits: await logSubjects(view, from, to, SUBJECTS_MAX),
            stat: await diffStat(view, from, to),
          }),
        },
      },
    },
    loop,
  );
  const known = state.loops[loop.id];
  const data = { task: taskIdOf(begun, key), loop: known?.id ?? null, iteration: loop.iteration + 1, prompt };
  return { data, text: prompt.trimEnd() };
};

const named = (state: State, tracker: string, id: string): TaskKey => {
  const tasks = state.trackers[tracker]?.tasks ?? [];
  return taskKey(tracker, findOne(tasks, (task) => [task.id], id, 'task', 'ralph tasks list').id);
};

/** What a run would go on with or start first. */
function nextTask(state: State, policy: HostPolicy): TaskKey | null {
  const { adopts, starts } = planRun(state, policy);
  const [adopted] = adopts.flatMap(({ loop }) => state.loops[loop]?.task ?? []);
  return adopted ?? starts[0]?.task ?? null;
}

/** The loop that would go on, or the one that would begin, as the log would have it. */
function loopOf(state: State, policy: HostPolicy, task: TaskKey): readonly [Loop, State] {
  const newest = newestLoops(state).get(task);
  const goesOn = newest !== undefined && newest.phase.at !== 'landed';
  if (goesOn) return [newest, state];
  const [host, loop] = [hostId('h-prompt'), loopId('loop-prompt')];
  const free: State = {
    ...state,
    landed: Object.fromEntries(Object.entries(state.landed).filter(([key]) => key !== task)),
  };
  const events: readonly Event[] = [
    { type: 'host-joined', host, mark: { pid: 0, startTime: '', bootId: '' }, policy: { ...policy, slots: 1 } },
    { type: 'task-claimed', loop, task, host, slot: 1, branch: 'ralph/loop-prompt', onto: [] },
  ];
  const begun = fold(free, { seq: state.seq + 1, at: realClock.nowMs(), by: host, events });
  const made = begun.loops[loop];
  return made === undefined ? [newest ?? never(task), state] : [made, begun];
}

const never = (task: string): never => {
  throw new Error(`${task} could not be begun`);
};
