import { randomUUID } from 'node:crypto';
import { chmodSync, closeSync, mkdirSync, openSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import type { ConfigKeys } from './config-keys.ts';
import { isSameFile, lookAtFile } from './git-files.ts';
import type { GitFile } from './git-files.ts';

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
