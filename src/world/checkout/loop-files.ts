import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isAncestor, mergeBases } from '../git/merge/merge.ts';
import { readChanges } from '../git/objects/raw-changes.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import { readRef } from '../git/refs/refs.ts';
import { snapshotWorktree } from '../git/files/snapshot.ts';
import { treeOf } from '../git/objects/trees.ts';
import { withChanges } from './commit-in-place.ts';
import { gitDirOf, readInPlaceNote } from './in-place-note.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Loop } from '../../core/model/model.ts';
import type { Repository } from '../git/run/repository.ts';
import type { GitView } from '../git/run/view.ts';

/** What a loop has made by now, committed or not. */
export interface LoopFiles {
  readonly tree: Sha;
  /** What that is to be compared with; null: where its branch left the target. */
  readonly base: Sha | null;
  readonly path: string;
}

/** Null: it has no folder to work in. What was a person's in their checkout when a loop began there is not part of it. */
export async function readLoopFiles(
  repo: Repository,
  view: GitView,
  loop: Pick<Loop, 'id' | 'branch' | 'worktree' | 'place'>,
  target: string,
): Promise<LoopFiles | null> {
  const path = loop.worktree;
  if (path === null || !existsSync(join(path, '.git'))) return null;
  const files = await snapshotWorktree(repo, path);
  const note = loop.place.at === 'checkout' ? readInPlaceNote(repo, loop.id) : null;
  if (note === null) return { tree: files, base: null, path };
  const head = readHeadFile(repo.commonDir, gitDirOf(repo, path));
  const mine = new Set(note.mine);
  const isOwn = head?.branch === loop.branch && head.commit !== null;
  // Upon the branch of somebody else its commits do not stand yet: all that is new since it began is its doing, but what landed.
  const from = isOwn ? head.commit : await startOf(view, note.start, head?.commit ?? null, target);
  const changes = (await readChanges(view, await treeOf(view, from), files)).filter(({ path: at }) => !mine.has(at));
  const tree = await withChanges({ repo, view }, await treeOf(view, from), changes);
  return { tree, base: isOwn ? null : from, path };
}

/** Where the loop began, or what others have landed below it since. */
async function startOf(view: GitView, start: Sha, head: Sha | null, target: string): Promise<Sha> {
  const integration = await readRef(view, `refs/paralph/int/${target}`);
  if (head === null || integration === null) return start;
  const [landed = start] = await mergeBases(view, integration, head);
  return (await isAncestor(view, start, landed)) ? landed : start;
}
