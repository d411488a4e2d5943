import { reach } from '../os/failpoint.ts';
import { deleteLooseRef, refsBelow, updateRefs } from '../git/refs/update-refs.ts';
import { isAncestor } from '../git/merge/merge.ts';
import { readRefFile } from '../git/refs/ref-files.ts';
import { readRef } from '../git/refs/refs.ts';
import { KEPT, nameKept } from './list-keeps.ts';
import type { LoopId, Sha } from '../../core/model/ids.ts';
import type { GitView } from '../git/run/view.ts';

const TRAINS = 'refs/paralph/cand';
const SHORT_DIGITS = 12;

/** Stands as long as the train may land: who takes it away takes the train's right to land. */
export const holdOf = (fence: number): string => `${TRAINS}/${fence}/0`;

/** Names a train's commits, so that nothing collects them while they are tested. One train at a time: all others have ended. */
export async function holdTrain(view: GitView, fence: number, commits: readonly Sha[]): Promise<void> {
  const own = `${TRAINS}/${fence}`;
  const wanted = new Map([...new Set(commits)].map((commit, index) => [`${own}/${index}`, commit]));
  const there = refsBelow(view, TRAINS);
  const missing = [...wanted].filter(([ref, commit]) => readRefFile(view.refsDir, ref) !== commit);
  const stale = there.filter((ref) => !wanted.has(ref));
  await updateRefs(view, [
    ...stale.map((ref) => `delete ${ref}`),
    ...missing.map(([ref, commit]) => `update ${ref} ${commit}`),
  ]);
  reach('train.held');
}

/** Which of these commits no ref of the train names any more. */
export function unheldCommits(view: GitView, fence: number, commits: readonly Sha[]): readonly Sha[] {
  const held = refsBelow(view, `${TRAINS}/${fence}`).map((ref) => readRefFile(view.refsDir, ref));
  return commits.filter((commit) => !held.includes(commit));
}

/** No train is under way: nothing below needs to stay. */
export async function releaseTrains(view: GitView): Promise<void> {
  await updateRefs(
    view,
    refsBelow(view, TRAINS).map((ref) => `delete ${ref}`),
  );
  reach('train.released');
}

/** Names a head by itself, so that it stays whatever happens to its branch. */
export function pin(view: GitView, loop: LoopId, head: Sha): Promise<string> {
  return nameKept(view, { name: loop, commit: head, reason: 'paralph: ready', durable: false });
}

/** Lets go of what a landed loop had pinned and what its landing, or the pin of its last head, holds anyway. */
export async function unpin(
  view: GitView,
  { loop, head, landed }: { readonly loop: LoopId; readonly head: Sha; readonly landed: Sha },
): Promise<void> {
  const isLanded = await isAncestor(view, head, landed);
  // Squashed or replayed, the branch itself is in nobody's history: its head stays under a ref of ours.
  if (!isLanded) await pin(view, loop, head);
  const spare: string[] = [];
  for (const ref of pinsOf(view, loop, head)) {
    const commit = await readRef(view, ref);
    if (commit === null || (commit === head && !isLanded)) continue;
    if ((await isAncestor(view, commit, head)) || (await isAncestor(view, commit, landed)))
      if (!deleteLooseRef(view, ref, commit)) spare.push(`delete ${ref} ${commit}`);
  }
  await updateRefs(view, spare);
}

/** Only names made of a commit's digits: what else is kept there was not pinned. */
function pinsOf(view: GitView, loop: LoopId, head: Sha): readonly string[] {
  const folder = `${KEPT}/${loop}`;
  const inside = refsBelow(view, folder).filter((ref) => /^[0-9a-f]{12}$/.test(ref.slice(folder.length + 1)));
  return [...inside, `${folder}-${head.slice(0, SHORT_DIGITS)}`];
}
