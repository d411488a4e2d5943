import { basename } from 'node:path';
import { type Sha, sha } from '../../core/model/ids.ts';
import type { GitView } from '../git/run/view.ts';
import { adminDirOf } from '../git/files/worktree-admin.ts';
import { readReflog } from '../git/trace/reflog.ts';
import { type KeepPlace, type WorktreeOrder, keepCommit } from './keep.ts';

const WHY = 'it was left on no branch, and only the reflog of its worktree knew it';

/** How git notes down that a commit was made there. Merely stood upon, it is somebody else's, or a candidate of ours. */
const MADE = /^(commit|merge|cherry-pick|revert|rebase|am|pull)\b/;

/**
 * Keeps what was made in a worktree and no ref reaches: commits made while detached, then left. git forgets them with the worktree.
 * They are not what the loop came to, so they have a name of their own. Gives the ids of the keeps.
 */
export async function keepLeft(place: KeepPlace, order: WorktreeOrder): Promise<readonly string[]> {
  const adminDir = adminDirOf(place.repo, order.path);
  if (adminDir === null) return [];
  const made = readReflog(adminDir, 'HEAD').flatMap(({ to, message }) => (MADE.test(message) ? [to] : []));
  const { act, together = null } = order;
  const name = `${order.loop ?? basename(order.branch ?? order.path)}-left`;
  const ids: string[] = [];
  for (const commit of await unreachedTips(place.view, made))
    ids.push((await keepCommit(place, { commit, name, act, why: WHY, together })).id);
  return ids;
}

/** Those that hold all others which no ref reaches. */
async function unreachedTips(view: GitView, commits: readonly Sha[]): Promise<readonly Sha[]> {
  const asked = [...new Set(commits)].filter((commit) => !/^0+$/.test(commit));
  if (asked.length === 0) return [];
  // A reflog outlives the objects it names.
  const args = ['rev-list', '--parents', '--ignore-missing', '--stdin', '--not', '--all'];
  const { stdout } = await view.run(args, { input: `${asked.join('\n')}\n` });
  const lines = stdout.split('\n').map((line) => line.split(' '));
  const parents = new Set(lines.flatMap(([, ...above]) => above));
  return lines.flatMap(([commit = '']) => (commit === '' || parents.has(commit) ? [] : [sha(commit)]));
}
