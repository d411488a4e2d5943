import { existsSync, copyFileSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { AppError } from '../../core/model/errors.ts';
import { loopId, sha } from '../../core/model/ids.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { reach } from '../os/failpoint.ts';
import { lookAtChanges, headOf, embeddedRepositories } from '../git/files/worktree-state.ts';
import { commitTree } from '../git/objects/commit.ts';
import { outlastGit } from '../git/run/dead-lock.ts';
import { unsigned } from '../git/run/identity.ts';
import { isAncestor, knowAncestor, mergeInMemory } from '../git/merge/merge.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import { landRef } from '../git/refs/refs.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { replaceFile, treeOf } from '../git/objects/trees.ts';
import { operationIn, removeDeadLocks, soundAdminDir, adminDirOf } from '../git/files/worktree-admin.ts';
import { withCheckoutSlot } from '../worktrees/worktrees.ts';
import { settleByRule } from '../git/merge/settle-conflicts.ts';
import { pin } from '../keep/train-refs.ts';
import { stageAll, writeTree } from '../git/files/snapshot.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Identity } from '../git/run/identity.ts';
import type { Repository } from '../git/run/repository.ts';
import type { GitView } from '../git/run/view.ts';
import type { Worktrees } from '../contract/world.ts';

interface MergeInPlace {
  readonly repo: Repository;
  readonly view: GitView;
  readonly identity: Identity;
  /** The task file's path: no branch has a say in it. */
  readonly trackerPath: string;
  /** Files that keep both sides' lines. */
  readonly union: readonly string[];
}

type Options = Parameters<Worktrees['mergeIn']>[0];

interface Mixed {
  readonly tree: Sha;
  readonly conflicts: readonly string[];
}

const GIT_ENDS_MS = 30_000;

/**
 * Merges a commit into the branch of a worktree nobody works in. First the branch, then the files: whoever finds the branch at
 * this very merge knows what the files must become, so a merge that was cut short is ended by asking for it again.
 */
export async function mergeIn(place: MergeInPlace, options: Options): ReturnType<Worktrees['mergeIn']> {
  const { repo, view, identity } = place;
  const { path, branch, commit, message } = options;
  const adminDir = soundAdminDir(repo, path);
  await freeIndex(adminDir, path);
  const head = await soundHead(place, adminDir, options);
  reach('update.begun');
  const before = await madeBefore(place, head, commit);
  if (before !== null) {
    await bringFiles(place, options, before.from, head);
    return { head, tree: before.tree, conflicts: before.conflicts };
  }
  // New files that were left out of a commit of ours stay beside it.
  if (!(await lookAtChanges(path)).onlyNew) throw notOurs(`${path} has uncommitted changes`, path);
  if (await isAncestor(view, commit, head)) return { head, tree: await treeOf(view, head), conflicts: [] };
  const { tree, conflicts } = await mix(place, head, commit);
  if (options.onlyClean && conflicts.length > 0)
    return { head, tree: await treeOf(view, head), conflicts: [], isLeft: true };
  const merge = await commitTree(view, { tree, parents: [head, commit], message: message(conflicts), identity });
  const move = await landRef(view, `refs/heads/${branch}`, merge, head, 'paralph: main merged in');
  if (!move.moved) throw notOurs(`the branch ${branch} was moved while main was merged into it`, path);
  for (const parent of [head, commit]) knowAncestor(view, parent, merge);
  reach('update.moved');
  await bringFiles(place, options, head, merge);
  reach('update.done');
  return { head: merge, tree, conflicts };
}

/** The merge of two commits as it goes into a branch: with markers where they conflict, and the tracker of `theirs`. */
async function mix(place: MergeInPlace, ours: Sha, theirs: Sha): Promise<Mixed> {
  const { view, trackerPath } = place;
  const merged = await settleByRule(view, await mergeInMemory(view, ours, theirs, ours), place);
  const [mixed, paths] = [merged.tree, merged.clean ? [] : merged.paths];
  const tracker = await plainBlob(view, theirs, trackerPath);
  if (tracker === null) return { tree: mixed, conflicts: paths.filter((path) => path !== trackerPath) };
  try {
    const tree = await replaceFile(view, mixed, trackerPath, tracker);
    return { tree, conflicts: paths.filter((path) => path !== trackerPath) };
  } catch (error) {
    // The branch made a folder or a link of it, which somebody has to undo.
    if (!(error instanceof AppError) || error.code !== 'E_TASKS_UNSAFE') throw error;
    return { tree: mixed, conflicts: [...new Set([...paths, trackerPath])] };
  }
}

/** Whether the head is already this merge, made by us: the same two commits make the same tree again. */
async function madeBefore(
  place: MergeInPlace,
  head: Sha,
  commit: Sha,
): Promise<(Mixed & { readonly from: Sha }) | null> {
  const listed = await place.view.run(['rev-list', '--parents', '--max-count=1', head, '--']);
  const [, from, merged, ...more] = listed.stdout.trim().split(' ');
  if (from === undefined || merged !== commit || more.length > 0) return null;
  const mixed = await mix(place, sha(from), commit);
  return mixed.tree === (await treeOf(place.view, head)) ? { ...mixed, from: sha(from) } : null;
}

/** What lies in the way and is neither commit's is named by a keep ref first. New files beside it stay where they are. */
async function bringFiles(place: MergeInPlace, { path, branch }: Options, from: Sha, to: Sha): Promise<void> {
  const { view, identity } = place;
  if ((await lookAtChanges(path)).clean) return;
  const tree = await filesInTheWay(place, { path, from, to });
  if (tree !== null) {
    const message = 'Keep what was in the way of a merge\n';
    const kept = await commitTree(view, { tree, parents: [to], message, identity: unsigned(identity) });
    await pin(view, loopId(basename(branch)), kept);
  }
  await withCheckoutSlot(() => runGit([...HARDENED, 'reset', '-q', '--hard'], { cwd: path }));
}

async function soundHead(place: MergeInPlace, adminDir: string, { path, branch }: Options): Promise<Sha> {
  const operation = operationIn(adminDir);
  if (operation !== null) throw notOurs(`${path} is in the middle of a ${operation}`, path);
  const head = readHeadFile(place.repo.commonDir, adminDir) ?? (await headOf(path));
  if (head.branch !== branch || head.commit === null)
    throw notOurs(`${path} is on ${head.branch ?? 'no branch'}, not on ${branch}`, path);
  return head.commit;
}

/** Takes away the lock of a git that was killed. One that only outlived the host that started it is waited for. */
export async function freeIndex(adminDir: string, path: string): Promise<void> {
  if (!existsSync(join(adminDir, 'index.lock'))) return;
  const busy = await outlastGit({ folder: path, mentions: path }, GIT_ENDS_MS);
  if (busy.length > 0) throw new AppError('E_BUSY', `git (process ${busy[0]}) still works on ${path}`);
  removeDeadLocks(adminDir);
}

async function plainBlob(view: GitView, commit: Sha, path: string): Promise<Sha | null> {
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', commit, '--', path];
  const id = /^100\d{3} blob ([0-9a-f]+)\t/.exec((await view.run(args)).stdout)?.[1];
  return id === undefined ? null : sha(id);
}

function notOurs(message: string, path: string): AppError {
  return new AppError('E_NEEDS_PERSON', message, { remedy: `git -C ${shellWord(path)} status` });
}

interface Passage {
  readonly path: string;
  /** The files are those of this commit, of `to`, or some of each … */
  readonly from: Sha;
  /** … and are to become those of this one. */
  readonly to: Sha;
}

/** A tree of what a worktree holds, if any file of it is neither commit's and would be written over; null: nothing would be lost. */
async function filesInTheWay(
  { repo, view }: { readonly repo: Repository; readonly view: GitView },
  passage: Passage,
): Promise<Sha | null> {
  const { path, from, to } = passage;
  const folder = join(repo.stateDir, 'tmp');
  const index = join(folder, `index-${randomUUID()}`);
  const own = join(adminDirOf(repo, path) ?? repo.commonDir, 'index');
  mkdirSync(folder, { recursive: true });
  try {
    if (existsSync(own)) copyFileSync(own, index);
    const env = { GIT_INDEX_FILE: index };
    await stageAll(path, await embeddedRepositories(path, env), env);
    await stageIgnored(path, await added(view, from, to), env);
    const tree = await writeTree(path, env);
    const [unlikeFrom, unlikeTo] = await Promise.all([present(view, from, tree), present(view, to, tree)]);
    const foreign = new Set(unlikeFrom);
    return unlikeTo.some((name) => foreign.has(name)) ? tree : null;
  } finally {
    rmSync(index, { force: true });
    rmSync(`${index}.lock`, { force: true });
  }
}

/** git takes an ignored file for one that may be written over; here it may be somebody's settings. */
async function stageIgnored(
  path: string,
  names: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const blocked = new Set(names.flatMap((name) => blockerOf(path, name) ?? []));
  if (blocked.size === 0) return;
  const input = [...blocked].map((name) => `:(top,literal)${name}`).join('\0');
  await runGit([...HARDENED, 'add', '-f', '--pathspec-from-file=-', '--pathspec-file-nul'], { cwd: path, env, input });
}

/** What stands where a file is to come, or where a folder above it is. */
function blockerOf(path: string, name: string): string | null {
  const parts = name.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const part = parts.slice(0, depth).join('/');
    const kind = lstatSync(join(path, part), { throwIfNoEntry: false });
    if (kind === undefined) return null;
    if (depth === parts.length || !kind.isDirectory()) return part;
  }
  return null;
}

const added = (view: GitView, from: Sha, to: Sha): Promise<string[]> => differing(view, 'A', from, to);
const present = (view: GitView, from: Sha, to: Sha): Promise<string[]> => differing(view, 'd', from, to);

async function differing(view: GitView, kinds: string, from: Sha, to: Sha): Promise<string[]> {
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', `--diff-filter=${kinds}`, from, to, '--'];
  return (await view.run(args)).stdout.split('\0').filter((name) => name !== '');
}
