import { lstatSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setImmediate as soon } from 'node:timers/promises';
import { AppError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import { clearFiles } from '../setup/clear-files.ts';
import { copyIndex } from '../git/files/copy-index.ts';
import { missingFilters, withoutFilters } from '../git/run/missing-filters.ts';
import type { Repository } from '../git/run/repository.ts';
import { HARDENED, runGit, runGitBytes } from '../git/run/run-git.ts';
import { trustedFolder } from '../git/run/trusted-folder.ts';
import { adminDirOf } from '../git/files/worktree-admin.ts';
import { withCheckoutSlot } from '../worktrees/worktrees.ts';
import { hashBack, nowOn } from './hash-back.ts';
import { openFolder } from '../os/open-folders.ts';
import { readIfThere } from '../os/read-if-there.ts';

export interface GatePlace {
  readonly repo: Repository;
  readonly path: string;
  /** Ours alone: how we left the worktree. */
  readonly folder: string;
  /** It is made anew. */
  readonly onNew: () => void;
}

/** All git needs of a worktree's entry. The rest is what somebody began in it: merges, locks, sparse files, settings. */
const KEPT = new Set(['commondir', 'gitdir', 'HEAD', 'index', 'locked', 'modules']);
const COMMITS_MAX = 32;
const ENTRIES_AT_ONCE = 2000;

/** Nothing may keep git from seeing each changed file and putting it back. */
const EXACT = [
  'core.sparseCheckout=false',
  'core.splitIndex=false',
  'core.untrackedCache=false',
  'core.ignoreStat=false',
  'core.trustctime=true',
  'core.checkStat=default',
  // A reflog would keep every candidate that was ever tested from being collected.
  'core.logAllRefUpdates=false',
].flatMap((setting) => ['-c', setting]);

/** Makes the files of a gate worktree exactly those of a commit; of ignored ones only these stay. Throws where git cannot. */
export async function settleAt(place: GatePlace, commit: Sha, keep: readonly string[]): Promise<void> {
  const { repo, path, folder } = place;
  const adminDir = adminDirOf(repo, path);
  if (adminDir === null) throw new AppError('E_GIT', `git knows no worktree at ${path}.`);
  const index = join(adminDir, 'index');
  const before = readIfThere(join(folder, 'commit'))?.toString().trim() ?? '';
  // A crash from here on leaves no record, and without one every file is written again.
  rmSync(join(folder, 'commit'), { force: true });
  sweepEntry(adminDir);
  keepPointer(path, adminDir);
  keepHead(adminDir, commit);
  if (before === '') rmSync(index, { force: true });
  else {
    // Our own index knows when we wrote each file, and no flag that hides a change: what was touched since is seen.
    copyIndex(join(folder, 'index'), index);
    await openEntries(path, await entriesOf(repo, before));
  }
  const where = { cwd: path, env: trustedFolder(repo.commonDir, adminDir, path) };
  const git = [...HARDENED, ...EXACT, ...withoutFilters(await missingFilters(path, where.env))];
  const sinceMs = nowOn(path);
  await withCheckoutSlot(() =>
    runGit([...git, 'read-tree', '--reset', '-u', '--no-recurse-submodules', commit], where),
  );
  await clearFiles(where, keep, git);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  copyIndex(index, join(folder, 'index.new'));
  await hashBack({ repo, git, where, index: join(folder, 'index.new'), sinceMs });
  renameSync(join(folder, 'index.new'), join(folder, 'index'));
  writeFileSync(join(folder, 'commit'), `${commit}\n`);
}

/** How we left the worktree counts no more: the next time every file is written. */
export const dropRecord = ({ folder }: GatePlace): void => rmSync(join(folder, 'commit'), { force: true });

function sweepEntry(adminDir: string): void {
  for (const name of readdirSync(adminDir))
    if (!KEPT.has(name)) rmSync(join(adminDir, name), { recursive: true, force: true });
}

/** The file that leads from the worktree to its entry: without it git would find the repository around, or none. */
function keepPointer(path: string, adminDir: string): void {
  const file = join(path, '.git');
  const stat = lstatSync(file, { throwIfNoEntry: false });
  const named = stat?.isFile() === true ? /^gitdir: (.+)\n$/s.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  if (named !== undefined && resolve(path, named) === resolve(adminDir)) return;
  rmSync(file, { recursive: true, force: true });
  writeFileSync(file, `gitdir: ${adminDir}\n`);
}

/** Never on a branch: a gate that commits must not move one. */
function keepHead(adminDir: string, commit: Sha): void {
  const file = join(adminDir, 'HEAD');
  if (readIfThere(file)?.toString() === `${commit}\n`) return;
  if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === true) rmSync(file, { recursive: true });
  writeFileSync(`${file}.new`, `${commit}\n`);
  renameSync(`${file}.new`, file);
}

const entries = new Map<string, readonly string[]>();

/** Files and folders of a commit, as bytes in latin1; what a commit holds never changes. */
async function entriesOf(repo: Repository, commit: string): Promise<readonly string[]> {
  const known = entries.get(commit);
  if (known !== undefined) return known;
  const args = ['ls-tree', '-r', '-t', '-z', '--name-only', commit];
  const { code, stdout } = await runGitBytes([...HARDENED, ...args], { cwd: repo.commonDir, ok: [0, 128] });
  if (code !== 0) return [];
  if (entries.size >= COMMITS_MAX) entries.clear();
  const found = stdout.toString('latin1').split('\0');
  entries.set(commit, found);
  return found;
}

/** git compares no modes but one bit: what a gate closed would stay shut for the next gate. */
async function openEntries(path: string, names: readonly string[]): Promise<void> {
  const top = Buffer.from(`${path}/`);
  for (const [at, name] of ['', ...names].entries()) {
    // A large tree must not hold up everything else this process does.
    if (at % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) await soon();
    const entry = Buffer.concat([top, Buffer.from(name, 'latin1')]);
    const stat = lstatSync(entry, { throwIfNoEntry: false });
    if (stat?.isDirectory() === true) openFolder(entry, stat.mode);
    else if (stat?.isFile() === true && (stat.mode & 0o600) !== 0o600) rmSync(entry);
  }
}
