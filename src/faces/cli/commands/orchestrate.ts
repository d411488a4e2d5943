import type { Handler } from '../../call/handler.ts';
import { realClock } from '../../../world/os/clock.ts';
import { findTaskSource } from '../../../world/trackers/find-source.ts';
import { asOrchestrated, unsetPolicy } from '../run/as-orchestrated.ts';
import type { Detached } from '../run/detach-run.ts';
import { detachRun } from '../run/detach-run.ts';
import { refuseLoopsOwn } from '../run/choose-place.ts';
import type { RunPlan } from '../run/dry-run.ts';
import type { RunAnswer } from '../run/finish-run.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { runEnd } from '../run/run-end.ts';
import { runTasks } from '../run/run-tasks.ts';
import { startProject } from '../run/start-project.ts';
import { sayWhere } from '../show/say-where.ts';

/** Everything that is ready, side by side, each on a branch and in a folder that are named after it. */
export const handle: Handler<Detached | RunAnswer | RunPlan> = async (call) => {
  refuseInLoop(call, 'orchestrate');
  runEnd(call, realClock);
  if (call.flags['detach'] === true) return detachRun(call);
  const found = await startProject(call);
  const project = asOrchestrated(found, await unsetPolicy(found, call.env));
  const { repo, config } = project;
  refuseLoopsOwn(project);
  sayWhere(call, repo);
  const path = await findTaskSource({ repo, target: config.target }, config.settings);
  return runTasks(call, project, { path, isTestFirst: true, isAwaiting: true });
};
