import { basename } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { type Sha, sha } from '../../core/model/ids.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import type { NewLimits } from '../../core/model/settings.ts';
import type { Identity } from '../git/run/identity.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import { readRef } from '../git/refs/refs.ts';
import type { Repository } from '../git/run/repository.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { treeOf } from '../git/objects/trees.ts';
import type { GitView } from '../git/run/view.ts';
import { adminDirOf } from '../git/files/worktree-admin.ts';
import { isClean } from '../git/files/worktree-state.ts';
import { keepCommit } from '../keep/keep.ts';
import { freeIndex } from './merge-in.ts';
import type { Provisions } from '../setup/provisions.ts';
import { readReflog } from '../git/trace/reflog.ts';
import type { Worktrees } from '../contract/world.ts';

export interface WorktreePlace {
  readonly repo: Repository;
  readonly view: GitView;
  readonly identity: Identity;
  /** Absolute. */
  readonly worktreeRoot: string;
  /** Templates of the branch and the folder of a loop. */
  readonly names?: { readonly branch: string | null; readonly path: string | null };
  /** The task file's path, from the top of the checkout. */
  readonly trackerPath: string;
  /** Files that keep both sides' lines. */
  readonly union: readonly string[];
  /** Ignored files that are kept before they go. Patterns as in `protect`. */
  readonly ignored: readonly string[];
  readonly maxNew: NewLimits;
  readonly provisions: Provisions;
}

export async function facts({ repo, view }: WorktreePlace, path: string): ReturnType<Worktrees['facts']> {
  const adminDir = adminDirOf(repo, path);
  const head = adminDir === null ? undefined : readHeadFile(repo.commonDir, adminDir);
  if (head?.commit != null) return { head: head.commit, tree: await treeOf(view, head.commit) };
  const { stdout } = await runGit(['rev-parse', 'HEAD', 'HEAD^{tree}'], { cwd: path });
  const [commit = '', tree = ''] = stdout.trim().split('\n');
  return { head: sha(commit), tree: sha(tree) };
}

function isOn({ repo }: WorktreePlace, path: string, branch: string): boolean {
  const adminDir = adminDirOf(repo, path);
  return adminDir !== null && readHeadFile(repo.commonDir, adminDir)?.branch === branch;
}

/**
 * Without `git checkout`: that looks at every worktree there is, and dies if one is just being made. HEAD is taken off
 * whatever it stands on first, so that no other branch is moved.
 */
export async function standOn(place: WorktreePlace, path: string, branch: string): Promise<void> {
  const { repo, view } = place;
  const adminDir = adminDirOf(repo, path);
  if (adminDir !== null) await freeIndex(adminDir, path);
  if (isOn(place, path, branch)) return;
  const tip = await readRef(view, `refs/heads/${branch}`);
  if (tip === null)
    throw new AppError('E_GIT', `the branch ${branch} is gone`, { remedy: `git -C ${shellWord(path)} reflog` });
  const git = (...args: readonly string[]): ReturnType<typeof runGit> => runGit([...HARDENED, ...args], { cwd: path });
  if (adminDir !== null && isDetachedAt(place, adminDir, tip)) await restore(path);
  else {
    await keepStray(place, path);
    await git('update-ref', '--no-deref', '-m', 'paralph: back to its branch', 'HEAD', tip);
    await git('reset', '-q', '--hard');
    await git('clean', '-fdq');
  }
  await git('symbolic-ref', '-m', 'paralph: back on its branch', 'HEAD', `refs/heads/${branch}`);
}

/** A commit that somebody made there is on no branch. A HEAD that came there by a checkout is named elsewhere. */
async function keepStray(place: WorktreePlace, path: string): Promise<void> {
  const adminDir = adminDirOf(place.repo, path);
  const head = adminDir === null ? undefined : readHeadFile(place.repo.commonDir, adminDir);
  if (adminDir === null || head === undefined || head.branch !== null || head.commit === null) return;
  const last = readReflog(adminDir, 'HEAD').at(-1);
  if (last?.to !== head.commit || last.message === '' || /^(?:checkout:|paralph)/.test(last.message)) return;
  const why = 'committed on no branch';
  await keepCommit({ ...place, ignored: [] }, { act: 'reset', why, commit: head.commit, name: basename(path) });
}

function isDetachedAt({ repo }: WorktreePlace, adminDir: string, commit: Sha): boolean {
  const head = readHeadFile(repo.commonDir, adminDir);
  return head?.branch === null && head.commit === commit;
}

async function restore(path: string): Promise<void> {
  if (await isClean(path)) return;
  await runGit([...HARDENED, 'reset', '-q', '--hard'], { cwd: path });
  await runGit([...HARDENED, 'clean', '-fdq'], { cwd: path });
}
