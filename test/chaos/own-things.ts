import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import type { Scene } from './scene.ts';

/** One line per thing of the user's that nobody else may change, by what it is called. */
export type OwnThings = ReadonlyMap<string, string>;

/** Their worktree, branches, stashes, hooks and configuration, byte for byte. */
export function ownThings({ git, repo }: Scene, worktree: string): OwnThings {
  const things = new Map<string, string>();
  const refs = git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads', 'refs/stash', 'refs/tags');
  for (const line of refs.split('\n')) {
    const [name = '', commit = ''] = line.split(' ');
    if (name !== 'refs/heads/main' && !/^refs\/heads\/(ralph|restored)\//.test(name)) things.set(name, commit);
  }
  const common = join(repo, '.git');
  const admin = join(common, 'worktrees', 'own');
  const files = ['config', 'logs/refs/stash', 'info/exclude'].map((name) => join(common, name));
  const admins = ['HEAD', 'gitdir', 'commondir', 'index', 'logs/HEAD'].map((name) => join(admin, name));
  for (const path of [...files, ...admins, ...below(join(common, 'hooks')), ...below(worktree)])
    if (existsSync(path)) things.set(path, digest(path));
  return things;
}

/** What is not as it was, in words. */
export function ownComplaints(before: OwnThings, after: OwnThings): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => `the user's ${name} was ${before.get(name) ?? 'absent'} and is ${after.get(name) ?? 'gone'}`);
}

function digest(path: string): string {
  const mode = (statSync(path).mode & 0o777).toString(8);
  return `${mode} ${createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16)}`;
}

function below(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? below(path) : [path];
  });
}
