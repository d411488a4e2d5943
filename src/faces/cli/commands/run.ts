import type { Event } from '../../../core/events.ts';
import type { HostPolicy, State } from '../../../core/model.ts';
import { tasksRead } from '../../../core/reconcile.ts';
import type { Settings } from '../../../core/settings.ts';
import { findTracker, findTrackerOrNull } from '../../../world/find-tracker.ts';
import { openWorld } from '../../../world/real-world.ts';
import { refuseLoopsOwn } from '../choose-place.ts';
import { chooseTasks } from '../choose-tasks.ts';
import { driveHost } from '../drive-host.ts';
import { dryRun } from '../dry-run.ts';
import { describeSources } from '../describe-sources.ts';
import { finishRun } from '../finish-run.ts';
import type { Handler } from '../handler.ts';
import { openTaskFile } from '../open-task-file.ts';
import { readTracker, withTasks } from '../open-tasks.ts';
import { prepareRun } from '../prepare-run.ts';
import { hasPromptFile, isForPrompt } from '../prompt-text.ts';
import { readState } from '../project.ts';
import { refuseInLoop } from '../refuse-in-loop.ts';
import { sayWhere } from '../say-where.ts';
import { startProject, takeUpLost } from '../start-project.ts';
import { warnAll } from '../warn-all.ts';

/** One prompt, or the task file from its first task to main. */
export const handle: Handler = async (call) => {
  refuseInLoop(call, 'run');
  if (isForPrompt(call)) {
    const { runPrompt } = await import('../prompt-loop.ts');
    return runPrompt(call);
  }
  const project = await startProject(call);
  const { repo, config } = project;
  refuseLoopsOwn(project);
  const settings = call.flags['autoMerge'] === false ? withoutLanding(config.settings) : config.settings;
  sayWhere(call, repo);
  const place = { repo, target: config.target };
  const found = await findTrackerOrNull(place, settings.tasks);
  if (found === null && hasPromptFile(call)) {
    const { runPrompt } = await import('../prompt-loop.ts');
    return runPrompt(call);
  }
  const path = found ?? (await findTracker(place, settings.tasks));
  const tracker = openTaskFile(call, repo, config.target?.branch ?? null, path);
  const tasks = await readTracker(tracker);
  const choice = chooseTasks(call, tasks.tasks);
  const { identity, target, agents, warnings, ...prepared } = await prepareRun(call, project, {
    settings,
    tracker: tasks.path,
  });
  const policy: HostPolicy = choice === null ? prepared.policy : { ...prepared.policy, choice };
  if (call.flags['dryRun'] === true) {
    warnAll(call, tasks.warnings);
    const sources = await describeSources(project, path);
    return dryRun(call, withTasks(await readState(repo), tasks), policy, sources);
  }
  warnAll(call, [...tasks.warnings, ...warnings]);
  await takeUpLost(project, { identity, target, tracker: tasks.path });
  const world = await openWorld({
    repo,
    identity,
    settings,
    agents,
    target,
    tracker,
    env: call.env,
    tell: (text) => call.out.say(text),
  });
  const opening = (state: State): readonly Event[] => tasksRead(state, tasks);
  const driven = await driveHost(call, { world, policy, settings, opening });
  return finishRun(call, driven, policy);
};

const withoutLanding = (settings: Settings): Settings => ({
  ...settings,
  parallel: { ...settings.parallel, mergePolicy: 'manual' },
});
