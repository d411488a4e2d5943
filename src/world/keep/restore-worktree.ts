import { existsSync, mkdirSync, writeFileSync, chmodSync, lstatSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { invariant } from '../../core/model/assert.ts';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { withMutex } from '../processes/mutex.ts';
import { reach } from '../os/failpoint.ts';
import { copyIndex, withPrivateIndex } from '../git/files/private-index.ts';
import { HARDENED, runGit, runGitBytes } from '../git/run/run-git.ts';
import { adminDirOf, isCheckedOut } from '../git/files/worktree-admin.ts';
import { endIntent, findIntent, startIntent } from '../worktrees/half-made.ts';
import { isEmptyFolder, removeHalfMade, worktreeMutex } from '../worktrees/worktrees.ts';
import { patiently } from '../git/run/dead-lock.ts';
import { GIT_FILES, SIDES, isOperationFile } from './operation-state.ts';
import { takeBackHalfMade } from './heal-entries.ts';
import { commitTree } from '../git/objects/commit.ts';
import { moveRef, readRef } from '../git/refs/refs.ts';
import { treeOf } from '../git/objects/trees.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { KeepPlace } from './keep.ts';
import type { Keep } from './list-keeps.ts';
import type { GitView } from '../git/run/view.ts';

/** Of every file system there is. */
const NAME_CHARS_MAX = 255;

interface RestoreOrder {
  readonly path: string;
  /** The branch to stand on, which is at the kept head; null: on none. */
  readonly branch: string | null;
  /** Stands in the lock that keeps `git worktree prune` away; null: a person's own, without one. */
  readonly lock: string | null;
  /** The commit its files are compared with. */
  readonly head: Sha;
}

/** Why no worktree can be made there; null: it can. */
export function inTheWay({ repo }: KeepPlace, path: string, branch: string | null): string | null {
  if (existsSync(path) && !isEmptyFolder(path)) return `${path} is there already`;
  if (adminDirOf(repo, path) !== null) return `git has a worktree at ${path} already`;
  if (branch !== null && isCheckedOut(repo, branch)) return `the branch ${branch} is checked out elsewhere`;
  if (basename(path).length > NAME_CHARS_MAX) return `no folder can have a name of ${basename(path).length} characters`;
  return null;
}

/** Makes a worktree with HEAD, index and files as they were kept. Nothing that exists is touched. */
export async function restoreWorktree(place: KeepPlace, keep: Keep, order: RestoreOrder): Promise<void> {
  const { repo } = place;
  const { path, branch, head } = order;
  const halfMade = findIntent(repo, path);
  if (halfMade !== null) await takeBackHalfMade(repo, halfMade);
  const why = inTheWay(place, path, branch);
  if (why !== null) throw new AppError('E_NEEDS_PERSON', why, { remedy: `ralph keep restore ${shellWord(keep.id)}` });
  makeParent(path, keep);
  const intent = startIntent(repo, { path, branch: branch ?? '', base: head, createsBranch: false });
  try {
    await patiently(() => withMutex(worktreeMutex(repo), () => register(place, order)));
    reach('undo.entry');
    await runGit([...HARDENED, 'reset', '-q', '--hard'], { cwd: path });
    await layOut(place, keep, order);
    await closeIgnored(path);
  } catch (error) {
    await removeHalfMade(repo, intent);
    throw error;
  }
  endIntent(repo, path);
}

function makeParent(path: string, keep: Keep): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AppError('E_NEEDS_PERSON', why, { remedy: `ralph keep restore ${shellWord(keep.id)}`, cause });
  }
}

async function layOut(place: KeepPlace, keep: Keep, { path, branch, head }: RestoreOrder): Promise<void> {
  const { repo, view } = place;
  const adminDir = adminDirOf(repo, path);
  invariant(adminDir !== null, `${path} was just made`);
  const own = join(adminDir, 'index');
  await withPrivateIndex(place, path, async (index) => {
    copyIndex(own, index.file);
    // By the view, so that what was changed comes back byte by byte, whatever filters the repository has.
    await index.git(['read-tree', '--reset', '-u', keep.tree]);
  });
  const env = { GIT_INDEX_FILE: own };
  await view.run(['read-tree', '--reset', keep.index ?? head], { workTree: path, env });
  await restoreOperation(place, keep, adminDir, env);
  await view.run(['update-index', '-q', '--refresh'], { workTree: path, env, ok: [0, 1] });
  if (branch === null) return;
  const args = ['symbolic-ref', '-m', 'paralph: restored', 'HEAD', `refs/heads/${branch}`];
  await runGit([...HARDENED, ...args], { cwd: path });
}

