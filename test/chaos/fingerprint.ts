import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

import { gitIn } from '../e2e/harness/git.ts';
import { plainEnvironment } from '../world/scratch.ts';

/** One line for each thing of the user's, by what it is called. */
export interface Fingerprint {
  readonly things: ReadonlyMap<string, string>;
  /** The branch they stand on, which publishing may move forward; null: none. */
  readonly branch: string | null;
  readonly head: string;
}

const OURS = /^refs\/(paralph|heads\/ralph)\//;
const LOCKED_BY_US = /^paralph/;

/** What nobody but the user may change: their refs, stash, configuration, hooks, worktrees, and every file they have not committed. */
export function fingerprint(repo: string): Fingerprint {
  const git = gitIn(repo, plainEnvironment() as Record<string, string>);
  const branch = /^ref: (.+)$/.exec(readFileSync(join(repo, '.git/HEAD'), 'utf8').trim())?.[1] ?? null;
  const things = new Map<string, string>([['HEAD', branch ?? 'no branch']]);
  for (const line of git('for-each-ref', '--format=%(refname) %(objectname)').split('\n')) {
    const [name = '', commit = ''] = line.split(' ');
    if (name !== '' && name !== branch && !OURS.test(name)) things.set(name, commit);
  }
  const common = join(repo, '.git');
  const named = ['config', 'config.worktree', 'logs/refs/stash', 'info/exclude', 'info/attributes'];
  for (const path of named.map((name) => join(common, name))) if (existsSync(path)) things.set(path, digest(path));
  for (const path of [...below(join(common, 'hooks')), ...usersWorktrees(common)]) things.set(path, digest(path));
  // What is staged, changed or new, and what it holds.
  for (const line of git('status', '--porcelain', '-z', '--no-renames', '--untracked-files=all').split('\0')) {
    const path = join(repo, line.slice(3));
    if (line !== '') things.set(`uncommitted ${line.slice(3)}`, `${line.slice(0, 2)} ${digest(path)}`);
  }
  return { things, branch, head: git('rev-parse', 'HEAD') };
}

export interface Change {
  readonly name: string;
  readonly was: string | undefined;
  readonly is: string | undefined;
  readonly text: string;
}

/** What is not as it was. */
export function changedThings(before: Fingerprint, after: Fingerprint): readonly Change[] {
  const names = new Set([...before.things.keys(), ...after.things.keys()]);
  return [...names].flatMap((name) => {
    const [was, is] = [before.things.get(name), after.things.get(name)];
    const text = `the user's ${name} was ${was ?? 'absent'} and is ${is ?? 'gone'}`;
    return was === is ? [] : [{ name, was, is, text }];
  });
}

/** Admin files and files of worktrees that we did not lock. */
function usersWorktrees(common: string): string[] {
  const folder = join(common, 'worktrees');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.flatMap((name) => {
    const admin = join(folder, name);
    const locked = contentOf(join(admin, 'locked'));
    if (LOCKED_BY_US.test(locked)) return [];
    const files = contentOf(join(admin, 'gitdir'))
      .trim()
      .replace(/\/\.git$/, '');
    return [...below(admin), ...(files === '' ? [] : below(files))];
  });
}

function contentOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function below(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? below(path) : [path];
  });
}

function digest(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 'absent';
  const content = stat.isSymbolicLink() ? readlinkSync(path) : stat.isFile() ? readFileSync(path) : 'no file';
  return `${(stat.mode & 0o777).toString(8)} ${createHash('sha256').update(content).digest('hex').slice(0, 16)}`;
}
