import { type Change, indexLine, shown } from './publish-changes.ts';
import { classify } from './publish-classify.ts';
import { findBlockers } from './publish-blockers.ts';
import { HARDENED, runGit } from './run-git.ts';
import type { GitView } from './view.ts';

/**
 * Local files that are byte for byte what is published are not in its way, whoever made them: their index entries are set to
 * it, and no file is touched. What is left is in the way; if anything is, the index stays as it was.
 */
export async function acceptSame(
  worktree: string,
  view: GitView,
  changes: readonly Change[],
  blockers: readonly string[],
): Promise<readonly string[]> {
  const named = new Set(blockers.map((line) => line.replace(/ \([a-z]+\)$/, '')));
  const concerned = changes.filter(({ path }) => named.has(shown(path)));
  const seen = await classify(worktree, view, concerned);
  const same = seen.filter(
    ({ change, remains }) => remains === 'after' || (remains === 'absent' && change.after === null),
  );
  const settled = new Set(same.map(({ change }) => shown(change.path)));
  const left = blockers.filter((line) => !settled.has(line.replace(/ \([a-z]+\)$/, '')));
  if (left.length > 0 || same.length === 0) return left;
  const input = Buffer.from(same.map(({ change }) => indexLine(change)).join(''), 'latin1');
  const { code } = await runGit([...HARDENED, 'update-index', '-z', '--index-info'], {
    cwd: worktree,
    input,
    ok: [0, 1, 128],
  });
  return code === 0 ? stillInTheWay(worktree, changes, settled) : blockers;
}

/** Between the look and the index a file may have changed again. */
async function stillInTheWay(
  worktree: string,
  changes: readonly Change[],
  settled: ReadonlySet<string>,
): Promise<readonly string[]> {
  const found = await findBlockers(worktree, changes);
  return found.filter((line) => !settled.has(line.replace(/ \([a-z]+\)$/, '')) || / \(modified\)$/.test(line));
}
