import { deleteRef, moveRef } from '../git/refs/refs.ts';
import { findMovedRefs } from './refs-moved.ts';
import type { MovedRef } from './refs-moved.ts';
import { isMadeBy, readReflog } from '../git/trace/reflog.ts';
import { restoreCheckout } from './restore-checkout.ts';
import { short } from './scene.ts';
import type { Finding, Scene } from './scene.ts';

const WHY = 'paralph: an agent moved it from inside its worktree';

/** Branches and other refs that the agent moved or deleted. */
export function findRefs(scene: Scene): readonly Finding[] {
  return findMovedRefs(scene).map((moved) => {
    const restore = restorerOf(scene, moved);
    // What is not certain to be put back must stay reachable.
    const kept = [moved.leaked, restore === null || moved.to === null ? moved.from : null];
    return { did: describe(moved), keep: kept.filter((one) => one !== null).map((commit) => ({ commit })), restore };
  });
}

const titleOf = (ref: string): string =>
  ref.replace(/^refs\/heads\//, 'the branch ').replace(/^refs\/tags\//, 'the tag ');

function describe({ ref, from, to, leaked, isLast }: MovedRef): string {
  if (to === null) return `deleted ${titleOf(ref)}, which was at ${short(from ?? '')}`;
  if (from === null) return `made ${titleOf(ref)} at ${short(to)}`;
  const moved = `moved ${titleOf(ref)} from ${short(from)} to ${short(leaked ?? to)}`;
  return isLast ? moved : `${moved}, and later work builds on it`;
}

function restorerOf(scene: Scene, moved: MovedRef): Finding['restore'] {
  const { ref, from, to, isLast } = moved;
  const { view, repo } = scene.place;
  if (!isLast) return null;
  const back = async (): Promise<boolean> => {
    if (from === null) return to !== null && (await deleteRef(view, ref, to));
    return (await moveRef(view, ref, from, to, WHY)).moved;
  };
  const said = from === null ? `all without ${titleOf(ref)}` : `${titleOf(ref)} at ${short(from)}`;
  const plain = async (): Promise<string | null> => ((await back()) ? said : null);
  if (to === null || from === null) return plain;
  const wasIn = moved.gitDirs.filter((dir) => dir !== scene.before.own?.adminDir && dir !== repo.commonDir);
  // Committed in a worktree where somebody else works: its index and files hold it too.
  if (wasIn.some((dir) => scene.before.worktrees[dir]?.head.trim() === `ref: ${ref}`)) return null;
  if (scene.before.head.trim() !== `ref: ${ref}`) return plain;
  if (scene.after.head !== scene.before.head) return null;
  const isIndexKept = scene.after.checkout?.indexHash === scene.before.checkout?.indexHash;
  // Who works in the checkout made its files, and they stay.
  if (isIndexKept) return plain;
  if (scene.iteration.inPlace === true) return isItsAlone(scene, moved) ? plain : null;
  return restoreCheckout(scene, { from: to, to: from, back, said: `${said}, its files and index` });
}

/** Nobody else moved it since, so going back takes nothing of theirs along. */
function isItsAlone({ place, trace }: Scene, { ref, from }: MovedRef): boolean {
  const entries = readReflog(place.repo.commonDir, ref);
  return entries.slice(entries.findLastIndex(({ to }) => to === from) + 1).every((entry) => isMadeBy(trace, entry));
}
