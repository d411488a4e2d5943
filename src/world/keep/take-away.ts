import { createHash } from 'node:crypto';
import { join, resolve, basename } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { reach } from '../os/failpoint.ts';
import { hasSubmodules, requireSafeSubmodules } from '../worktrees/submodules.ts';
import { withMutex } from '../processes/mutex.ts';
import { deleteRef, readRef } from '../git/refs/refs.ts';
import { begunRemoval, removeFolder } from '../worktrees/removals.ts';
import { adminDirOf, isCheckedOut, realpathLoose } from '../git/files/worktree-admin.ts';
import { carriesOurLock } from '../worktrees/loop-notes.ts';
import { isOurPlace, removeWorktree } from '../worktrees/worktrees.ts';
import { listKeeps } from './list-keeps.ts';
import type { KeepPlace, Kept, WorktreeOrder } from './keep.ts';
import { keepWorktree, keepCommit } from './keep.ts';
import { readIdentity, withSigning } from '../git/run/identity.ts';
import { openView } from '../git/run/view.ts';
import { sha } from '../../core/model/ids.ts';
import { readReflog } from '../git/trace/reflog.ts';
import type { Settings } from '../../core/model/settings.ts';
import type { Identity } from '../git/run/identity.ts';
import type { Repository } from '../git/run/repository.ts';
import type { GitView } from '../git/run/view.ts';

export interface AwayPlace extends KeepPlace {
  /** Absolute. */
  readonly worktreeRoot: string;
}

interface AwayOrder extends WorktreeOrder {
  /** Whether the branch was made by us and goes too. */
  readonly takesBranch: boolean;
  /** Comes when everything is kept and nothing is gone yet. */
  readonly onKept?: (kept: Kept) => Promise<void>;
}

/**
 * Keeps a worktree of ours and its branch, then removes them. Cut short anywhere, it can be done again. The caller has made
 * sure that no process works there.
 */
export async function takeAway(place: AwayPlace, order: AwayOrder): Promise<Kept | null> {
  requireOurs(place, order.path);
  // Whoever kept it while another one removes it would keep what is left of it.
  return withMutex(awayLock(place, order.path), async () => {
    const begun = begunRemoval(place.repo, order.path);
    const { kept, tip } = begun === null ? await keepNow(place, order) : await keptBefore(place, begun.kept);
    if (kept !== null) {
      refuseEmbedded(order.path, kept);
      await order.onKept?.(kept);
    }
    reach('clean.kept');
    await removeKept(place, order, { kept, tip });
    return kept;
  });
}

interface Before {
  readonly kept: Kept | null;
  /** Where its branch stood: whoever has moved it since keeps it. */
  readonly tip: Sha | null;
}

async function keepNow(place: AwayPlace, order: AwayOrder): Promise<Before> {
  // What an agent committed or changed in a submodule is in no keep.
  if (order.isCandidate !== true && hasSubmodules(order.path)) await requireSafeSubmodules(order.path);
  const kept = await keepWorktree(place, { ...order, always: order.always ?? true });
  // What a gate worktree stood on are candidates of ours, which can be made again.
  const left = order.always === false ? [] : await keepLeft(place, order);
  return {
    kept: kept === null ? null : { ...kept, left },
    tip: order.branch == null ? null : await readRef(place.view, `refs/heads/${order.branch}`),
  };
}

/** What is left of a worktree whose removal has begun is not its work: that was kept before. */
async function keptBefore({ view }: AwayPlace, id: string | null): Promise<Before> {
  const keep = (await listKeeps(view)).find((one) => one.id === id);
  if (keep === undefined) return { kept: null, tip: null };
  const { ref, commit, files, tip } = keep;
  return { kept: { id: keep.id, ref, commit, files, embedded: [] }, tip };
}

/** The second half, for what was kept a moment ago. */
async function removeKept(place: AwayPlace, order: AwayOrder, { kept, tip }: Before): Promise<void> {
  const { repo, worktreeRoot } = place;
  const { path, branch, takesBranch } = order;
  await removeFolder(repo, path, kept?.id ?? null);
  reach('clean.folder');
  await removeWorktree(repo, { path, worktreeRoot });
  reach('clean.entry');
  if (tip !== null && branch != null && takesBranch) await dropBranch(place, branch, tip);
  reach('clean.branch');
}

export function awayLock({ repo }: AwayPlace, path: string): string {
  const digest = createHash('sha256').update(realpathLoose(path)).digest('hex').slice(0, 16);
  return join(repo.stateDir, 'locks', `away-${digest}`);
}

/** Deletes a branch that is kept. False: somebody stands on it, or has moved it, so it stays. */
export async function dropBranch({ repo, view }: KeepPlace, branch: string, tip: Sha): Promise<boolean> {
  return !isCheckedOut(repo, branch) && (await deleteRef(view, `refs/heads/${branch}`, tip));
}

/** A worktree is ours only if it lies where ours do and carries our lock; one that git does not know is nobody's we know of. */
function requireOurs({ repo, worktreeRoot }: AwayPlace, path: string): void {
  const adminDir = adminDirOf(repo, path);
  if (isOurPlace(repo, worktreeRoot, path) && (adminDir === null || carriesOurLock(adminDir))) return;
  throw new AppError('E_NEEDS_PERSON', `${path} is not a worktree that paralph made, so it stays`, {
    remedy: `git -C ${shellWord(repo.root)} worktree list`,
  });
}

/** Refuses to remove a folder with a repository inside: its commits would be gone, and no ref of ours can name them. */
export function refuseEmbedded(path: string, { id, embedded }: Kept): void {
  const [inside] = embedded;
  if (inside === undefined) return;
  throw new AppError('E_NEEDS_PERSON', `${path} holds a repository of its own, so it stays: ${inside}`, {
    facts: [...embedded.slice(1).map((name) => `and ${name}`), `everything else in it is kept as ${id}`],
    remedy: `mv ${shellWord(join(path, inside))} somewhere safe, then try again`,
  });
}

/** Stands in for somebody who has not told git their name. */
export const NOBODY: Identity = { name: 'paralph', email: 'paralph@localhost' };

/** What the keep door needs of a repository and its settings. */
export async function openKeep(repo: Repository, settings: Settings): Promise<AwayPlace> {
  return {
    repo,
    view: await openView(repo),
    identity: await withSigning(repo, await readIdentity(repo).catch(nobody), settings.landing.sign),
    ignored: settings.keep.ignored,
    worktreeRoot: resolve(repo.root, settings.parallel.worktreeRoot),
  };
}

/** Work is kept also for somebody who has not told git their name. */
function nobody(error: unknown): Identity {
  if (error instanceof AppError && error.code === 'E_NO_IDENTITY') return NOBODY;
  throw error;
}

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
