import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { reach } from '../os/failpoint.ts';
import { withMutex } from '../processes/mutex.ts';
import { ownIdentity } from '../processes/identity.ts';
import { isAncestor } from '../git/merge/merge.ts';
import { findBlockers, localChanges, refusalIn } from './publish-blockers.ts';
import { readChanges, shown } from '../git/objects/raw-changes.ts';
import { acceptSame } from './publish-same.ts';
import { editing, heal } from './publish-heal.ts';
import { removeJournal, writeJournal, mergeCommand } from './publish-journal.ts';
import { branchUsers } from '../worktrees/branch-users.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import { trackerKindOf } from '../../text/trackers/tracker-names.ts';
import { readRef } from '../git/refs/refs.ts';
import { HARDENED, runGit, whyFilter } from '../git/run/run-git.ts';
import { syncFilesystem } from '../os/disk.ts';
import { operationIn } from '../git/files/worktree-admin.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Published } from '../contract/outcomes.ts';
import type { Change } from '../git/objects/raw-changes.ts';
import type { EditedTracker } from './publish-edited.ts';

import type { BranchUser } from '../worktrees/branch-users.ts';
import type { Repository } from '../git/run/repository.ts';
import type { GitView } from '../git/run/view.ts';

interface Move {
  readonly target: string;
  readonly from: Sha;
  readonly to: Sha;
}

const ANY_EXIT = Array.from({ length: 256 }, (_, code) => code);

/** Moves the user's branch forward to what landed, and its checkout with it, but only if no local file is touched by that. */
export function publish(
  repo: Repository,
  view: GitView,
  options: { readonly target: string; readonly to: Sha },
): Promise<Published> {
  return withMutex(mutexOf(repo), async () => {
    const healed = await heal(repo, view);
    reach('publish.begun');
    if (typeof healed === 'object') return blocked('an earlier publish was cut short', healed.hands_off);
    const { target, to } = options;
    const from = await readRef(view, `refs/heads/${target}`);
    if (from === null)
      throw new AppError('E_NO_TARGET', `the branch ${target} does not exist`, {
        remedy: `git branch ${shellWord(target)} ${to}`,
      });
    if (await isAncestor(view, to, from)) return { outcome: 'current' };
    if (!(await isAncestor(view, from, to))) return { outcome: 'diverged', now: from };
    return forward(repo, view, { target, from, to }).catch(blockedByFilter);
  });
}

const mutexOf = (repo: Repository): string => join(repo.stateDir, 'locks', 'publish-journal');

const blocked = (why: string, paths: readonly string[] = []): Published => ({ outcome: 'blocked', why, paths });

/** Without it git cannot tell which files the user has changed. */
function blockedByFilter(error: unknown): Published {
  if (!(error instanceof AppError) || error.code !== 'E_FILTER_MISSING') throw error;
  return blocked(`${error.message}: ${error.remedy}`);
}

async function forward(repo: Repository, view: GitView, move: Move): Promise<Published> {
  const users = await branchUsers(repo, move.target);
  const [user] = users;
  if (user === undefined) return forwardRef(repo, view, move);
  if (users.length > 1) {
    return blocked(
      `${move.target} is checked out in ${users.length} places: ${users.map(({ path }) => path).join(', ')}`,
    );
  }
  if (!existsSync(user.path)) return blocked(`${move.target} belongs to a worktree that is missing: ${user.path}`);
  const operation = operationIn(user.gitDir);
  if (operation !== null) return blocked(`a ${operation} is under way in ${user.path}`);
  const lock = join(user.gitDir, 'index.lock');
  if (existsSync(lock))
    return blocked(`another git command holds ${lock}, or left it when it was killed: then rm ${shellWord(lock)}`);
  const changes = await readChanges(view, move.from, move.to);
  const local = await localChanges(user.path);
  const blockers = await findBlockers(user.path, changes, local);
  const { left, edited } = await clearWay(user.path, view, { ...move, changes }, blockers);
  if (left.length > 0) return blocked(`local files in ${user.path} are in the way`, left);
  const besides = await untouched(user.path, view, { ...move, changes }, [...local.keys()]);
  return forwardCheckout(repo, view, { ...move, edited: [...edited, ...besides] }, user);
}

interface Way {
  readonly left: readonly string[];
  readonly edited: readonly EditedTracker[];
}

