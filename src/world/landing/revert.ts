import type { Sha, TaskId } from '../../core/model/ids.ts';
import { isFile, pathOf } from '../../core/model/tasks.ts';
import { markTask } from '../../text/trackers/mark-task.ts';
import { trackerKindOf } from '../../text/trackers/tracker-names.ts';
import { mergeInMemory } from '../git/merge/merge.ts';
import { settleByRule } from '../git/merge/settle-conflicts.ts';
import { commitTree } from '../git/objects/commit.ts';
import { readFileAt, replaceFile, treeOf, writeBlob } from '../git/objects/trees.ts';
import { unsigned } from '../git/run/identity.ts';
import type { Identity } from '../git/run/identity.ts';
import type { GitView } from '../git/run/view.ts';

export interface RevertOrder {
  /** What landed, and what integration was before that. */
  readonly commit: Sha;
  readonly before: Sha;
  readonly integration: Sha;
  readonly tracker: string;
  readonly task: TaskId;
  readonly message: string;
}

export type Reverted =
  | { readonly head: Sha; readonly tree: Sha; readonly isUnticked: boolean }
  /** What landed since stands on the same lines. */
  | { readonly conflicts: readonly string[] }
  /** Nothing of it is left to undo. */
  | { readonly head: null };

/** A commit on integration that takes back what one landing brought, and opens its task. No checkout is touched. */
export async function makeRevert(
  { view, identity }: { readonly view: GitView; readonly identity: Identity },
  order: RevertOrder,
): Promise<Reverted> {
  const { commit, before, integration, tracker } = order;
  const isThere = isFile(tracker) && (await readFileAt(view, commit, tracker)) !== null;
  // The task file is ours to edit: what others did in it since is no conflict.
  const back = isThere
    ? await withFileOf(view, await treeOf(view, before), commit, tracker)
    : await treeOf(view, before);
  const message = 'As it was before\n';
  const undone = await commitTree(view, { tree: back, parents: [commit], message, identity: unsigned(identity) });
  const merged = await settleByRule(view, await mergeInMemory(view, integration, undone), {
    trackerPath: pathOf(tracker),
  });
  if (!merged.clean) return { conflicts: merged.paths };
  const open = isThere ? await unticked(view, integration, order) : null;
  const tree = open === null ? merged.tree : await replaceFile(view, merged.tree, tracker, await writeBlob(view, open));
  if (tree === (await treeOf(view, integration))) return { head: null };
  const head = await commitTree(view, { tree, parents: [integration], message: order.message, identity });
  return { head, tree, isUnticked: open !== null };
}

async function withFileOf(view: GitView, tree: Sha, commit: Sha, path: string): Promise<Sha> {
  const text = await readFileAt(view, commit, path);
  return text === null ? tree : replaceFile(view, tree, path, await writeBlob(view, text));
}

/** Null: there is no box to open in it. */
async function unticked(view: GitView, integration: Sha, { tracker, task }: RevertOrder): Promise<string | null> {
  const text = await readFileAt(view, integration, tracker);
  const marked = text === null ? null : markTask(trackerKindOf(tracker) ?? 'markdown', text, task, 'open');
  return marked?.ok === true ? marked.text : null;
}
