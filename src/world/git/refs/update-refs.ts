import { join, relative, dirname } from 'node:path';
import { closeSync, openSync, rmSync, rmdirSync } from 'node:fs';
import { AppError } from '../../../core/model/errors.ts';
import { sha } from '../../../core/model/ids.ts';
import type { Sha } from '../../../core/model/ids.ts';
import { filesBelow, textIfThere, readIfThere } from '../../os/read-if-there.ts';
import { lockInTheWay } from '../run/dead-lock.ts';
import { OBJECT_ID, readRefFile } from './ref-files.ts';
import type { GitView } from '../run/view.ts';

/** All or none, in one process; nothing to do costs none. */
export async function updateRefs(view: GitView, changes: readonly string[]): Promise<void> {
  if (changes.length === 0) return;
  try {
    await transact(view, changes);
  } catch (error) {
    const lock = error instanceof AppError ? lockInTheWay(error.facts.join('\n')) : null;
    if (lock?.endsWith('/packed-refs.lock') !== true) throw error;
    // git locks all packed refs for every deletion, also of what is not among them: somebody's killed `git gc` would stop us.
    await transact(
      view,
      changes.filter((change) => !isDeleted(view, change)),
    );
  }
}

function isDeleted(view: GitView, change: string): boolean {
  const ref = /^delete (\S+)/.exec(change)?.[1];
  const commit = ref === undefined ? null : readRefFile(view.refsDir, ref);
  return ref !== undefined && commit != null && deleteLooseRef(view, ref, commit);
}

async function transact(view: GitView, changes: readonly string[]): Promise<void> {
  if (changes.length === 0) return;
  const lines = changes.flatMap((change) => ['option no-deref', change]);
  await view.run(['update-ref', '--stdin'], { input: ['start', ...lines, 'commit', ''].join('\n') });
}

/**
 * Refs and what they name, read from files instead of by a process: most of the time there is nothing to find. Damaged ones are left
 * out. Loose ones first: packing writes the packed file before it removes them, and a loose one is the newer one.
 */
export function refValuesBelow(view: GitView, prefix: string): ReadonlyMap<string, Sha> {
  const top = view.refsDir;
  const loose = new Map(looseBelow(top, prefix).map((ref) => [ref, textIfThere(join(top, ref)).trimEnd()]));
  const packed = textIfThere(join(top, 'packed-refs'))
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap(([id = '', ref = '']) => (ref.startsWith(`${prefix}/`) ? [[ref, id] as const] : []));
  const found = [...new Map([...packed, ...loose])];
  return new Map(found.flatMap(([ref, id]) => (OBJECT_ID.test(id) ? [[ref, sha(id)] as const] : [])));
}

/** Names of refs, damaged ones too. */
export function refsBelow(view: GitView, prefix: string): readonly string[] {
  const top = view.refsDir;
  const packed = textIfThere(join(top, 'packed-refs'))
    .split('\n')
    .map((line) => line.slice(line.indexOf(' ') + 1))
    .filter((name) => name.startsWith(`${prefix}/`));
  return [...new Set([...looseBelow(top, prefix), ...packed])];
}

const looseBelow = (top: string, prefix: string): readonly string[] =>
  filesBelow(join(top, prefix))
    .filter((file) => !file.endsWith('.lock'))
    .map((file) => relative(top, file));

/**
 * Deletes a ref of ours that lies in a file of its own and nowhere else, by git's own rules: its lock first. False: only
 * git can do it (packed, locked, moved).
 */
export function deleteLooseRef(view: GitView, ref: string, commit: Sha): boolean {
  const file = join(view.refsDir, ref);
  const lock = `${file}.lock`;
  try {
    if (readIfThere(join(view.refsDir, 'packed-refs'))?.includes(` ${ref}\n`) === true) return false;
    closeSync(openSync(lock, 'wx'));
  } catch {
    return false;
  }
  try {
    if (textIfThere(file).trimEnd() !== commit) return false;
    rmSync(file);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(lock, { force: true });
    removeIfEmpty(dirname(file));
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Somebody else keeps something there.
  }
}
