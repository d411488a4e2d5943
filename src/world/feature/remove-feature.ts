import { existsSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { outlastGit } from '../git/run/dead-lock.ts';
import { readRef } from '../git/refs/refs.ts';
import { adminDirOf, realpathLoose } from '../git/files/worktree-admin.ts';
import { healWorktreeEntries } from '../keep/heal-entries.ts';
import { openKeep, takeAway } from '../keep/take-away.ts';
import { writeTakenNote } from '../keep/undo.ts';
import { cannotWrite } from '../os/errno.ts';
import { readLoopLock } from '../checkout/loop-lock.ts';
import { readLoopNote } from '../worktrees/loop-notes.ts';
import { standsIn, findAllMarked } from '../processes/find-processes.ts';
import { FEATURE_LOCK, REMOVING, withFeaturePlace } from '../worktrees/feature-note.ts';
import { emptySubmodules, requireSafeSubmodules } from '../worktrees/submodules.ts';
import { begunRemoval } from '../worktrees/removals.ts';
import { processSource } from '../processes/process-source.ts';
import { listFeatures } from './feature-status.ts';
import type { Settings } from '../../core/model/settings.ts';
import type { Repository } from '../git/run/repository.ts';
import type { Kept } from '../keep/keep.ts';
import type { FeatureStatus } from './feature-status.ts';

interface RemoveOrder {
  readonly target: FeatureStatus;
  /** What is not committed or has not landed is kept, and goes. */
  readonly force: boolean;
  readonly keepBranch: boolean;
  /** The same for everything that one call takes away. */
  readonly together?: string;
  readonly settings: Settings;
}

export interface RemovedFeature {
  readonly name: string;
  readonly path: string;
  readonly branch: string | null;
  /** The id of what was kept; null: there was nothing at all. */
  readonly kept: string | null;
  /** Uncommitted files in it. */
  readonly files: number;
  /** The ids of what else was kept: commits that were left there on no branch. */
  readonly left: readonly string[];
  readonly branchGone: boolean;
  /** The command that brings it back; null: there is nothing to bring back. */
  readonly restore: string | null;
}

const GIT_ENDS_MS = 10_000;

/** Takes a worktree away after its work was kept. Cut short anywhere, it can be done again. */
export async function removeFeature(repo: Repository, order: RemoveOrder): Promise<RemovedFeature> {
  const { target, force } = order;
  const why = whyStays(repo, target);
  if (why !== null) throw why;
  const holds = whatItHolds(target);
  if (holds !== null && !force) throw unlanded(target, holds);
  return withFeaturePlace(repo, target.path, async () => {
    await healWorktreeEntries(repo);
    const busy = await outlastGit({ folder: realpathLoose(target.path), mentions: null }, GIT_ENDS_MS);
    if (busy.length > 0) throw new AppError('E_BUSY', `git (process ${busy[0]}) works in ${target.path}`);
    if (existsSync(join(target.path, '.git')))
      await emptySubmodules(target.path, await requireSafeSubmodules(target.path));
    return takeFeature(repo, order);
  });
}

async function takeFeature(repo: Repository, order: RemoveOrder): Promise<RemovedFeature> {
  const { target, force, keepBranch, settings, together = null } = order;
  const { name, path, branch } = target;
  const place = { ...(await openKeep(repo, settings)), worktreeRoot: dirname(path) };
  const isItsOwn = target.note?.isOurs === true && target.note.ownsBranch && target.note.branch === branch;
  const takesBranch = isItsOwn && !keepBranch && branch !== target.target?.name;
  lockForRemoval(repo, path);
  const why = force ? 'a person removed it by force' : 'a person removed it';
  const taken = { path, atMs: Date.now(), feature: target.note };
  const onKept = async ({ commit }: Kept): Promise<void> => writeTakenNote(repo, commit, { ...taken, isGone: false });
  const kept = await takeAway(place, { path, branch, act: 'remove', why, takesBranch, together, onKept });
  if (kept !== null) writeTakenNote(repo, kept.commit, { ...taken, isGone: true });
  const branchGone = branch !== null && (await readRef(place.view, `refs/heads/${branch}`)) === null;
  return {
    name,
    path,
    branch,
    kept: kept?.id ?? null,
    files: kept?.files ?? 0,
    left: kept?.left ?? [],
    branchGone,
    restore: kept === null ? null : restoreCommand(kept, path, branchGone ? branch : null),
  };
}

function restoreCommand({ id }: Kept, path: string, branch: string | null): string {
  const on = branch === null ? '' : ` --branch ${shellWord(branch)}`;
  return `ralph keep restore ${shellWord(id)}${on} --worktree ${shellWord(path)}`;
}

/** The door everything goes through takes only what carries a lock of ours. */
function lockForRemoval(repo: Repository, path: string): void {
  const adminDir = adminDirOf(repo, path);
  if (adminDir === null) return;
  try {
    writeFileSync(join(adminDir, 'locked'), REMOVING);
  } catch (error) {
    throw cannotWrite(adminDir, error);
  }
}

/** Why it may not go at all; null: it may. */
function whyStays(repo: Repository, target: FeatureStatus): AppError | null {
  const { name, path, locked } = target;
  const stays = (why: string, remedy: string): AppError => new AppError('E_NEEDS_PERSON', `${path} ${why}`, { remedy });
  if (target.isMain) return stays('is the main checkout, which is never removed', 'ralph worktree list');
  const adminDir = adminDirOf(repo, path);
  const note = adminDir === null ? null : readLoopNote(adminDir);
  if (target.ours === 'loop')
    return note === null
      ? stays('is kept ready for loops', 'ralph prune')
      : stays(`belongs to the loop ${note.loop}`, `ralph loops discard ${shellWord(note.loop)}`);
  if (locked !== null && !locked.startsWith(FEATURE_LOCK))
    return stays(
      `is locked${locked === '' ? '' : `: ${locked}`}`,
      `git -C ${shellWord(repo.root)} worktree unlock ${shellWord(path)}`,
    );
  const lock = readLoopLock(path);
  if (lock?.isAlive === true)
    return new AppError('E_BUSY', `the loop ${lock.holder.loop} (process ${lock.holder.pid}) works in ${name}`, {
      remedy: `ralph loops stop ${shellWord(lock.holder.loop)}`,
    });
  const folder = realpathLoose(path);
  const [agent] = findAllMarked().filter(({ identity }) => standsIn(identity.pid, folder));
  if (agent === undefined) return null;
  const whose = agent.loop === null ? '' : ` of the loop ${agent.loop}`;
  return new AppError('E_BUSY', `a process${whose} (${agent.identity.pid}) works in ${name}`, {
    remedy: agent.loop === null ? 'ralph status' : `ralph loops stop ${shellWord(agent.loop)}`,
  });
}

/** What in it would be lost without a keep, in words; null: nothing. */
function whatItHolds({ changes, operation, unlanded: commits, broken, missing }: FeatureStatus): string | null {
  if (broken !== null) return `git cannot read it: ${broken}`;
  const parts = [
    changes === null || changes.isClean ? '' : `uncommitted files (${changes.text})`,
    operation === null ? '' : `a ${operation} under way`,
    commits === null && !missing ? 'commits, and there is no branch to compare them with' : '',
    commits === null || commits === 0
      ? ''
      : commits === 1
        ? '1 commit that has not landed'
        : `${commits} commits that have not landed`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? null : parts.join(', ');
}

const unlanded = ({ name, path }: FeatureStatus, holds: string): AppError =>
  new AppError('E_UNLANDED', `${name} holds work: ${holds}`, {
    facts: [`in ${path}`, 'with --force its work is kept first and can be restored'],
    remedy: `ralph worktree remove ${shellWord(name === '' ? basename(path) : name)} --force`,
  });

interface CleanedFeatures {
  readonly removed: readonly (RemovedFeature | Pick<FeatureStatus, 'name' | 'path' | 'branch'>)[];
  readonly stays: readonly (Pick<FeatureStatus, 'name' | 'path' | 'branch'> & { readonly why: string })[];
}

/** Removes worktrees that we made for people once everything in them has landed. Those that people made are not looked at. */
export async function cleanFeatures(
  repo: Repository,
  { settings, isDryRun }: { readonly settings: Settings; readonly isDryRun: boolean },
): Promise<CleanedFeatures> {
  const removed: CleanedFeatures['removed'][number][] = [];
  const stays: CleanedFeatures['stays'][number][] = [];
  const together = randomUUID().slice(0, 8);
  const found = await listFeatures(repo, { target: settings.landing.target });
  for (const target of found.filter((one) => one.ours === 'feature' && !one.isMain)) {
    const { name, path, branch } = target;
    const why = whyWanted(repo, target);
    if (why !== null) stays.push({ name, path, branch, why });
    else if (isDryRun) removed.push({ name, path, branch });
    else
      try {
        removed.push(await removeFeature(repo, { target, force: false, keepBranch: false, settings, together }));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        stays.push({ name, path, branch, why: error.message });
      }
  }
  return { removed, stays };
}

function whyWanted(repo: Repository, target: FeatureStatus): string | null {
  const { name, path, head, note } = target;
  const refused = whyStays(repo, target);
  if (refused !== null) return refused.message;
  if (target.missing && begunRemoval(repo, path) === null)
    return `its folder is missing; to forget it: ralph worktree remove ${shellWord(name)}`;
  if (note?.isDone === false) return `its making was cut short; to end it: ralph worktree new ${shellWord(name)}`;
  const holds = whatItHolds(target);
  if (holds !== null) return `it holds ${holds}`;
  if (note !== null && note.base === head)
    return `nothing was committed in it yet; to remove it: ralph worktree remove ${shellWord(name)}`;
  const folder = realpathLoose(path);
  const [busy] = processSource.list().filter(({ pid }) => pid !== process.pid && standsIn(pid, folder));
  return busy === undefined ? null : `a process works in it (${busy.pid})`;
}
