import { createHash } from 'node:crypto';
import { lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ifThere, namesIfThere, readIfThere } from '../os/read-if-there.ts';

/** A file of the git folder that decides what git does or runs. */
export interface GitFile {
  readonly mode: number;
  readonly hash: string;
  /** Git replaces its config by renaming, so a file written in place keeps its number. */
  readonly ino: number;
  /** That number is given again, often to git's second write; 0 where the file system does not know. */
  readonly birthMs: number;
  readonly mtimeMs: number;
  /** Base64; null: too large to copy. */
  readonly copy: string | null;
}

/** By path, from the git folder. */
export type GitFiles = Readonly<Record<string, GitFile>>;

const NAMES = ['config', 'config.worktree', 'info/attributes', 'info/grafts', 'info/exclude'];
const COPY_BYTES_MAX = 256 * 1024;

export function lookAtGitFiles(commonDir: string): GitFiles {
  const found: Record<string, GitFile> = {};
  for (const name of [...NAMES, ...worktreeConfigsIn(commonDir), ...hooksIn(commonDir)]) {
    const file = lookAtFile(join(commonDir, name));
    if (file !== null) found[name] = file;
  }
  return found;
}

/** Samples are never run. */
const hooksIn = (commonDir: string): readonly string[] =>
  namesIfThere(join(commonDir, 'hooks'))
    .filter((name) => !name.endsWith('.sample'))
    .map((name) => `hooks/${name}`);

/** Settings of one linked worktree each. */
const worktreeConfigsIn = (commonDir: string): readonly string[] =>
  namesIfThere(join(commonDir, 'worktrees')).map((name) => `worktrees/${name}/config.worktree`);

export function lookAtFile(path: string): GitFile | null {
  const stat = ifThere(() => lstatSync(path, { throwIfNoEntry: false }));
  if (stat === undefined || stat.isDirectory()) return null;
  const bytes = stat.isSymbolicLink() ? Buffer.from(readlinkSync(path)) : readIfThere(path);
  if (bytes === null) return null;
  return {
    mode: stat.mode,
    hash: createHash('sha256').update(bytes).digest('hex'),
    ino: stat.ino,
    birthMs: stat.birthtimeMs,
    mtimeMs: stat.mtimeMs,
    copy: bytes.length <= COPY_BYTES_MAX ? bytes.toString('base64') : null,
  };
}

export const isSameFile = (one: GitFile | undefined, other: GitFile | null | undefined): boolean =>
  one?.hash === other?.hash && one?.mode === other?.mode;
