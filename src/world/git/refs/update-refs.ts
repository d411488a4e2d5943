import { join, relative } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import { sha } from '../../../core/model/ids.ts';
import type { Sha } from '../../../core/model/ids.ts';
import { filesBelow, textIfThere } from '../../os/read-if-there.ts';
import { lockInTheWay } from '../run/dead-lock.ts';
import { deleteLooseRef } from './loose-refs.ts';
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
