import { AppError } from '../../../core/model/errors.ts';
import type { Event } from '../../../core/model/events.ts';
import { taskId, taskKey } from '../../../core/model/ids.ts';
import type { LoopId, TaskKey } from '../../../core/model/ids.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import { isLive, loopsOf } from '../../../core/model/model.ts';
import { BEADS, GITHUB } from '../../../core/model/tasks.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { taskViews } from '../../../core/views/view.ts';
import { quietLoop } from '../../../world/agents/quiet-loop.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { branchTip } from '../../../world/worktrees/worktrees.ts';
import { findOne } from '../find-one.ts';
import { openTasks } from '../open-tasks.ts';
import type { OpenTasks } from '../open-tasks.ts';
import type { Project } from '../project.ts';
import { readState } from '../project.ts';
import { writeFacts } from '../write-facts.ts';
import { HOST_MS, whereOf } from './stop.ts';

export interface TaskReset {
  readonly task: string;
  /** Loops that worked on it. */
  readonly stopped: readonly LoopId[];
  /** Branches that hold what was made for it. */
  readonly kept: readonly string[];
}

export interface ResetOrder {
  /** Also what has landed: once more, on top of that. */
  readonly again: boolean;
  readonly env: NodeJS.ProcessEnv;
}

interface Chosen extends Pick<OpenTasks, 'tracker' | 'state'> {
  readonly id: string;
  readonly key: TaskKey;
}

/** One fact in the log: a host that works on the task stops when it reads it. Agents whose host is gone are ended here, before. */
export async function resetTask(project: Project, wanted: string, { again, env }: ResetOrder): Promise<TaskReset> {
  const { graceMs } = project.config.settings.limits;
  const now = await readState(project.repo);
  const { key: asked } = await chooseTask(project, now, wanted);
  const left = loopsOf(now).filter((loop) => loop.task === asked && loop.host === null);
  await endAgents(project.repo, left, graceMs);
  const before = await writeFacts(project.repo, async (newest) => {
    const chosen = await chooseTask(project, newest, wanted);
    const { tracker, state, key } = chosen;
    if (!again) refuseLanded(chosen);
    const read = state.trackers[tracker];
    const known: readonly Event[] =
      read === undefined ? [] : [{ type: 'tasks-read', tracker, digest: read.digest, tasks: read.tasks }];
    return [...known, { type: 'task-reset', task: key }];
  });
  const { id, key, tracker } = await chooseTask(project, before, wanted);
  const loops = loopsOf(before).filter((loop) => loop.task === key);
  const held = loops.filter(isLive);
  await endAgents(project.repo, held, graceMs);
  if (tracker === BEADS) {
    const { freeBead } = await import('../../../world/trackers/beads/edit-beads.ts');
    await freeBead({ env, root: project.repo.root }, taskId(id), again);
  }
  if (tracker === GITHUB) {
    const { openIssues } = await import('../../../world/forge/issues/open-issues.ts');
    const { freeIssue } = await import('../../../world/forge/issues/edit-issues.ts');
    await freeIssue(
      await openIssues({ repo: project.repo, settings: project.config.settings, env }),
      taskId(id),
      again,
    );
  }
  const kept = await withWork(project.repo, loops);
  return { task: id, stopped: held.map((loop) => loop.id), kept: kept.map(({ branch }) => branch) };
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

export async function chooseTask(project: Project, now: State, wanted: string): Promise<Chosen> {
  const { tracker, state } = await openTasks(project, now);
  const { id } = findOne(taskViews(state, tracker), (task) => [task.id], wanted, 'task', 'ralph tasks list');
  return { tracker, state, id, key: taskKey(tracker, taskId(id)) };
}

/** Nobody holds what has landed, and who frees it after an older loop of it went wrong does not want it twice. */
function refuseLanded({ state, id, key }: Chosen): void {
  const landed = state.landed[key];
  if (landed === undefined) return;
  throw new AppError('E_USAGE', `task ${id} has landed as ${landed.commit.slice(0, 10)}: there is nothing to free`, {
    facts: ['--again does it again, on top of what has landed'],
    remedy: `ralph tasks reset ${shellWord(id)} --again`,
  });
}
