import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { shortLine } from '../../text/screen/clean.ts';
import { plainView } from '../git/run/view.ts';
import { preflight } from '../git/files/preflight.ts';
import { listRefs } from '../git/refs/refs.ts';
import { adminDirOf, operationIn, realpathLoose } from '../git/files/worktree-admin.ts';
import { LOCK_REASON, readLoopNote } from '../worktrees/loop-notes.ts';
import { listWorktrees } from '../worktrees/worktrees.ts';
import { countChanges, countUnlanded, distance, upstreamOf } from './unlanded.ts';
import { readFeatureNote, FEATURE_LOCK } from '../worktrees/feature-note.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Repository } from '../git/run/repository.ts';
import type { GitView } from '../git/run/view.ts';
import type { Worktree } from '../worktrees/worktrees.ts';
import type { Changes, Distance, Upstream } from './unlanded.ts';
import type { FeatureNote } from '../worktrees/feature-note.ts';

export interface FeatureStatus {
  readonly name: string;
  readonly path: string;
  /** Null: HEAD is detached. */
  readonly branch: string | null;
  readonly head: Sha | null;
  readonly isMain: boolean;
  /** Whose it is: a loop's, one that `ralph` made for a person, or one that a person made. */
  readonly ours: 'loop' | 'feature' | 'yours';
  /** What is not committed; null: its folder is missing or git cannot read it. */
  readonly changes: Changes | null;
  /** A merge, rebase or the like that was begun and not ended. */
  readonly operation: string | null;
  /** From the branch that work lands on; null: there is none. */
  readonly target: ({ readonly name: string } & Distance) | null;
  readonly upstream: Upstream | null;
  /** Commits that have not landed; null: nobody can tell. */
  readonly unlanded: number | null;
  readonly locked: string | null;
  readonly missing: boolean;
  /** Why git cannot read it. */
  readonly broken: string | null;
  readonly note: FeatureNote | null;
  /** The commit it was made from; null: nobody noted it. */
  readonly base: string | null;
}

interface Around {
  readonly repo: Repository;
  readonly view: GitView;
  readonly target: { readonly name: string; readonly tip: Sha } | null;
  /** What everything landed is reached from. */
  readonly landed: readonly Sha[];
}

const AT_ONCE = 4;

/** Every worktree of the repository and what each holds, the main checkout first. Changes nothing. */
export async function listFeatures(
  repo: Repository,
  options: { readonly target?: string | null } = {},
): Promise<readonly FeatureStatus[]> {
  const around = await lookAround(repo, options.target ?? null);
  const worktrees = await listWorktrees(repo);
  const found: FeatureStatus[] = [];
  for (let at = 0; at < worktrees.length; at += AT_ONCE)
    found.push(...(await Promise.all(worktrees.slice(at, at + AT_ONCE).map((one) => statusOf(around, one)))));
  return found;
}

async function lookAround(repo: Repository, wanted: string | null): Promise<Around> {
  const view = plainView(repo);
  try {
    const { target, targetSha } = await preflight(repo, wanted);
    const landed = [targetSha, ...(await listRefs(view, 'refs/paralph/int/')).values()];
    return { repo, view, target: { name: target, tip: targetSha }, landed };
  } catch (error) {
    // A repository without commits or without that branch has worktrees all the same.
    if (!(error instanceof AppError) || !['E_NO_COMMITS', 'E_NO_TARGET'].includes(error.code)) throw error;
    return { repo, view, target: null, landed: [] };
  }
}

async function statusOf({ repo, view, target, landed }: Around, worktree: Worktree): Promise<FeatureStatus> {
  const { path, branch, head, locked } = worktree;
  const adminDir = adminDirOf(repo, path);
  const isMain = adminDir === null;
  const note = isMain ? null : readFeatureNote(adminDir);
  const missing = !existsSync(join(path, '.git'));
  const changes = missing ? null : await countChanges(path, note?.carried ?? []).catch(asProblem);
  // One whose history has a hole must not keep a person from seeing all the others.
  const measured = await measure(view, { head, target, landed, branch }).catch(asProblem);
  const { from, unlanded, upstream } = typeof measured === 'string' ? UNKNOWN : measured;
  return {
    name: note?.name ?? nameOf(repo, adminDir, path),
    path,
    branch,
    head,
    isMain,
    ours: whose(locked, note),
    changes: typeof changes === 'string' ? null : changes,
    operation: operationIn(adminDir ?? repo.commonDir),
    target: from === null || target === null ? null : { name: target.name, ...from },
    upstream,
    unlanded,
    locked,
    missing,
    broken: [changes, measured].find((one) => typeof one === 'string') ?? null,
    note,
    base: note?.base ?? (isMain ? null : (readLoopNote(adminDir)?.base ?? null)),
  };
}

interface Measured {
  readonly from: Distance | null;
  readonly unlanded: number | null;
  readonly upstream: Upstream | null;
}

const UNKNOWN: Measured = { from: null, unlanded: null, upstream: null };

async function measure(
  view: GitView,
  {
    head,
    target,
    landed,
    branch,
  }: Pick<Around, 'target' | 'landed'> & { readonly head: Sha | null; readonly branch: string | null },
): Promise<Measured> {
  const upstream = branch === null ? null : await upstreamOf(view, branch);
  if (head === null || target === null) return { ...UNKNOWN, upstream };
  return {
    from: await distance(view, head, target.tip),
    unlanded: await countUnlanded(view, head, landed),
    upstream,
  };
}

function nameOf(repo: Repository, adminDir: string | null, path: string): string {
  if (adminDir === null) return basename(realpathLoose(repo.root));
  return readLoopNote(adminDir)?.loop ?? basename(path);
}

function whose(locked: string | null, note: FeatureNote | null): FeatureStatus['ours'] {
  if (locked?.startsWith(FEATURE_LOCK) === true || note?.isOurs === true) return 'feature';
  return locked?.startsWith(LOCK_REASON) === true ? 'loop' : 'yours';
}

function asProblem(error: unknown): string {
  if (!(error instanceof AppError)) throw error;
  return shortLine(error.facts[0] ?? error.message, 200);
}
