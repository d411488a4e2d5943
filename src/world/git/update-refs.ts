import { join, relative } from 'node:path';
import { AppError } from '../../core/errors.ts';
import { filesBelow, textIfThere } from '../processes/read-if-there.ts';
import { lockInTheWay } from './dead-lock.ts';
import { deleteLooseRef } from './loose-refs.ts';
import { readRefFile } from './ref-files.ts';
import type { GitView } from './view.ts';

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

/** Names of refs, read from files instead of by a process: most of the time there is nothing to find. */
export function refsBelow(view: GitView, prefix: string): readonly string[] {
  const top = view.refsDir;
  const loose = filesBelow(join(top, prefix))
    .filter((file) => !file.endsWith('.lock'))
    .map((file) => relative(top, file));
  const packed = textIfThere(join(top, 'packed-refs'))
    .split('\n')
    .map((line) => line.slice(line.indexOf(' ') + 1))
    .filter((name) => name.startsWith(`${prefix}/`));
  return [...new Set([...loose, ...packed])];
}
