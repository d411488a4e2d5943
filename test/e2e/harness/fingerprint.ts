import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';

import type { Git } from './git.ts';

/** One short hash per thing, so that a difference names what changed. */
export type Fingerprint = Readonly<Record<string, string>>;

const OURS = /^refs\/(paralph|heads\/ralph)\//;

/** Everything of a user's checkout that no run may change behind their back. */
export function fingerprint(dir: string, git: Git): Fingerprint {
  const print: Record<string, string> = {};
  for (const path of filesBelow(dir, (name) => name === '.git' || name === '.ralph')) {
    print[`file:${relative(dir, path)}`] = hashOf(path);
  }
  const common = join(dir, '.git');
  for (const name of ['HEAD', 'index', 'config', 'info/exclude', 'logs/refs/stash', 'config.worktree']) {
    if (existsSync(join(common, name))) print[`git:${name}`] = hashOf(join(common, name));
  }
  for (const path of filesBelow(join(common, 'hooks'))) print[`hook:${relative(common, path)}`] = hashOf(path);
  for (const line of git('for-each-ref', '--format=%(refname) %(objectname)').split('\n')) {
    const [name = '', id = ''] = line.split(' ');
    if (name !== '' && !OURS.test(name)) print[`ref:${name}`] = id;
  }
  return print;
}

/** Every file below a folder, `.git` and `.ralph` included: for commands that must change nothing at all. */
export function everything(dir: string): Fingerprint {
  return Object.fromEntries(filesBelow(dir).map((path) => [relative(dir, path), hashOf(path)]));
}

/** The names of the things that differ. */
export function differences(before: Fingerprint, after: Fingerprint): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => before[name] !== after[name]).sort();
}

function filesBelow(dir: string, skip: (name: string) => boolean = () => false): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    if (skip(entry.name)) return [];
    const path = join(dir, entry.name);
    return entry.isDirectory() ? filesBelow(path, skip) : [path];
  });
}

function hashOf(path: string): string {
  const stat = lstatSync(path);
  const kind = stat.isSymbolicLink() ? `link ${readlinkSync(path)}` : stat.isFile() ? '' : 'special';
  const content = stat.isFile() ? readFileSync(path) : kind;
  return `${(stat.mode & 0o777).toString(8)} ${createHash('sha256').update(content).digest('hex').slice(0, 16)}`;
}
