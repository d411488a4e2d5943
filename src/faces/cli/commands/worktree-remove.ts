import { resolve } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import { isWorking, loopsOf } from '../../../core/model/model.ts';
import type { Loop } from '../../../core/model/model.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { readRef } from '../../../world/git/refs/refs.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { plainView } from '../../../world/git/run/view.ts';
import { listKeeps } from '../../../world/keep/list-keeps.ts';
import type { FeatureStatus } from '../../../world/feature/feature-status.ts';
import { writeFacts } from '../../call/write-facts.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { listFeatures } from '../../../world/feature/feature-status.ts';
import { type RemovedFeature, removeFeature } from '../../../world/feature/remove-feature.ts';
import { realpathLoose } from '../../../world/git/files/worktree-admin.ts';
import { healWorktreeEntries } from '../../../world/keep/heal-entries.ts';
import { findFeature } from '../show/feature-view.ts';
import type { Answer, Call, Handler } from '../../call/handler.ts';
import { filesText } from '../show/keep-view.ts';
import type { Project } from '../../call/project.ts';
import { openProject, readState } from '../../call/project.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';

interface RemovedView extends Omit<RemovedFeature, 'branchGone'> {
  readonly branch_gone: boolean;
}

/** Removes one worktree. What has not landed is refused, or by force kept first. */
export const handle: Handler<RemovedView> = async (call) => {
  refuseInLoop(call, 'worktree remove');
  const project = await openProject(call);
  const { repo, config } = project;
  const { settings } = config;
  await healWorktreeEntries(repo);
  const found = await listFeatures(repo, { target: settings.landing.target });
  const loop = await loopCalled(repo, found, call);
  if (loop !== null) return takeLoop(call, project, loop);
  const target = findFeature(repo, found, call.args[0] ?? '', call.cwd);
  // Whoever says so is not asked again: what it holds is kept, and `ralph undo` takes it back.
  const force = call.flags['force'] === true;
  const keepBranch = call.flags['keepBranch'] === true;
  const removed = await removeFeature(repo, { target, force, keepBranch, settings });
  const says = [
    ...removedInWords(removed),
    ...(realpathLoose(removed.path) === repo.worktree ? [cleanLine(`next: cd ${shellWord(repo.root)}`)] : []),
  ];
  return { data: removedView(removed), says };
};

/** The loop that an id, or the folder or branch of its worktree, names; null: a worktree of a person's. */
async function loopCalled(repo: Repository, found: readonly FeatureStatus[], call: Call): Promise<Loop | null> {
  const [id = ''] = call.args;
  const folder = id === '' ? null : realpathLoose(resolve(call.cwd, id));
  const named = found.find((one) => realpathLoose(one.path) === folder || one.branch === id || one.name === id);
  if (named !== undefined && named.ours !== 'loop') return null;
  const state = await readState(repo);
  const own = named === undefined ? undefined : loopsOf(state).find((loop) => loop.branch === named.branch);
  if (own !== undefined) return own;
  const isIts = (loop: Loop): boolean => loop.id === id || taskIdOf(state, loop.task) === id;
  const loops = loopsOf(state).filter(isIts);
  return loops.findLast((loop) => loop.worktree !== null) ?? loops.at(-1) ?? null;
}

/** Its work is kept, and its task is free. */
async function takeLoop(call: Call, project: Project, loop: Loop): Promise<Answer<RemovedView>> {
  const { repo } = project;
  const { id, task, branch, worktree } = loop;
  if (loop.host !== null && isWorking(loop))
    throw new AppError('E_BUSY', `loop ${id} is at work in ${worktree ?? 'its worktree'}`, {
      facts: ['stopped, it keeps its worktree, which can be removed then'],
      remedy: `ralph loops stop ${shellWord(id)}`,
    });
  const { discardLoop } = await import('../../call/acts/discard.ts');
  const order = { force: call.flags['force'] === true, isMeant: async () => true };
  const { discarded } = (await discardLoop(project, id, order)) ?? { discarded: { path: null, kept: null } };
  const { path, kept } = discarded;
  await writeFacts(repo, async (state) => (state.landed[task] === undefined ? [{ type: 'task-reset', task }] : []));
  const view = plainView(repo);
  const files = (await listKeeps(view)).find((one) => one.id === kept)?.files ?? 0;
  const branchGone = (await readRef(view, `refs/heads/${branch}`)) === null;
  const restore = kept === null ? null : `ralph keep restore ${shellWord(kept)}`;
  const removed = { name: id, path: path ?? worktree ?? '', branch, kept, files, left: [], branchGone, restore };
  const free = `its task ${taskIdOf(await readState(repo), task)} can start again`;
  return { data: removedView(removed), says: [...removedInWords(removed), free] };
}

function removedView({ branchGone, ...rest }: RemovedFeature): RemovedView {
  return { ...rest, branch_gone: branchGone };
}

/** What went, and how to have it back. */
function removedInWords(removed: RemovedFeature): readonly string[] {
  const { name, path, branch, kept, files, left, branchGone, restore } = removed;
  const stays = branch === null || branchGone ? '' : `; its branch ${branch} stays`;
  const gone = cleanLine(`removed ${name}: ${path}${stays}`);
  if (kept === null || restore === null) return [gone];
  return [
    gone,
    `  kept as ${kept}: its commits, ${filesText(files)}`,
    ...left.map((id) => `  kept as ${id}: commits that were left there on no branch`),
    cleanLine(`to have it back: ${restore}`),
  ];
}
