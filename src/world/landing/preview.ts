import { AppError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import { withEdits } from '../trackers/branch-tracker.ts';
import { commitTree } from '../git/objects/commit.ts';
import { unsigned } from '../git/run/identity.ts';
import type { Identity } from '../git/run/identity.ts';
import { isAncestor } from '../git/merge/merge.ts';
import { readFileAt, replaceFile, treeOf, writeBlob } from '../git/objects/trees.ts';
import type { GitView } from '../git/run/view.ts';
import { tickerFor } from '../trackers/tracker-file.ts';
import type { Tracker } from '../contract/tracker.ts';
import type { BuildOptions, Integration } from '../contract/world.ts';

export interface PreviewPlace {
  readonly view: GitView;
  readonly tracker: Tracker;
  readonly identity: Identity;
}

/**
 * The tree that landing `head` makes while integration stays where it is: a branch that holds all of integration merges to
 * itself, and only the tracker is ours. Null: only the merge itself can tell.
 */
export async function preview(
  place: PreviewPlace,
  integration: Sha,
  { head, tick, tracker: named }: Pick<BuildOptions, 'head' | 'tick' | 'tracker'>,
): ReturnType<Integration['preview']> {
  const { view, identity } = place;
  const tracker = tickerFor(place.tracker, named);
  if (!(await isAncestor(view, integration, head))) return null;
  const plain = { tree: await treeOf(view, head), commit: null };
  if (tick === null) return plain;
  const before = await readFileAt(view, integration, tracker.path);
  if (before === null) return plain;
  const branch = { fork: integration, head, task: tick, path: tracker.path };
  const edited = await withEdits(view, before, branch);
  const text = (await tracker.tick(edited, tick)) ?? edited;
  try {
    const tree = await replaceFile(view, plain.tree, tracker.path, await writeBlob(view, text));
    if (tree === plain.tree) return plain;
    const message = 'What would land, for the gates\n';
    return { tree, commit: await commitTree(view, { tree, parents: [head], message, identity: unsigned(identity) }) };
  } catch (error) {
    // The branch made something else than a file of it: landing will say so.
    if (error instanceof AppError && error.code === 'E_TASKS_UNSAFE') return null;
    throw error;
  }
}
