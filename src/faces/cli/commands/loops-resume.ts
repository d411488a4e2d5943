import { AppError, EXIT } from '../../../core/model/errors.ts';
import type { Host, Loop, State } from '../../../core/model/model.ts';
import { isWorking } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { whyNotResumed } from '../../../core/fold/stop-loop.ts';
import { isPromptTask, trackerOf } from '../../../core/model/tasks.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { requireAct } from '../../../core/views/acts.ts';
import { findLoop } from '../../call/find-loop.ts';
import { actOnEach, chosenLoops, NOTHING_FITS, requireChoice } from '../run/act-on-each.ts';
import type { OfEach } from '../run/act-on-each.ts';
import type { Continued } from '../run/continue-task.ts';
import type { RunAnswer } from '../run/finish-run.ts';
import type { PromptPlan } from '../run/prompt-loop.ts';
import { continueTasks } from '../run/continue-task.ts';
import type { Answer, Call, Handler } from '../../call/handler.ts';
import { readState } from '../../call/project.ts';
import type { Project } from '../../call/project.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { startProject } from '../run/start-project.ts';
import type { HandedOver } from '../../call/acts/resume.ts';
import { commitByHand, handOver, hostFor } from '../../call/acts/resume.ts';
import { printAnswer } from '../show/print-answer.ts';

export type Resumed = HandedOver | Continued | RunAnswer | PromptPlan;

/** Lets a loop go on: with a host that works through its tracker, or, where none does, here. */
export const handle: Handler<OfEach<Resumed>> = async (call) => {
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
    return first === undefined
      ? { data: { results: [] }, says: [NOTHING_FITS] }
      : resumeOne(call, project, state, first);
  return resumeSeveral(call, project, state, loops);
};

/** What a host takes up goes there; the others of one task file go on side by side here, prompts one after the other. */
async function resumeSeveral(
  call: Call,
  project: Project,
  state: State,
  loops: readonly Loop[],
): Promise<Answer<OfEach<Resumed>>> {
  const here = loops.filter((loop) => hostFor(state, loop) === null && !isPromptTask(loop.task));
  const trackers = [...new Set(here.map((loop) => trackerOf(state, loop.task)))];
  const others = loops.filter((loop) => !here.includes(loop));
  const answer = await actOnEach(
    call,
    others.map(({ id }) => id),
    (id) => resumeOne(call, project, state, findLoop(state, id)),
  );
  const all = others.length === 0 ? [] : [answer];
  for (const tracker of trackers) {
    const own = here.filter((loop) => trackerOf(state, loop.task) === tracker);
    for (const loop of own) if (!isWorking(loop)) await commitByHand(project, loop);
    all.push(await continueTasks(call, project, state, own));
  }
  const exit = all.map((one) => one.exit ?? EXIT.ok).find((code) => code !== EXIT.ok) ?? EXIT.ok;
  const results = all.flatMap(({ data }) => (data === null ? [] : 'results' in data ? data.results : [data]));
  return { data: { results }, says: all.flatMap(({ says = [] }) => says), exit };
}

async function resumeOne(call: Call, project: Project, state: State, loop: Loop): Promise<Answer<Resumed>> {
  const { repo } = project;
  const host = hostFor(state, loop);
  if (host !== null) refuseSettings(call, loop, host);
  if (!isWorking(loop)) await commitByHand(project, loop);
  if (host !== null) return tellHost(call, repo, loop, host);
  if (!isPromptTask(loop.task)) return continueTasks(call, project, state, [loop]);
  const { continueLoop } = await import('../run/prompt-loop.ts');
  return continueLoop(call, project, state, loop);
}

/** Who works already does so by its own settings. */
function refuseSettings({ settings }: Call, { id }: Loop, host: Host): void {
  const [key] = settings.keys();
  if (key === undefined) return;
  throw new AppError('E_BUSY', `the host with process ${host.mark.pid} would resume ${id}, and has its own ${key}`, {
    facts: ['without that setting the loop resumes there at once; with it, when that host has ended'],
    remedy: `ralph loops resume ${shellWord(id)}`,
  });
}

async function tellHost(call: Call, repo: Repository, loop: Loop, host: Host): Promise<Answer<HandedOver>> {
  const data = await handOver(repo, loop, host);
  const itsHost = `the host with process ${host.mark.pid}`;
  const told = data.by === null ? `as soon as ${itsHost} has a free slot` : `with ${itsHost}`;
  const answer = { data, says: [`${loop.id} continues ${told}`] };
  if (call.flags['follow'] !== true) return answer;
  printAnswer(call, answer);
  const { handle: logs } = await import('./logs.ts');
  const { exit = EXIT.ok } = await logs({ ...call, args: [loop.id] });
  return { data: null, exit };
}
