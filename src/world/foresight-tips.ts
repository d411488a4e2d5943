import { AppError } from '../core/errors.ts';
import type { LoopId, Sha } from '../core/ids.ts';
import { type LivePlace, type LiveWorktree, lookAtLive, snapshotLive } from './git/live-worktree.ts';
import { type PathChanges, readChanges } from './git/path-changes.ts';
import { plainCommitId } from './git/throwaway-commits.ts';
import type { ThrowawayObjects } from './git/throwaway-objects.ts';
import { treeOf } from './git/tree-edit.ts';
import { errnoOf } from './processes/system-failure.ts';
import type { Foresight } from './world.ts';

export type WatchedLoop = Parameters<Foresight['look']>[0]['loops'][number];

/** A loop's work as it is now, as a commit. */
export interface Tip {
  readonly loop: LoopId;
  readonly base: Sha;
  readonly commit: Sha;
  readonly changes: PathChanges;
  /** Null: the commit is in the repository. Else it has to be written aside before it can be merged. */
  readonly aside: Snapshot | null;
}

export interface Snapshot {
  readonly live: LiveWorktree;
  readonly tree: Sha;
  /** Its objects are there; one that is merely remembered has none. */
  readonly written: boolean;
}

/** What one look learnt, for the next one. Each look makes its own from what it used, so it never grows. */
export interface Seen {
  readonly trees: Map<string, Sha>;
  readonly changes: Map<string, PathChanges>;
  /** Paths that conflict, by the commits that were merged. */
  readonly clashes: Map<string, readonly string[]>;
}

export const nothingSeen = (): Seen => ({ trees: new Map(), changes: new Map(), clashes: new Map() });

export interface Look {
  readonly place: LivePlace;
  readonly before: Seen;
  readonly now: Seen;
  readonly objects: () => ThrowawayObjects;
}

/** Not a bug: somebody removed, locked or changed what we looked at, or the disk is full. */
export const isOfTheWorld = (error: unknown): boolean => error instanceof AppError || errnoOf(error) !== null;

/** Null: nothing can be said of this one now. */
export async function tipOf(look: Look, watched: WatchedLoop): Promise<Tip | null> {
  const { loop, base } = watched;
  const live = watched.dirty ? await lookAtLive(look.place, watched.path) : null;
  if (watched.dirty && live === null) return null;
  if (live === null)
    return { loop, base, commit: watched.head, changes: await changesBetween(look, base, watched.head), aside: null };
  const key = `${live.path}\0${live.mark}`;
  const seen = look.before.trees.get(key);
  // A remembered tree has no objects any more: what must be known of it has to be remembered with it.
  const known = seen !== undefined && look.before.changes.has(`${base} ${seen}`) ? seen : undefined;
  const tree = known ?? (await snapshotLive(look.place.view, live, look.objects()));
  look.now.trees.set(key, tree);
  const changes = await changesBetween(look, base, tree, known === undefined ? look.objects() : null);
  if (tree === (await treeOf(look.place.view, live.head)))
    return { loop, base, commit: live.head, changes, aside: null };
  const commit = plainCommitId({ tree, parents: [live.head] });
  return { loop, base, commit, changes, aside: { live, tree, written: known === undefined } };
}

export async function changesBetween(
  { place, before, now }: Look,
  from: Sha,
  to: Sha,
  objects: ThrowawayObjects | null = null,
): Promise<PathChanges> {
  const key = `${from} ${to}`;
  const known = now.changes.get(key) ?? before.changes.get(key);
  const args = ['diff-tree', '-r', '-z', '--name-status', '--no-renames', from, to];
  const changes = known ?? readChanges((await place.view.bytes(args, { env: objects?.env ?? {} })).stdout);
  now.changes.set(key, changes);
  return changes;
}
