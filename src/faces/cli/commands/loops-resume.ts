import { AppError, EXIT } from '../../../core/model/errors.ts';
import type { ExitCode } from '../../../core/model/errors.ts';
import type { Host, Loop, State } from '../../../core/model/model.ts';
import { isWorking } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { whyNotResumed } from '../../../core/fold/stop-loop.ts';
import { isPromptTask, trackerOf } from '../../../core/model/tasks.ts';
import { leftoversMessage } from '../../../text/commit-message.ts';
import { readCommitter } from '../../../world/git/run/identity.ts';
import { commitLeftovers } from '../../../world/loops/leftovers.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { livingTokens } from '../../../world/agents/quiet-loop.ts';
import { isThere } from '../../../world/os/read-if-there.ts';
import { requireAct } from '../../../core/views/acts.ts';
import { findLoop } from '../../verbs/find-loop.ts';
import { awaitStateFor } from '../run/await-state.ts';
import { actOnEach, chosenLoops, requireChoice } from '../run/act-on-each.ts';
import { continueTasks } from '../run/continue-task.ts';
import type { Call, Handler } from '../../call/handler.ts';
import { readState } from '../../call/project.ts';
import type { Project } from '../../call/project.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { startProject } from '../run/start-project.ts';
import { whereOf } from '../run/stop-loops.ts';
import { writeFacts } from '../../call/write-facts.ts';

/** How long a host may take to see that there is something to take up. */
const TAKEN_MS = 5000;

/** Lets a loop go on: with a host that works through its tracker, or, where none does, here. */
export const handle: Handler = async (call) => {
  refuseInLoop(call, 'loops resume');
  requireChoice(call);
  const project = await startProject(call);
  const state = await readState(project.repo);
  const isOpen = (loop: Loop): boolean =>
    whyNotResumed(state, loop) === null || (isWorking(loop) && loop.host === null);
  const loops = (await chosenLoops(call, project, state, isOpen)) ?? [];
  for (const loop of loops) requireAct(state, loop, 'resume');
  const [first, ...more] = loops;
  if (more.length === 0)
    return first === undefined ? actOnEach(call, [], handle) : resumeOne(call, project, state, first);
  return resumeSeveral(call, project, state, loops);
};

/** What a host takes up goes there; the others of one task file go on side by side here, prompts one after the other. */
async function resumeSeveral(call: Call, project: Project, state: State, loops: readonly Loop[]): Promise<ExitCode> {
  const here = loops.filter((loop) => hostFor(state, loop) === null && !isPromptTask(loop.task));
  const trackers = [...new Set(here.map((loop) => trackerOf(state, loop.task)))];
  const others = loops.filter((loop) => !here.includes(loop));
  const results: ExitCode[] = [
    await actOnEach(
      call,
      others.map(({ id }) => id),
      (one) => resumeOne(one, project, state, findLoop(state, one.args[0] ?? '')),
    ),
  ];
  for (const tracker of trackers) {
    const own = here.filter((loop) => trackerOf(state, loop.task) === tracker);
    for (const loop of own) if (!isWorking(loop)) await commitByHand(project, loop);
    results.push(await continueTasks(call, project, state, own));
  }
  return results.find((exit) => exit !== EXIT.ok) ?? EXIT.ok;
}

async function resumeOne(call: Call, project: Project, state: State, loop: Loop): Promise<ExitCode> {
  const { repo } = project;
  const host = hostFor(state, loop);
  if (host !== null) refuseSettings(call, loop, host);
  if (!isWorking(loop)) await commitByHand(project, loop);
  if (host !== null) return handOver(call, repo, loop, host);
  if (!isPromptTask(loop.task)) return continueTasks(call, project, state, [loop]);
  const { continueLoop } = await import('../run/prompt-loop.ts');
  return continueLoop(call, project, state, loop);
}

/** What a person changed in its worktree while it stood still is part of its work; its agent begins on top of it. */
async function commitByHand({ repo, config }: Project, loop: Loop): Promise<void> {
  const { maxNew } = config.settings.landing;
  const { path } = whereOf(loop);
  if (livingTokens(repo, { loop: loop.id, path }).length > 0)
    throw new AppError('E_BUSY', `processes of loop ${loop.id} still live`, {
      remedy: `ralph loops stop ${shellWord(loop.id)} --force`,
    });
  if (path === null || !isThere(path)) return;
  const identity = await readCommitter(repo, config.settings.landing.sign);
  const message = leftoversMessage(loop.title, loop.id, loop.iteration);
  await commitLeftovers(repo, { path, branch: loop.branch, message, base: loop.base, maxNew, identity });
}

/** A living host that takes up whatever loop of this tracker is free. */
export function hostFor(state: State, loop: Loop): Host | null {
  const tracker = trackerOf(state, loop.task);
  const fits = ({ state: at, policy }: Host): boolean =>
    at === 'up' && policy.slots > 0 && policy.only === null && policy.tracker === tracker;
  return Object.values(state.hosts).find(fits) ?? null;
}

/** Who works already does so by its own settings. */
function refuseSettings({ settings }: Call, { id }: Loop, host: Host): void {
  const [key] = settings.keys();
  if (key === undefined) return;
  throw new AppError(
    'E_BUSY',
    `the host with process ${host.mark.pid} would go on with ${id}, and has its own ${key}`,
    {
      facts: ['without that setting it goes on there at once; with it, when that host has ended'],
      remedy: `ralph loops resume ${shellWord(id)}`,
    },
  );
}

async function handOver(call: Call, repo: Repository, { id }: Loop, host: Host): Promise<ExitCode> {
  await writeFacts(repo, async (state) => {
    const now = state.loops[id];
    return now === undefined || whyNotResumed(state, now) !== null ? [] : [{ type: 'loop-resumed', loop: id }];
  });
  const isTaken = ({ loops }: State): boolean => loops[id]?.host != null || !isWorking(loops[id] ?? never(id));
  const taken = await awaitStateFor(repo, TAKEN_MS, isTaken);
  const by = taken?.loops[id]?.host ?? null;
  if (call.flags['json'] === true) call.out.json({ version: 1, loop: id, by, host: host.id });
  call.out.say(
    taken === null
      ? `${id} goes on as soon as the host with process ${host.mark.pid} has a free slot`
      : `${id} goes on with the host with process ${host.mark.pid}`,
  );
  if (call.flags['follow'] !== true) return EXIT.ok;
  const { handle: logs } = await import('./logs.ts');
  return logs({ ...call, args: [id] });
}

const never = (id: string): never => {
  throw new Error(`loop ${id} vanished from the log`);
};
