import { join, dirname } from 'node:path';
import { randomUUID } from 'node:crypto';
import { chmodSync, closeSync, mkdirSync, openSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { isSameFile, lookAtFile } from './git-files.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Repository } from '../git/run/repository.ts';
import type { Checkout } from './checkout.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { Scene } from './scene.ts';
import type { ConfigKeys, GitFile } from './git-files.ts';

/** Files that can make git run something when it writes files. */
const RUNS_FILTERS = ['config', 'config.worktree', 'info/attributes'];

/** Nothing was edited or staged: all there was is in the commit. */
const isPristine = (checkout: Checkout | null): boolean =>
  checkout !== null &&
  checkout.isIndexHead &&
  !checkout.isCut &&
  !Object.values(checkout.dirty).some((state) => state.startsWith('M '));

/**
 * Brings the user's checkout from a leaked commit back to its own. Only if it held nothing but its commit before and holds nothing
 * but the leaked one now; git itself looks at every file once more, and new files stay. Null: a person has to.
 */
export function restoreCheckout(
  scene: Scene,
  { from, to, back, said }: { from: Sha; to: Sha; back: () => Promise<boolean>; said: string },
): (() => Promise<string | null>) | null {
  if (!isPristine(scene.before.checkout) || !isPristine(scene.after.checkout)) return null;
  return async () => {
    if (!isConfigKept(scene) || !(await readTree(scene, from, to))) return null;
    if (await back()) return said;
    await readTree(scene, to, from);
    return null;
  };
}

/** Index and files go from one commit to another; false: something local is in the way, and nothing was changed. */
async function readTree({ place }: Scene, from: Sha, to: Sha): Promise<boolean> {
  const args = [...HARDENED, 'read-tree', '-m', '-u', from, to];
  return (await runGit(args, { cwd: place.repo.root, ok: [0, 1, 128] })).code === 0;
}

interface ConfigBefore {
  readonly place: { readonly repo: Repository };
  readonly before: Pick<Fingerprint, 'files'>;
}

/** What the agent changed there has been put back, so that no filter of its making runs. */
export function isConfigKept({ place, before }: ConfigBefore): boolean {
  return RUNS_FILTERS.every((name) => isSameFile(before.files[name], lookAtFile(join(place.repo.commonDir, name))));
}

const LINK = 0o120000;
const KIND = 0o170000;

/** Makes a file what it was, if it is still what the agent left. Under git's own lock, so that nobody writes to it meanwhile. */
export function putBackFile(path: string, before: GitFile | undefined, left: GitFile | undefined): boolean {
  if (before !== undefined && before.copy === null) return false;
  return underLock(path, () => {
    if (!isSameFile(left, lookAtFile(path))) return false;
    if (before === undefined) rmSync(path, { force: true });
    else replace(path, Buffer.from(before.copy ?? '', 'base64'), before.mode);
    return true;
  });
}

/** Makes single settings what they were, and leaves the others as they are. */
export async function putBackKeys(
  path: string,
  left: GitFile | undefined,
  keys: readonly string[],
  values: ConfigKeys,
): Promise<boolean> {
  if (left === undefined || left.copy === null) return false;
  const draft = `${path}.paralph-${randomUUID()}`;
  const config = (...args: readonly string[]): ReturnType<typeof runGit> =>
    runGit([...HARDENED, 'config', '--file', draft, ...args], { cwd: dirname(path), ok: [0, 5] });
  try {
    writeFileSync(draft, Buffer.from(left.copy, 'base64'), { mode: left.mode & 0o777, flag: 'wx' });
    for (const key of keys) {
      await config('--unset-all', key);
      for (const value of values.get(key) ?? []) await config('--add', key, value);
    }
    return underLock(path, () => {
      if (!isSameFile(left, lookAtFile(path))) return false;
      renameSync(draft, path);
      return true;
    });
  } finally {
    rmSync(draft, { force: true });
  }
}

export function replace(path: string, bytes: Buffer, mode: number): void {
  const draft = `${path}.paralph-${randomUUID()}`;
  try {
    if ((mode & KIND) === LINK) symlinkSync(bytes.toString(), draft);
    else {
      writeFileSync(draft, bytes, { flag: 'wx' });
      chmodSync(draft, mode & 0o7777);
    }
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

export function underLock(path: string, act: () => boolean): boolean {
  const lock = `${path}.lock`;
  let handle: number;
  try {
    mkdirSync(dirname(path), { recursive: true });
    handle = openSync(lock, 'wx', 0o600);
  } catch {
    return false;
  }
  try {
    return act();
  } finally {
    closeSync(handle);
    rmSync(lock, { force: true });
  }
}
