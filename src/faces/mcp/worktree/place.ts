import { shellWord } from '../../../core/remedy.ts';
import { givenPath } from '../../../world/feature/given-path.ts';
import { lockFeature, unlockFeature } from '../../../world/feature/lock-feature.ts';
import { moveFeature } from '../../../world/feature/move-feature.ts';
import { repairWorktrees } from '../../../world/feature/repair-feature.ts';
import type { Answer } from '../../verbs/answer.ts';
import { type WorktreePlace, meantWorktree, namedWorktree } from './find-worktree.ts';
import { told } from './told.ts';

export async function moveWorktree(place: WorktreePlace): Promise<Answer> {
  const { repo, call, given } = place;
  const target = await namedWorktree(place);
  const path = await moveFeature(repo, target, givenPath(given.text('new_path'), call.cwd, call.env));
  return told({
    path,
    branch: target.branch,
    next: [`cd ${shellWord(path)}`],
    more: { current_path: target.path, new_path: path },
  });
}

export async function lockWorktree(place: WorktreePlace): Promise<Answer> {
  const target = await meantWorktree(place);
  const isNew = await lockFeature(place.repo, target, place.given.text('reason'));
  return told({
    path: target.path,
    branch: target.branch,
    messages: isNew ? [] : [`it was locked already${target.locked === '' ? '' : `: ${target.locked}`}`],
    more: { locked: true },
  });
}

export async function unlockWorktree(place: WorktreePlace): Promise<Answer> {
  const target = await meantWorktree(place);
  const wasLocked = await unlockFeature(place.repo, target);
  const messages = wasLocked ? [] : ['it was not locked'];
  return told({ path: target.path, branch: target.branch, messages, more: { locked: false } });
}

/** A folder that was moved by hand is not known by its new place yet, so it is not looked for among those that are. */
export async function repairWorktree({ repo, call, given }: WorktreePlace): Promise<Answer> {
  const text = given.text('worktree_path');
  const path = text === '' ? null : givenPath(text, call.cwd, call.env);
  const messages = await repairWorktrees(repo, path);
  return told({ path, messages: messages.length === 0 ? ['nothing was broken'] : messages });
}
