import type { Event } from '../../../core/model/events.ts';
import type { HostPolicy, State } from '../../../core/model/model.ts';
import { tasksRead } from '../../../core/plan/reconcile.ts';
import type { Settings } from '../../../core/model/settings.ts';
import { realClock } from '../../../world/os/clock.ts';
import { findTracker, findTrackerOrNull, otherTrackers } from '../../../world/trackers/find-tracker.ts';
import { openWorld } from '../../../world/real-world.ts';
import { refuseLoopsOwn } from '../run/choose-place.ts';
import { chooseTasks } from '../run/choose-tasks.ts';
import { driveHost } from '../run/drive-host.ts';
import { dryRun } from '../run/dry-run.ts';
import { describeSources } from '../run/describe-sources.ts';
import { finishRun } from '../run/finish-run.ts';
import type { Handler } from '../../call/handler.ts';
import { openTaskFile } from '../run/open-task-file.ts';
import { readTracker, withoutTakenBack, withTasks } from '../../call/open-tasks.ts';
import { prepareRun } from '../run/prepare-run.ts';
import { hasPromptFile, isForPrompt } from '../run/prompt-text.ts';
import { readState } from '../../call/project.ts';
import { runEnd } from '../run/run-end.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { sayWhere } from '../show/say-where.ts';
import { startProject, takeUpLost } from '../run/start-project.ts';
import { warnAll } from '../show/warn-all.ts';

/** One prompt, or the task file from its first task to main. */
export const handle: Handler = async (call) => {
  refuseInLoop(call, 'run');
  runEnd(call, realClock);
  if (isForPrompt(call)) {
    const { runPrompt } = await import('../run/prompt-loop.ts');
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
    const { runPrompt } = await import('../run/prompt-loop.ts');
    return runPrompt(call);
  }
  const path = found ?? (await findTracker(place, settings.tasks));
  const openFile = () => openTaskFile(call, { repo, settings, target: config.target?.branch ?? null, path });
  const tracker = openFile();
  const tasks = await readTracker(tracker);
  const others = await otherTrackers(place, settings.tasks, path);
  const choice = chooseTasks(call, tasks.tasks, settings.tracker.only);
  const { identity, target, agents, warnings, ...prepared } = await prepareRun(call, project, {
    settings,
    tracker: tasks.path,
  });
  const policy: HostPolicy = choice.length === 0 ? prepared.policy : { ...prepared.policy, choice };
  if (call.flags['dryRun'] === true) {
    warnAll(call, [...others, ...tasks.warnings]);
    const sources = await describeSources(project, path);
    const state = await withoutTakenBack(project, withTasks(await readState(repo), tasks), path);
    return dryRun(call, state, policy, sources);
  }
  warnAll(call, [...others, ...tasks.warnings, ...warnings]);
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
  let read = tasks;
  const readAgain = async (): Promise<void> => {
    read = await readTracker(openFile());
  };
  const opening = (state: State): readonly Event[] => tasksRead(state, read);
  const driven = await driveHost(call, { world, policy, settings, opening, readAgain });
  return finishRun(call, driven, policy);
};

const withoutLanding = (settings: Settings): Settings => ({
  ...settings,
  parallel: { ...settings.parallel, mergePolicy: 'manual' },
});
