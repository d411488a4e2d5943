import { AppError } from '../../../core/model/errors.ts';
import { taskKey } from '../../../core/model/ids.ts';
import { isWorking, loopsOf } from '../../../core/model/model.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import { newestLoops } from '../../../core/plan/newest-loops.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { findTaskSource } from '../../../world/trackers/find-source.ts';
import { findOne } from '../../call/find-one.ts';
import type { Handler } from '../../call/handler.ts';
import { openTasks } from '../../call/open-tasks.ts';
import { readState } from '../../call/project.ts';
import type { Project } from '../../call/project.ts';
import { asOrchestrated } from '../run/as-orchestrated.ts';
import { refuseLoopsOwn } from '../run/choose-place.ts';
import type { Continued } from '../run/continue-task.ts';
import type { RunPlan } from '../run/dry-run.ts';
import type { RunAnswer } from '../run/finish-run.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { runTasks } from '../run/run-tasks.ts';
import { startProject } from '../run/start-project.ts';

/** One task, as an orchestrator would have it done; what was begun of it goes on. */
export const handle: Handler<RunAnswer | RunPlan | Continued> = async (call) => {
  refuseInLoop(call, 'worker');
  const found = asOrchestrated(await startProject(call));
  refuseLoopsOwn(found);
  const { repo, config } = found;
  const path = await findTaskSource({ repo, target: config.target }, config.settings);
  const { tracker, state } = await openTasks(found, await readState(repo));
  const tasks = state.trackers[tracker]?.tasks ?? [];
  const { id } = findOne(tasks, (task) => [task.id], call.args[0] ?? '', 'task', 'ralph tasks list');
  const loop = newestLoops(state).get(taskKey(tracker, id));
  if (loop !== undefined) refuseHeld(state, loop, id);
  const project = besideOthers(found, state);
  if (loop?.phase.at === 'parked' && loop.phase.reason !== 'discarded') {
    const { continueTasks } = await import('../run/continue-task.ts');
    return continueTasks(call, project, await readState(repo), [loop]);
  }
  return runTasks({ ...call, flags: { ...call.flags, task: [id] } }, project, { path, isTestFirst: true });
};

function refuseHeld(state: State, loop: Loop, id: string): void {
  const host = loop.host === null ? undefined : state.hosts[loop.host];
  if (!isWorking(loop) || host === undefined) return;
  throw new AppError('E_BUSY', `the host with process ${host.mark.pid} works on ${id}: loop ${loop.id}`, {
    facts: ['an agent of it that dies is started again by that host'],
    remedy: `ralph loops logs ${shellWord(loop.id)} -f`,
  });
}

/** A person asks for this one task now: those that are at work already do not keep it waiting. */
function besideOthers({ repo, config }: Project, state: State): Project {
  const { parallel } = config.settings;
  const maxWorkers = Math.max(parallel.maxWorkers, loopsOf(state).filter(isWorking).length + 1);
  return {
    repo,
    config: { ...config, settings: { ...config.settings, parallel: { ...parallel, enabled: false, maxWorkers } } },
  };
}
