import { shellWord } from '../../../core/model/shell-word.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { listFeatures } from '../../../world/feature/feature-status.ts';
import { type RemovedFeature, removeFeature } from '../../../world/feature/remove-feature.ts';
import { realpathLoose } from '../../../world/git/files/worktree-admin.ts';
import { healWorktreeEntries } from '../../../world/keep/heal-entries.ts';
import { findFeature } from '../show/feature-view.ts';
import type { Handler } from '../../call/handler.ts';
import { filesText } from '../show/keep-view.ts';
import { openProject } from '../../call/project.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';

interface RemovedView extends Omit<RemovedFeature, 'branchGone'> {
  readonly branch_gone: boolean;
}

/** Removes one worktree. What has not landed is refused, or by force kept first. */
export const handle: Handler<RemovedView> = async (call) => {
  refuseInLoop(call, 'worktree remove');
  const { repo, config } = await openProject(call);
  const { settings } = config;
  await healWorktreeEntries(repo);
  const found = await listFeatures(repo, { target: settings.landing.target });
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