/** The short part that other git commands must not see half-way. */
async function register({ repo }: KeepPlace, { path, lock, head }: RestoreOrder): Promise<void> {
  const locked = lock === null ? [] : ['--lock', '--reason', lock];
  const args = ['worktree', 'add', '-q', '--no-checkout', '--detach', ...locked, '--', path, head];
  await runGit([...HARDENED, ...args], { cwd: repo.commonDir });
}

async function restoreOperation(
  { view }: KeepPlace,
  { operation }: Keep,
  adminDir: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  if (operation === null) return;
  const { stdout } = await view.bytes(['ls-tree', '-r', '-z', operation]);
  const sides: string[] = [];
  for (const line of stdout.toString('latin1').split('\0')) {
    const [, mode = '', id = '', name = ''] = /^(\d+) blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    const [, stage = '', side = ''] = new RegExp(`^${SIDES}/([123])/(.+)$`, 's').exec(name) ?? [];
    if (side !== '') sides.push(`${mode} ${id} ${stage}\t${side}\0`);
    const file = name.startsWith(`${GIT_FILES}/`) ? name.slice(GIT_FILES.length + 1) : '';
    if (!isOperationFile(file)) continue;
    mkdirSync(dirname(join(adminDir, file)), { recursive: true });
    writeFileSync(join(adminDir, file), (await view.bytes(['cat-file', 'blob', id])).stdout);
  }
  const input = Buffer.from(sides.join(''), 'latin1');
  if (sides.length > 0) await view.run(['update-index', '-z', '--index-info'], { input, env });
}

const OWNER_ONLY = 0o700;

/**
 * A keep knows of a file's rights only whether it may be run. What git ignores and was kept all the same is an `.env` or the like: in
 * a worktree that was just made again it is its owner's alone, whatever others could read before.
 */
async function closeIgnored(path: string): Promise<void> {
  const args = ['ls-files', '--others', '--ignored', '--exclude-standard', '-z'];
  const { stdout } = await runGitBytes([...HARDENED, ...args], { cwd: path });
  for (const name of stdout.toString('latin1').split('\0')) {
    if (name === '') continue;
    const file = Buffer.concat([Buffer.from(`${path}/`), Buffer.from(name, 'latin1')]);
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (stat?.isFile() === true) chmodSync(file, stat.mode & OWNER_ONLY);
  }
}

const NAMES_MAX = 1000;
const BRANCH_CHARS_MAX = 200;
const PREFIX = 'restored';

/** The commit that holds all files of a keep: its head where nothing was uncommitted, else one more on top of that. */
export async function wholeCommit({ view, identity }: KeepPlace, keep: Keep): Promise<Sha> {
  if (keep.head !== null && keep.tree === (await treeOf(view, keep.head))) return keep.head;
  const message = `Restore uncommitted work of ${keep.name}\n\nKept before ${keep.act}: ${oneLine(keep.why)}\n`;
  return commitTree(view, { tree: keep.tree, parents: keep.head === null ? [] : [keep.head], identity, message });
}

/** A new branch at a commit. No branch that exists is moved; without a wish the next free name is taken. */
export async function makeBranch(view: GitView, keep: Keep, wanted: string | null, commit: Sha): Promise<string> {
  if (wanted !== null) await requireName(view, keep, wanted);
  const reason = `paralph: restored ${keep.id}`;
  for (let tries = 1; tries <= NAMES_MAX; tries += 1) {
    const branch = wanted ?? `${PREFIX}/${keep.name}${tries === 1 ? '' : `-${tries}`}`;
    const ref = `refs/heads/${branch}`;
    if ((await readRef(view, ref)) === null && (await moveRef(view, ref, commit, null, reason)).moved) return branch;
    if (wanted !== null) throw taken(wanted, keep);
  }
  throw new AppError('E_NEEDS_PERSON', `there are ${NAMES_MAX} branches named after ${keep.name}`, {
    remedy: `ralph keep restore ${shellWord(keep.id)} --branch another-name`,
  });
}

async function requireName(view: GitView, keep: Keep, branch: string): Promise<void> {
  const isShort = branch.length <= BRANCH_CHARS_MAX;
  // Not asked with `--branch`: that also takes `@{-1}` for the name of another one.
  const check = isShort ? await view.run(['check-ref-format', `refs/heads/${branch}`], { ok: [0, 1, 128, 129] }) : null;
  if (check?.code === 0 && !branch.startsWith('-') && branch !== 'HEAD') return;
  throw new AppError('E_USAGE', `${JSON.stringify(branch.slice(0, BRANCH_CHARS_MAX))} cannot be the name of a branch`, {
    remedy: `ralph keep restore ${shellWord(keep.id)}`,
  });
}

function taken(branch: string, keep: Keep): AppError {
  return new AppError('E_NEEDS_PERSON', `a branch ${branch} exists already, and no branch is moved to make room`, {
    remedy: `ralph keep restore ${shellWord(keep.id)}`,
    facts: ['without --branch the next free name is taken'],
  });
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
