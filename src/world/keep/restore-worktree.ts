import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { invariant } from '../../core/model/assert.ts';
import { AppError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { withMutex } from '../processes/mutex.ts';
import { reach } from '../os/failpoint.ts';
import { copyIndex } from '../git/files/copy-index.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { adminDirOf, isCheckedOut } from '../git/files/worktree-admin.ts';
import { endIntent, findIntent, startIntent } from '../worktrees/worktree-intents.ts';
import { isEmptyFolder, removeHalfMade, worktreeMutex } from '../worktrees/worktrees.ts';
import { patiently } from '../git/run/patiently.ts';
import { closeIgnored } from './close-ignored.ts';
import type { KeepPlace } from './keep.ts';
import type { Keep } from './list-keeps.ts';
import { GIT_FILES, SIDES, isOperationFile } from './operation-state.ts';
import { withPrivateIndex } from '../git/files/private-index.ts';
import { takeBackHalfMade } from './take-back-half-made.ts';

/** Of every file system there is. */
const NAME_CHARS_MAX = 255;

export interface RestoreOrder {
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