/** What is in the way by its name need not be: it may be the same already, or a task file whose edit takes the ticks. */
async function clearWay(
  worktree: string,
  view: GitView,
  move: Move & { readonly changes: readonly Change[] },
  blockers: readonly string[],
): Promise<Way> {
  if (blockers.length === 0) return { left: [], edited: [] };
  const left = await acceptSame(worktree, view, move, blockers);
  const edited = left.length === 0 ? [] : await (await editing()).findEdited(worktree, view, move, left);
  if (edited.length === 0) return { left, edited };
  const isEdited = (path: string): boolean => edited.some((one) => one.path === path);
  const rest = blockers.filter((line) => !isEdited(line.replace(/ \([a-z]+\)$/, '')));
  const changes = move.changes.filter(({ path }) => !isEdited(shown(path)));
  return { left: rest.length === 0 ? [] : await acceptSame(worktree, view, { ...move, changes }, rest), edited };
}

/** Edited files that the landings did not change, and that may all the same have the one line of what landed. */
async function untouched(
  worktree: string,
  view: GitView,
  move: Move & { readonly changes: readonly Change[] },
  local: readonly string[],
): Promise<readonly EditedTracker[]> {
  const changed = new Set(move.changes.map(({ path }) => path));
  const meant = local.filter((path) => !changed.has(path) && trackerKindOf(path) !== null);
  return meant.length === 0 ? [] : (await editing()).findUnticked(worktree, view, move, meant);
}

/** Nobody stands on it, so there are no files to move. Through plain git: the move goes into the reflog under the user's own name. */
async function forwardRef(repo: Repository, view: GitView, { target, from, to }: Move): Promise<Published> {
  const ref = `refs/heads/${target}`;
  const args = ['update-ref', '--no-deref', '-m', 'paralph: publish', ref, to, from];
  const { code, stderr } = await runGit([...HARDENED, ...args], { cwd: repo.commonDir, ok: [0, 1, 128] });
  reach('publish.ref');
  if (code === 0) {
    await syncFilesystem(join(repo.commonDir, 'refs'));
    return { outcome: 'published', to };
  }
  const now = await readRef(view, ref);
  return now === null || now === from ? blocked(refusalIn(stderr).why) : { outcome: 'diverged', now };
}

async function forwardCheckout(
  repo: Repository,
  view: GitView,
  move: Move & Pick<Way, 'edited'>,
  user: BranchUser,
): Promise<Published> {
  const { edited } = move;
  writeJournal(repo, { ...move, worktree: user.path, gitDir: user.gitDir, by: ownIdentity() });
  reach('publish.journal');
  // git merges into whatever stands there by then.
  if (readHeadFile(repo.commonDir, user.gitDir)?.branch !== move.target) {
    removeJournal(repo);
    return blocked(`${user.path} has just left ${move.target}`);
  }
  if (edited.length > 0 && !(await (await editing()).stagePublished(user.path, edited))) {
    removeJournal(repo);
    return blocked(
      `the index of ${user.path} could not be written`,
      edited.map(({ path }) => path),
    );
  }
  reach('publish.staged');
  const stderr = await merge(user.path, move.to);
  reach('publish.merged');
  const now = await readRef(view, `refs/heads/${move.target}`);
  if (now === move.to) {
    if (edited.length > 0) await (await editing()).tickEdited(user.path, view, move, edited);
    // git flushes no files of a checkout: after a power cut the user would find theirs empty.
    await syncFilesystem(user.path);
    removeJournal(repo);
    reach('publish.done');
    return { outcome: 'published', to: move.to };
  }
  // Usually it refused and touched nothing, but it may also have been killed or run out of disk.
  const healed = await heal(repo, view);
  if (typeof healed === 'object') return blocked('git stopped half-way', healed.hands_off);
  if (now !== null && now !== move.from) return { outcome: 'diverged', now };
  const missing = await whyFilter(stderr, user.path);
  if (missing !== null) throw missing;
  const { why, paths } = refusalIn(stderr);
  return blocked(why, paths);
}

/** When we are killed nobody reads what git prints, and a word of progress would kill it too, half-way. */
const QUIET = { GIT_PROGRESS_DELAY: '1000000', GIT_REFLOG_ACTION: 'paralph publish' };

async function merge(worktree: string, to: Sha): Promise<string> {
  try {
    const { stderr } = await runGit([...HARDENED, ...mergeCommand(to)], { cwd: worktree, env: QUIET, ok: ANY_EXIT });
    return stderr;
  } catch (error) {
    if (error instanceof AppError) return [error.message, ...error.facts].join('\n');
    throw error;
  }
}
