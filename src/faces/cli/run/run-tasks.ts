import { AppError } from '../../../core/model/errors.ts';
import type { Event } from '../../../core/model/events.ts';
import type { TaskKey } from '../../../core/model/ids.ts';
import type { HostPolicy, State } from '../../../core/model/model.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { fitsAll } from '../../../core/model/filters.ts';
import { planRun } from '../../../core/plan/plan-run.ts';
import { tasksRead } from '../../../core/plan/reconcile.ts';
import { refuseBeadsLines } from '../../../world/trackers/find-source.ts';
import { otherTrackers } from '../../../world/trackers/find-tracker.ts';
import { pause } from '../../../world/os/clock.ts';
import { openWorld } from '../../../world/real-world.ts';
import type { Answer, Call } from '../../call/handler.ts';
import { readTracker, withoutTakenBack, withTasks } from '../../call/open-tasks.ts';
import { readState } from '../../call/project.ts';
import type { Project } from '../../call/project.ts';
import { freedByHand } from '../../../world/repair/removed-by-hand.ts';
import { writeFacts } from '../../call/write-facts.ts';
import { printAnswer } from '../show/print-answer.ts';
import { warnAll } from '../show/warn-all.ts';
import { chooseTasks } from './choose-tasks.ts';
import { describeSources } from './describe-sources.ts';
import { driveHost } from './drive-host.ts';
import type { RunPlan } from './dry-run.ts';
import { dryRun } from './dry-run.ts';
import type { RunAnswer } from './finish-run.ts';
import { finishRun } from './finish-run.ts';
import { openTaskFile } from './open-task-file.ts';
import { prepareRun } from './prepare-run.ts';
import { takeUpLost } from './start-project.ts';

export interface TasksOrder {
  /** The task file. */
  readonly path: string;
  /** Its agents are told what to do as workers of an orchestrator are. */
  readonly isTestFirst?: boolean;
  /** Where it merges by itself, it stays until nothing but people keep pull requests open. */
  readonly isAwaiting?: boolean;
}

/** Works through a task file, or says what would be done. */
export async function runTasks(call: Call, project: Project, order: TasksOrder): Promise<Answer<RunAnswer | RunPlan>> {
  const { repo, config } = project;
  const { settings } = config;
  const { path, isTestFirst = false, isAwaiting = false } = order;
  refuseBeadsLines(path);
  const openFile = () => openTaskFile(call, { repo, settings, target: config.target?.branch ?? null, path });
  const tracker = openFile();
  const tasks = await readTracker(tracker);
  const others = await otherTrackers({ repo, target: config.target }, settings.tasks, path);
  const choice = chooseTasks(call, tasks.tasks, settings.tracker.only);
  const { identity, target, agents, warnings, forge, ...prepared } = await prepareRun(call, project, {
    settings,
    tracker: tasks.path,
    tasks: tasks.tasks.filter((task) => fitsAll(choice, task)),
    isTestFirst,
    isAwaiting,
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
  await freeRemoved(call, project, tasks.path);
  let read = tasks;
  const readAgain = async (): Promise<void> => {
    read = await readTracker(openFile());
  };
  const opening = (state: State): readonly Event[] => tasksRead(state, read);
  const tell = (text: string): void => call.out.say(text);
  for (;;) {
    const world = await openWorld({
      repo,
      identity,
      settings,
      agents,
      target,
      tracker,
      env: call.env,
      tell,
      isTestFirst,
      forge,
    });
    const driven = await driveHost(call, { world, policy, settings, opening, readAgain });
    const answer = await finishRun(call, driven, policy);
    if (call.flags['watch'] !== true || driven.signal !== null || driven.over !== null) return answer;
    printAnswer(call, answer);
    call.out.say('waiting for tasks that are ready; Ctrl-C ends that');
    await awaitWork(call, async () => {
      await readAgain();
      const { starts, adopts } = planRun(withTasks(await readState(repo), read), policy);
      return starts.length + adopts.length > 0;
    });
  }
}

/** Whoever took a worktree or a branch away is told what follows. */
async function freeRemoved({ out }: Call, { repo }: Project, tracker: string): Promise<void> {
  let free: readonly TaskKey[] = [];
  const state = await writeFacts(repo, async (now) => {
    free = await freedByHand(repo, now, tracker);
    return free.map((task) => ({ type: 'task-reset', task }));
  });
  for (const task of free)
    out.say(`${cleanLine(taskIdOf(state, task))} is free again: its worktree or branch was removed by hand`);
}

const LOOK_EVERY_MS = 2000;

/** A task list that cannot be read now is told of once: somebody is writing it. */
async function awaitWork({ out }: Call, isThere: () => Promise<boolean>): Promise<void> {
  for (let told = ''; ; await pause(LOOK_EVERY_MS))
    try {
      if (await isThere()) return;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (told !== error.message) out.say(out.style.yellow(`warning: ${error.message}`));
      told = error.message;
    }
}
