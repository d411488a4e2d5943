import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';

/** One short hash per thing, so that a difference names what changed. */
export type Fingerprint = Readonly<Record<string, string>>;

const OURS = /^refs\/(paralph|heads\/ralph)\//;

/** Everything of a user's checkout that no run may change behind their back. */
export function fingerprint(dir: string): Fingerprint {
  const print: Record<string, string> = {};
  for (const path of filesBelow(dir, (name) => name === '.git' || name === '.ralph' || /^\.beads(?:$|\.)/.test(name))) {
    print[`file:${relative(dir, path)}`] = hashOf(path);
  }
  const common = join(dir, '.git');
  for (const name of ['HEAD', 'index', 'config', 'info/exclude', 'logs/refs/stash', 'config.worktree']) {
    if (existsSync(join(common, name))) print[`git:${name}`] = hashOf(join(common, name));
  }
  for (const path of filesBelow(join(common, 'hooks'))) print[`hook:${relative(common, path)}`] = hashOf(path);
  for (const [name, id] of refsIn(common)) print[`ref:${name}`] = id;
  return print;
}

/** Refs that are not ours. Read without git: this is asked before and after each command. */
function refsIn(common: string): ReadonlyMap<string, string> {
  const packed = join(common, 'packed-refs');
  const lines = existsSync(packed) ? readFileSync(packed, 'utf8').split('\n') : [];
  const refs = new Map<string, string>();
  for (const [, id = '', name = ''] of lines.map((line) => /^([0-9a-f]{40,}) (.+)$/.exec(line) ?? []))
    if (name !== '' && !OURS.test(name)) refs.set(name, id);
  // Those of ours come and go while a host is at work.
  const isOurs = (name: string): boolean => name === 'paralph' || name === 'ralph' || name.endsWith('.lock');
  for (const path of filesBelow(join(common, 'refs'), isOurs))
    refs.set(relative(common, path), readFileSync(path, 'utf8').trim());
  return refs;
}

/** The commit a checkout stands at; null: none yet, or no repository. */
export function headOf(dir: string): string | null {
  const common = join(dir, '.git');
  if (!existsSync(join(common, 'HEAD'))) return null;
  const head = readFileSync(join(common, 'HEAD'), 'utf8').trim();
  return head.startsWith('ref: ') ? (refsIn(common).get(head.slice(5)) ?? null) : head;
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
