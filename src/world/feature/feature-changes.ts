import { HARDENED, runGit } from '../git/run/run-git.ts';
import { missingFilters, withoutFilters } from '../git/run/missing-filters.ts';
import { isUntouched } from '../setup/carry-files.ts';
import type { CarriedFile } from '../worktrees/feature-note.ts';

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
