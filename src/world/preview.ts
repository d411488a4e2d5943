import { chmodSync, closeSync, constants, lstatSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../core/errors.ts';
import type { Sha, TaskId } from '../core/ids.ts';
import { isAncestor } from './git/merge.ts';
import { readFileAt, replaceFile, treeOf, writeBlob } from './git/tree-edit.ts';
import type { GitView } from './git/view.ts';
import type { Integration, TrackerFile } from './world.ts';

export interface PreviewPlace {
  readonly view: GitView;
  readonly tracker: TrackerFile;
}

/**
 * The tree that landing `head` makes while integration stays where it is: a branch that holds all of integration merges to
 * itself, and only the tracker is ours. Null: only the merge itself can tell.
 */
export async function preview(
  { view, tracker }: PreviewPlace,
  integration: Sha,
  { head, tick }: { readonly head: Sha; readonly tick: TaskId | null },
): ReturnType<Integration['preview']> {
  if (!(await isAncestor(view, integration, head))) return null;
  const plain = { tree: await treeOf(view, head), trackerText: null };
  if (tick === null) return plain;
  const before = await readFileAt(view, integration, tracker.path);
  if (before === null) return plain;
  const text = tracker.tick(before, tick) ?? before;
  try {
    const tree = await replaceFile(view, plain.tree, tracker.path, await writeBlob(view, text));
    return { tree, trackerText: tree === plain.tree ? null : text };
  } catch (error) {
    // The branch made something else than a file of it: landing will say so.
    if (error instanceof AppError && error.code === 'E_TASKS_UNSAFE') return null;
    throw error;
  }
}

/** Writes the tracker inside a worktree: never through a link, symbolic or hard, for an agent may have put one there. */
export function showTracker(worktree: string, tracker: string, text: string): void {
  const names = tracker.split('/');
  let at = worktree;
  for (const name of names.slice(0, -1)) {
    at = join(at, name);
    const kind = lstatSync(at, { throwIfNoEntry: false });
    if (kind === undefined) mkdirSync(at);
    else if (!kind.isDirectory()) throw unsafe(tracker, at);
  }
  const file = join(worktree, tracker);
  const kind = lstatSync(file, { throwIfNoEntry: false });
  if (kind?.isFile() === false) throw unsafe(tracker, file);
  rmSync(file, { force: true });
  const fd = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o666);
  try {
    writeFileSync(fd, text);
  } finally {
    closeSync(fd);
  }
  if (kind !== undefined) chmodSync(file, kind.mode & 0o777);
}

function unsafe(tracker: string, found: string): AppError {
  return new AppError('E_TASKS_UNSAFE', `${tracker} cannot be written: ${found} is not what it should be.`, {
    remedy: `ls -ld '${found}'`,
  });
}
