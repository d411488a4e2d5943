import type { Event } from '../../../core/model/events.ts';
import { AppError, EXIT } from '../../../core/model/errors.ts';
import type { ExitCode } from '../../../core/model/errors.ts';
import { taskId, taskKey } from '../../../core/model/ids.ts';
import type { TaskKey } from '../../../core/model/ids.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import { isLive, loopsOf } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { BEADS, taskIdOf } from '../../../core/model/tasks.ts';
import { taskViews } from '../../../core/views/view.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { branchTip } from '../../../world/worktrees/worktrees.ts';
import { quietLoop } from '../../../world/agents/quiet-loop.ts';
import type { Call, Handler } from '../../call/handler.ts';
import { findOne } from '../../call/find-one.ts';
import { openTasks } from '../../call/open-tasks.ts';
import type { OpenTasks } from '../../call/open-tasks.ts';
import { openProject, readState } from '../../call/project.ts';
import type { Project } from '../../call/project.ts';
import { actOnEach, filteredTasks, requireChoice } from '../run/act-on-each.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { HOST_MS, whereOf } from '../run/stop-loops.ts';
import { writeFacts } from '../../call/write-facts.ts';

interface Chosen extends Pick<OpenTasks, 'tracker' | 'state'> {
  readonly id: string;
  readonly key: TaskKey;
}

/** One fact in the log: a host that works on the task stops when it reads it. Agents whose host is gone are ended here, before. */
export const handle: Handler = async (call) => {
  refuseInLoop(call, 'tasks reset');
  requireChoice(call);
  const project = await openProject(call);
  const state = await readState(project.repo);
  const chosen = await filteredTasks(call, project, state);
  if (chosen === null) {
    // A slip in one of them is told before anything is freed.
    const ids = await Promise.all(
      call.args.map(async (id) => (await choose({ ...call, args: [id] }, project, state)).id),
    );
    return actOnEach(call, [...new Set(ids)], (one) => reset(one, project));
  }
  const begun = new Set(loopsOf(state).map(({ task }) => task));
  const open = chosen.filter(
    (key) => begun.has(key) && (state.landed[key] === undefined || call.flags['again'] === true),
  );
  return actOnEach(
    call,
    open.map((key) => taskIdOf(state, key)),
    (one) => reset(one, project),
  );
};

async function reset(call: Call, project: Project): Promise<ExitCode> {
  const { graceMs } = project.config.settings.limits;
  const now = await readState(project.repo);
  const { key: wanted } = await choose(call, project, now);
  const orphans = loopsOf(now).filter((loop) => loop.task === wanted && loop.host === null);
  await endAgents(project.repo, orphans, graceMs);
  const before = await writeFacts(project.repo, async (newest) => {
    const chosen = await choose(call, project, newest);
    const { tracker, state, key } = chosen;
    refuseLanded(call, chosen);
    const read = state.trackers[tracker];
    const known: readonly Event[] =
      read === undefined ? [] : [{ type: 'tasks-read', tracker, digest: read.digest, tasks: read.tasks }];
    return [...known, { type: 'task-reset', task: key }];
  });
  const { id, key, tracker } = await choose(call, project, before);
  const loops = loopsOf(before).filter((loop) => loop.task === key);
  const held = loops.filter(isLive);
  await endAgents(project.repo, held, graceMs);
  if (tracker === BEADS) {
    const { freeBead } = await import('../../../world/trackers/beads/edit-beads.ts');
    await freeBead({ env: call.env, root: project.repo.root }, taskId(id), call.flags['again'] === true);
  }
  const kept = await withWork(project.repo, loops);
  if (call.flags['json'] === true) {
    const branches = kept.map((loop) => loop.branch);
    call.out.json({ version: 1, task: id, stopped: held.map((loop) => loop.id), kept: branches });
    return EXIT.ok;
  }
  call.out.say(`reset ${id}: it can start again`);
  for (const loop of held) call.out.say(`  loop ${loop.id} is ended`);
  for (const loop of kept) call.out.say(`  its work is kept on ${loop.branch}`);
  call.out.say('next: ralph run --parallel');
  return EXIT.ok;
}

/** Those whose branch holds commits: what was thrown away is a keep, and its branch is gone. */
async function withWork(repo: Repository, loops: readonly Loop[]): Promise<readonly Loop[]> {
  const made = loops.filter((loop) => loop.head !== null && loop.head !== loop.base);
  const tips = await Promise.all(made.map((loop) => branchTip(repo, loop.branch)));
  return made.filter((_, at) => tips[at] !== null);
}

/** No process of these loops lives afterwards; a host that has one is given the time to end it. */
async function endAgents(repo: Repository, loops: readonly Loop[], graceMs: number): Promise<void> {
  for (const loop of loops) {
    const waitMs = loop.host === null ? 0 : graceMs + HOST_MS;
    await quietLoop(repo, { ...whereOf(loop), waitMs, graceMs });
  }
}

async function choose(call: Call, project: Project, now: State): Promise<Chosen> {
  const { tracker, state } = await openTasks(project, now);
  const [wanted = ''] = call.args;
  const { id } = findOne(taskViews(state, tracker), (task) => [task.id], wanted, 'task', 'ralph tasks list');
  return { tracker, state, id, key: taskKey(tracker, taskId(id)) };
}

/** Nobody holds what has landed, and who frees it after an older loop of it went wrong does not want it twice. */
function refuseLanded({ flags }: Call, { state, id, key }: Chosen): void {
  const landed = state.landed[key];
  if (landed === undefined || flags['again'] === true) return;
  throw new AppError('E_USAGE', `task ${id} has landed as ${landed.commit.slice(0, 10)}: there is nothing to free`, {
    facts: ['--again does it once more, on top of what has landed'],
    remedy: `ralph tasks reset ${shellWord(id)} --again`,
  });
}
