import type { Sha } from '../../core/model/ids.ts';
import { mergeBase } from '../git/merge/merge.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { missingFilters, withoutFilters } from '../git/run/missing-filters.ts';
import { isUntouched } from '../setup/carry-files.ts';
import type { GitView } from '../git/run/view.ts';
import type { CarriedFile } from '../worktrees/feature-note.ts';

/**
 * How many commits of a head are on none of the tips. None, too, if a tip holds every change of them in another form, as after
 * a squash or a rebase. Reads only.
 */
export async function countUnlanded(view: GitView, head: Sha, tips: readonly Sha[]): Promise<number> {
  const input = [head, ...tips.map((tip) => `^${tip}`), ''].join('\n');
  const count = Number((await view.run(['rev-list', '--count', '--stdin'], { input })).stdout.trim());
  if (count === 0) return 0;
  for (const tip of tips) if (await isContained(view, head, tip)) return 0;
  return count;
}

/** Whether every file a head changed is on the tip exactly as the head has it. */
async function isContained(view: GitView, head: Sha, tip: Sha): Promise<boolean> {
  const base = await mergeBase(view, head, tip);
  if (base === null) return false;
  const ours = await changesBetween(view, base, head);
  if (ours.size === 0) return false;
  const theirs = await changesBetween(view, base, tip);
  return [...ours].every(([path, now]) => theirs.get(path) === now);
}

async function changesBetween(view: GitView, from: Sha, to: Sha): Promise<ReadonlyMap<string, string>> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', from, to];
  const fields = (await view.bytes(args)).stdout.toString('latin1').split('\0');
  const found = new Map<string, string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = '', , id = ''] = (fields[at] ?? '').split(' ');
    found.set(fields[at + 1] ?? '', `${mode} ${id}`);
  }
  return found;
}

export interface Distance {
  readonly ahead: number;
  readonly behind: number;
}

/** How far a head is from where work lands. */
export async function distance(view: GitView, head: Sha, from: Sha): Promise<Distance> {
  const { stdout } = await view.run(['rev-list', '--left-right', '--count', `${from}...${head}`]);
  const [behind = 0, ahead = 0] = stdout.trim().split(/\s+/).map(Number);
  return { ahead, behind };
}

export interface Upstream extends Distance {
  readonly name: string;
  /** The branch it followed is not there any more. */
  readonly isGone: boolean;
}

/** The branch of a remote that a branch follows; null: none. */
export async function upstreamOf(view: GitView, branch: string): Promise<Upstream | null> {
  const format = '--format=%(upstream:short)%00%(upstream:track,nobracket)';
  const { stdout } = await view.run(['for-each-ref', format, `refs/heads/${branch}`]);
  const [name = '', track = ''] = stdout.split('\n')[0]?.split('\0') ?? [];
  if (name === '') return null;
  const count = (word: string): number => Number(new RegExp(`${word} (\\d+)`).exec(track)?.[1] ?? 0);
  return { name, ahead: count('ahead'), behind: count('behind'), isGone: track === 'gone' };
}

export interface Changes {
  readonly staged: number;
  readonly unstaged: number;
  readonly untracked: number;
  readonly conflicts: number;
  readonly isClean: boolean;
  /** `2 staged, 1 untracked`; empty: clean. */
  readonly text: string;
}

/** What in a worktree is not committed. Files that came along and were not touched since are nobody's work. */
export async function countChanges(path: string, carried: readonly CarriedFile[]): Promise<Changes> {
  const flags = withoutFilters(await missingFilters(path));
  const args = ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=none'];
  const { stdout } = await runGit([...HARDENED, ...flags, ...args], { cwd: path });
  const lines = stdout.split('\0');
  const brought = new Map(carried.map((file) => [file.path, file]));
  let [staged, unstaged, untracked, conflicts] = [0, 0, 0, 0];
  for (const line of lines) {
    const [kind, state = ''] = line.split(' ', 2);
    if (kind === 'u') conflicts += 1;
    if (kind === '1' && state[0] !== '.') staged += 1;
    if (kind === '1' && state[1] !== '.') unstaged += 1;
    const file = kind === '?' ? brought.get(line.slice(2)) : undefined;
    if (kind === '?' && (file === undefined || !isUntouched(path, file))) untracked += 1;
  }
  const counts = { staged, unstaged, untracked, conflicts };
  const told = Object.entries(counts).filter(([, count]) => count > 0);
  return { ...counts, isClean: told.length === 0, text: told.map(([what, count]) => `${count} ${what}`).join(', ') };
}
