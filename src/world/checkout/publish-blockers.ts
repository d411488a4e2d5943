import { type Stats, lstatSync, readdirSync } from 'node:fs';
import { ignoredOf } from '../git/files/ignore-files.ts';
import { type Change, foldersAbove, onDisk, shown } from '../git/objects/raw-changes.ts';
import { HARDENED, runGitBytes } from '../git/run/run-git.ts';

/** Paths are bytes as latin1 characters, like those of changes. */
type Kinds = Map<string, string>;

const LISTED_MAX = 50;

/** Local files that the changes would touch, each with its kind: `a.ts (modified)`. Empty: the changes touch nothing of the user's. */
export async function findBlockers(
  worktree: string,
  changes: readonly Change[],
  local?: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const blockers: Kinds = new Map();
  const places = placesOf(changes);
  for (const [path, kind] of local ?? (await localChanges(worktree))) {
    if (
      places.changed.has(path) ||
      places.folders.has(path) ||
      foldersAbove(path).some((folder) => places.added.has(folder))
    ) {
      blockers.set(path, kind);
    }
  }
  const strangers = inTheWay(worktree, changes).filter((path) => !blockers.has(path));
  const ignored = await ignoredOf(worktree, strangers);
  for (const path of strangers) blockers.set(path, ignored.has(path) ? 'ignored' : 'untracked');
  return [...blockers].map(([path, kind]) => `${shown(path)} (${kind})`).sort();
}

function placesOf(changes: readonly Change[]) {
  const after = changes.filter((change) => change.after !== null);
  return {
    changed: new Set(changes.map((change) => change.path)),
    added: new Set(after.map((change) => change.path)),
    folders: new Set(after.flatMap((change) => foldersAbove(change.path))),
  };
}

/** What is modified, staged or deleted of the files git tracks here. */
export async function localChanges(worktree: string, untracked: 'no' | 'all' = 'no'): Promise<Kinds> {
  const args = ['status', '--porcelain=v2', '-z', '--no-renames', `--untracked-files=${untracked}`];
  const { stdout } = await runGitBytes([...HARDENED, ...args], { cwd: worktree });
  const kinds: Kinds = new Map();
  for (const line of stdout.toString('latin1').split('\0')) {
    const fields = line.split(' ');
    const unstaged = fields[1]?.[1] ?? '.';
    if (line.startsWith('1 ')) kinds.set(fields.slice(8).join(' '), kindOf(unstaged));
    if (line.startsWith('u ')) kinds.set(fields.slice(10).join(' '), 'conflicted');
    if (line.startsWith('? ')) kinds.set(line.slice(2), 'untracked');
  }
  return kinds;
}

function kindOf(unstaged: string): string {
  if (unstaged === 'D') return 'deleted';
  return unstaged === '.' || unstaged === 'A' ? 'staged' : 'modified';
}

/** Files git does not track that stand where a change puts a file or needs a folder. */
function inTheWay(worktree: string, changes: readonly Change[]): readonly string[] {
  const found = new Set<string>();
  const leaving = new Set(changes.filter((change) => change.after === null).map((change) => change.path));
  const folders = new Map<string, 'folder' | 'file' | 'absent'>();
  const look = (folder: string): 'folder' | 'file' | 'absent' => {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const stat = statOf(worktree, folder);
    const what = stat === null ? 'absent' : stat.isDirectory() ? 'folder' : 'file';
    folders.set(folder, what);
    return what;
  };
  for (const { path, before, after } of changes) {
    if (before !== null || after === null) continue;
    const edge = foldersAbove(path).find((folder) => look(folder) !== 'folder');
    if (edge !== undefined) {
      if (look(edge) === 'file' && !leaving.has(edge)) found.add(edge);
      continue;
    }
    const stat = statOf(worktree, path);
    if (stat === null) continue;
    if (!stat.isDirectory()) found.add(path);
    else for (const file of filesBelow(worktree, path)) if (!leaving.has(file)) found.add(file);
    if (found.size >= LISTED_MAX) break;
  }
  return [...found].slice(0, LISTED_MAX);
}

/** Every file below a folder, with its path from the root of the worktree. */
export function filesBelow(worktree: string, folder: string): readonly string[] {
  return readdirSync(onDisk(worktree, folder), { encoding: 'latin1', withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(worktree, path) : [path];
  });
}

/** What stands at a path; null when nothing does. */
export function statOf(worktree: string, path: string): Stats | null {
  try {
    return lstatSync(onDisk(worktree, path));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/** Why git refused, in its own words, and the paths it named. */
export function refusalIn(stderr: string): { readonly why: string; readonly paths: readonly string[] } {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const paths = lines.filter((line) => line.startsWith('\t')).map((line) => line.trim());
  return { why: (lines[0] ?? 'git refused').replace(/^(error|fatal): /, ''), paths };
}
