import type { Handler } from '../../call/handler.ts';
import type { Project } from '../../call/project.ts';
import { realClock } from '../../../world/os/clock.ts';
import { findTaskSource, findTaskSourceOrNull } from '../../../world/trackers/find-source.ts';
import { refuseLoopsOwn } from '../run/choose-place.ts';
import type { Detached } from '../run/detach-run.ts';
import { detachRun } from '../run/detach-run.ts';
import { hasPromptFile, isForPrompt } from '../run/prompt-text.ts';
import type { RunPlan } from '../run/dry-run.ts';
import type { RunAnswer } from '../run/finish-run.ts';
import type { PromptPlan } from '../run/prompt-loop.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { runEnd } from '../run/run-end.ts';
import { runTasks } from '../run/run-tasks.ts';
import { startProject } from '../run/start-project.ts';
import { sayWhere } from '../show/say-where.ts';

/** One prompt, or the task file from its first task to main. */
export const handle: Handler<Detached | RunAnswer | RunPlan | PromptPlan> = async (call) => {
  refuseInLoop(call, 'run');
  runEnd(call, realClock);
  if (call.flags['detach'] === true) return detachRun(call);
  if (isForPrompt(call)) {
    const { runPrompt } = await import('../run/prompt-loop.ts');
    return runPrompt(call);
  }
  const found = await startProject(call);
  const project = call.flags['autoMerge'] === false ? withoutLanding(found) : found;
  const { repo, config } = project;
  refuseLoopsOwn(project);
  sayWhere(call, repo);
  const place = { repo, target: config.target };
  const file = await findTaskSourceOrNull(place, config.settings);
  if (file === null && hasPromptFile(call)) {
    const { runPrompt } = await import('../run/prompt-loop.ts');
    return runPrompt(call);
  }
  return runTasks(call, project, { path: file ?? (await findTaskSource(place, config.settings)) });
};

function withoutLanding({ repo, config }: Project): Project {
  const { parallel } = config.settings;
  const settings = { ...config.settings, parallel: { ...parallel, mergePolicy: 'manual' as const } };
  return { repo, config: { ...config, settings } };
}
