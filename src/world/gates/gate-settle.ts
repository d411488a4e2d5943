import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
  mkdtempSync,
  readlinkSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { setImmediate as soon } from 'node:timers/promises';
import { AppError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import { clearFiles } from '../setup/carry-files.ts';
import { copyIndex } from '../git/files/private-index.ts';
import { missingFilters, withoutFilters } from '../git/run/missing-filters.ts';
import type { Repository } from '../git/run/repository.ts';
import { HARDENED, runGit, runGitBytes } from '../git/run/run-git.ts';
import { trustedFolder } from '../git/run/trusted-folder.ts';
import { adminDirOf } from '../git/files/worktree-admin.ts';
import { withCheckoutSlot } from '../worktrees/worktrees.ts';
import { openFolder } from '../os/files.ts';
import { readIfThere, ifThere } from '../os/read-if-there.ts';
import { sha } from '../../core/model/ids.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { findFlaw } from '../git/objects/find-flaw.ts';
import { openView } from '../git/run/view.ts';

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
  if (adminDir === null) throw new AppError('E_GIT', `git knows no worktree at ${path}`);
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

interface WrittenFiles {
  readonly repo: Repository;
  /** How they were written: flags, folder and variables of the git that did it. */
  readonly git: readonly string[];
  readonly where: { readonly cwd: string; readonly env: Readonly<Record<string, string>> };
  /** A copy of the index that says what they are. */
  readonly index: string;
  /** By the clock of the disk they are on, before the first of them was written. */
  readonly sinceMs: number;
}

const PATHS_SHOWN = 10;

/**
 * Throws unless every file that was written since is the object that the index names. git hashes again what is not older than its
 * index, through the filters by which it was written; so an index that is older than those files makes it hash them, in one process.
 */
async function hashBack(files: WrittenFiles): Promise<void> {
  const { atimeMs, mtimeMs } = statSync(files.index);
  // Clocks of disks count in steps, and git in seconds.
  const beforeS = Math.floor(files.sinceMs / 1000) - 1;
  utimesSync(files.index, beforeS, beforeS);
  const differing = await listDiffering(files);
  utimesSync(files.index, atimeMs / 1000, mtimeMs / 1000);
  if (differing.length === 0) return;
  const bad = await findBad(files, differing);
  if (bad.length > 0) throw inexact(files.where.cwd, bad);
}

interface Differing {
  /** Bytes as latin1. */
  readonly name: string;
  readonly blob: Sha;
  readonly isThere: boolean;
}

async function listDiffering({ git, where, index }: WrittenFiles): Promise<readonly Differing[]> {
  const args = ['diff-files', '--raw', '-z', '--no-abbrev', '--no-renames', '--ignore-submodules=all'];
  const env = { ...where.env, GIT_INDEX_FILE: index };
  const fields = (await runGitBytes([...git, ...args], { ...where, env })).stdout.toString('latin1').split('\0');
  const found: Differing[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, , blob = '', , letter] = (fields[at] ?? '').split(' ');
    found.push({ name: fields[at + 1] ?? '', blob: sha(blob), isThere: letter === 'M' });
  }
  return found;
}

/**
 * What differs again when it is written a second time, or whose object is not what its id says. The rest only cannot be turned
 * back: line ends that were committed otherwise than the attributes want them, say.
 */
async function findBad(files: WrittenFiles, differing: readonly Differing[]): Promise<readonly string[]> {
  const { repo, git, where, index } = files;
  const again = mkdtempSync(`${index}-`);
  try {
    const args = ['checkout-index', '-z', '--stdin', `--prefix=${again}/`];
    const env = { ...where.env, GIT_INDEX_FILE: index };
    const there = differing.filter(({ isThere }) => isThere);
    const input = Buffer.from(there.map(({ name }) => name).join('\0'), 'latin1');
    await runGit([...git, ...args], { ...where, env, input });
    const isAlike = ({ name, isThere }: Differing): boolean => isThere && isSame(at(where.cwd, name), at(again, name));
    const alike = differing.filter(isAlike);
    const bad = differing.filter((file) => !alike.includes(file));
    return [...bad, ...(await findSpoilt(repo, alike))].map(({ name }) => name);
  } finally {
    rmSync(again, { recursive: true, force: true });
  }
}

async function findSpoilt(repo: Repository, files: readonly Differing[]): Promise<readonly Differing[]> {
  const place = { repo, view: await openView(repo) };
  const isWhole = async (some: readonly Differing[]): Promise<boolean> =>
    (await findFlaw(
      place,
      some.map(({ blob }) => blob),
      [],
    )) === null;
  if (files.length === 0 || (await isWhole(files))) return [];
  const spoilt: Differing[] = [];
  for (const file of files) if (!(await isWhole([file]))) spoilt.push(file);
  return spoilt;
}

const at = (folder: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]);

function isSame(one: Buffer, other: Buffer): boolean {
  const [a, b] = [one, other].map((path) => ifThere(() => lstatSync(path, { throwIfNoEntry: false })));
  if (a === undefined || b === undefined || (a.mode & 0o170_100) !== (b.mode & 0o170_100)) return false;
  if (a.isSymbolicLink()) return readlinkSync(one, 'buffer').equals(readlinkSync(other, 'buffer'));
  return a.size === b.size && readFileSync(one).equals(readFileSync(other));
}

/** What the disk of a folder takes for now. */
function nowOn(folder: string): number {
  const made = mkdtempSync(join(folder, '.git-'));
  try {
    return statSync(made).mtimeMs;
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function inexact(folder: string, names: readonly string[]): AppError {
  const shown = names.slice(0, PATHS_SHOWN).map((name) => Buffer.from(name, 'latin1').toString('utf8'));
  const more = names.length > PATHS_SHOWN ? [`and ${names.length - PATHS_SHOWN} more`] : [];
  return new AppError('E_INEXACT', `files in ${folder} are not what was committed; no gate ran on them`, {
    facts: [...shown, ...more],
    remedy: `git -C ${shellWord(folder)} fsck`,
  });
}
