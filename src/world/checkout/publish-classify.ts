import { closeSync, openSync, readSync, readlinkSync } from 'node:fs';
import { type Change, GITLINK, SYMLINK, type Side, onDisk, shown } from '../git/objects/raw-changes.ts';
import { filesBelow, statOf } from './publish-blockers.ts';
import { HARDENED, runGitBytes } from '../git/run/run-git.ts';
import type { GitView } from '../git/run/view.ts';

/** What an interrupted publish left of one file. `half`: git had begun to write it. `foreign`: neither git nor the commit explains it. */
export type Remains = 'before' | 'after' | 'half' | 'absent' | 'foreign';

export interface Classified {
  readonly change: Change;
  readonly remains: Remains;
}

/** What is on disk is what a publish makes of it. */
export const isAsPublished = ({ change, remains }: Classified): boolean =>
  remains === 'after' || (remains === 'absent' && change.after === null);

/** Tells from the content alone whose each file is. Reads everything, changes nothing. */
export async function classify(
  worktree: string,
  view: GitView,
  changes: readonly Change[],
): Promise<readonly Classified[]> {
  const known = new Set(changes.map((change) => change.path));
  const plain: Change[] = [];
  const classified: Classified[] = [];
  for (const change of changes) {
    const stat = statOf(worktree, change.path);
    if (stat === null) classified.push({ change, remains: 'absent' });
    else if (stat.isDirectory()) classified.push({ change, remains: folderRemains(worktree, change, known) });
    else if (stat.isSymbolicLink()) classified.push({ change, remains: await linkRemains(worktree, view, change) });
    else if (stat.isFile()) plain.push(change);
    else classified.push({ change, remains: 'foreign' });
  }
  const ids = await contentIds(worktree, plain);
  for (const [at, change] of plain.entries()) {
    classified.push({ change, remains: await fileRemains(worktree, change, ids[at] ?? '') });
  }
  return classified;
}

/** A folder may stand where a file was or will be; whatever in it is not part of the change is somebody else's. */
function folderRemains(worktree: string, change: Change, known: ReadonlySet<string>): Remains {
  if (change.before?.mode === GITLINK) return 'before';
  if (change.after?.mode === GITLINK) return 'after';
  return filesBelow(worktree, change.path).every((file) => known.has(file)) ? 'absent' : 'foreign';
}

async function linkRemains(worktree: string, view: GitView, change: Change): Promise<Remains> {
  const target = readlinkSync(onDisk(worktree, change.path), { encoding: 'buffer' });
  const leadsThere = async (side: Side | null): Promise<boolean> =>
    side?.mode === SYMLINK && (await view.bytes(['cat-file', 'blob', side.id])).stdout.equals(target);
  if (await leadsThere(change.before)) return 'before';
  return (await leadsThere(change.after)) ? 'after' : 'foreign';
}

async function fileRemains(worktree: string, change: Change, id: string): Promise<Remains> {
  const { before, after } = change;
  const executable = ((statOf(worktree, change.path)?.mode ?? 0) & 0o100) !== 0;
  const is = (side: Side | null): boolean => side?.id === id && side.mode !== SYMLINK;
  if (is(before) && is(after)) return executable === (before?.mode === '100755') ? 'before' : 'after';
  if (is(before)) return 'before';
  if (is(after)) return 'after';
  return after !== null && (await isBeginningOf(worktree, change.path, after)) ? 'half' : 'foreign';
}

/** git truncates a file before it writes it, so a kill may leave any beginning of the new content, also none of it. */
async function isBeginningOf(worktree: string, path: string, after: Side): Promise<boolean> {
  if (after.mode === GITLINK) return false;
  const size = statOf(worktree, path)?.size ?? 0;
  const args = ['cat-file', '--filters', `--path=${shown(path)}`, after.id];
  const { stdout } = await runGitBytes([...HARDENED, ...args], { cwd: worktree });
  if (size >= stdout.length) return false;
  return read(onDisk(worktree, path), size).equals(stdout.subarray(0, size));
}

function read(file: Buffer, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  const handle = openSync(file, 'r');
  try {
    for (let at = 0; at < size;) {
      const count = readSync(handle, bytes, at, size - at, at);
      if (count === 0) break;
      at += count;
    }
  } finally {
    closeSync(handle);
  }
  return bytes;
}

/** The ids git would give the files as they are on disk, line endings and filters undone. */
export async function contentIds(worktree: string, changes: readonly Change[]): Promise<readonly string[]> {
  const ids = new Map<string, string>();
  const lines = changes.filter((change) => !change.path.includes('\n'));
  const input = Buffer.from(lines.map((change) => `${change.path}\n`).join(''), 'latin1');
  const listed = await runGitBytes([...HARDENED, 'hash-object', '--stdin-paths'], { cwd: worktree, input });
  const answers = listed.stdout.toString('latin1').split('\n');
  for (const [at, change] of lines.entries()) ids.set(change.path, answers[at] ?? '');
  for (const { path } of changes.filter((change) => change.path.includes('\n'))) {
    const single = await runGitBytes([...HARDENED, 'hash-object', '--', shown(path)], { cwd: worktree });
    ids.set(path, single.stdout.toString('latin1').trim());
  }
  return changes.map((change) => ids.get(change.path) ?? '');
}
