import { existsSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fillNames } from '../../core/model/ids.ts';
import { hideFromGit } from '../git/files/ignore-files.ts';
import { removeWorktree } from '../worktrees/worktrees.ts';
import { reach } from '../os/failpoint.ts';
import { findOversize, inWords } from '../git/files/oversize.ts';
import { withoutTicks } from '../trackers/branch-tracker.ts';
import { commitLeftovers } from './leftovers.ts';
import { linksOut, readTexts } from '../git/objects/blobs.ts';
import { deleteRef, readRef } from '../git/refs/refs.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import { touchedPaths, isClean } from '../git/files/worktree-state.ts';
import { changedLines, changedPaths } from '../git/objects/trees.ts';
import { adminDirOf, isBelow, realpathLoose } from '../git/files/worktree-admin.ts';
import { isOurs, isRetired, retireWorktree, takeWorktree } from '../worktrees/worktree-pool.ts';
import { findMarkers } from '../git/merge/conflict-markers.ts';
import { unlinkWorktree, writeLoopNote, readLoopNote } from '../worktrees/loop-notes.ts';
import { mergeIn } from './merge-in.ts';
import { clearNotes } from '../notes/lay-notes.ts';
import { findUnlandedLoops } from './unlanded-loops.ts';
import { facts, standOn } from './worktree-head.ts';
import { unpin } from '../keep/train-refs.ts';
import { trimSpare } from './trim-spare.ts';
import { clearFiles, isUntouched, placeFiles } from '../setup/carry-files.ts';
import { listCarried } from '../setup/provisions.ts';
import { keepWorktree } from '../keep/keep.ts';
import { planSetup } from '../setup/setup-plan.ts';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { FETCHES, fetchInto } from '../setup/run-setup.ts';
import { stopNoted } from '../processes/gate-orphans.ts';
import { HARDENED, runGitBytes } from '../git/run/run-git.ts';
import { dropSetup, setUp } from '../setup/set-up.ts';
import { gateLog } from '../git/run/state-places.ts';
import type { WorktreePlace } from './worktree-head.ts';
import type { Worktrees } from '../contract/world.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { KeepPlace } from '../keep/keep.ts';
import type { Provisions } from '../setup/provisions.ts';
import type { ReadFile } from '../setup/carry-files.ts';
import type { Repository } from '../git/run/repository.ts';

// Worktrees outlive their loops, so a folder is not named after one.
const FOLDER = 'wt';
/** More would tell an agent nothing. */
const TOUCHED_MAX = 50;

export function openWorktrees(place: WorktreePlace): Worktrees {
  const { repo, view, worktreeRoot, provisions } = place;
  return {
    tip: (branch) => readRef(view, `refs/heads/${branch}`),
    isOurs: (branch, tip) => isOurs(repo, branch, tip),
    make: async ({ branch, base, of }) => {
      const again = (path: string): Promise<void> => clearRetired(place, provisions, path, base);
      const named = folderOf(place, branch, of);
      const taken = await takeWorktree(repo, { branch, base, name: FOLDER, ...named, worktreeRoot, clear: again });
      if (named !== null) hideInside(repo, taken.path);
      if (taken.reused) await clearNotes(taken.path);
      return taken;
    },
    prepare: (options) => prepareLoop(repo, provisions, options),
    exists: (path) => existsSync(join(path, '.git')),
    facts: (path) => facts(place, path),
    commitLeftovers: async ({ task, ...options }) => {
      const left = await commitLeftovers(repo, { ...options, maxNew: place.maxNew, identity: place.identity });
      const { base } = options;
      if (task === null || base === null || left.odd !== null) return left;
      const branch = { fork: base, head: left.head, task: task.id, path: task.tracker };
      return { ...left, ...(await withoutTicks(view, left.tree, branch)) };
    },
    touched: (path, base) => touchedPaths(place, { path, base, limit: TOUCHED_MAX }),
    changed: (from, to) => changedPaths(view, from, to),
    textsAt: (commit, paths) => readTexts(view, commit, paths),
    lines: (from, to) => changedLines(view, from, to),
    linksOut: (from, to) => linksOut(view, from, to),
    tooLarge: async (base, tree, path) => {
      const found = await findOversize(view, { base, before: null, tree, path }, place.maxNew);
      return found.length === 0 ? null : inWords(found, place.maxNew);
    },
    retire: async (options) => {
      const retired = await retire(place, options);
      if (retired.kept === null) unlinkWorktree(repo, options.path);
      return retired;
    },
    trim: (order) => trimSpare(place, order),
    mergeIn: (options) => mergeIn(place, options),
    markers: (commit, paths) => findMarkers(view, commit, paths),
    note: (path, note) => writeLoopNote(repo, path, note),
    found: () => findUnlandedLoops(place),
    standOn: (path, branch) => standOn(place, path, branch),
  };
}

/** Where a template lays a loop's worktree: numbered as its branch is. Null: one of those that serve one loop after the other. */
function folderOf(
  { repo, names }: WorktreePlace,
  branch: string,
  of: { readonly loop: string; readonly task: string } | undefined,
): { readonly folder: string; readonly name: string } | null {
  if (names?.path == null || of === undefined) return null;
  const all = { ...of, repo: basename(repo.root) };
  const first = names.branch === null ? '' : fillNames(names.branch, all);
  const [, number = ''] = branch.startsWith(first) ? (/^(-\d+)?$/.exec(branch.slice(first.length)) ?? []) : [];
  const path = resolve(repo.root, `${fillNames(names.path, all)}${number}`);
  return { folder: dirname(path), name: basename(path) };
}

/** Inside of a checkout git would show it there as something new. */
function hideInside({ root }: Repository, path: string): void {
  const [top, real] = [realpathLoose(root), realpathLoose(path)];
  if (isBelow(top, real)) hideFromGit(root, `${relative(top, real)}/`);
}

/** A folder that is named after nobody's work. */
const isShared = (worktreeRoot: string, path: string): boolean =>
  isBelow(worktreeRoot, path) && /^wt(?:-\d+)?$/.test(basename(path));

/** A worktree is given back only if what it holds is what landed; the head stays named until main contains it. */
async function retire(
  place: WorktreePlace,
  { path, branch, head, landed, loop }: Parameters<Worktrees['retire']>[0],
): ReturnType<Worktrees['retire']> {
  const { repo, view, worktreeRoot } = place;
  await unpin(view, { loop, head, landed });
  reach('retire.unpinned');
  if (!existsSync(path)) return { kept: 'the folder is gone' };
  const now = await facts(place, path);
  const adminDir = adminDirOf(repo, path);
  const standsOn = adminDir === null ? undefined : readHeadFile(repo.commonDir, adminDir)?.branch;
  if (standsOn !== branch) {
    // A host that died may have given it back and told nobody; somebody else may work in it since.
    if (isRetired(repo, path) || (await readRef(view, `refs/heads/${branch}`)) === null) {
      await deleteRef(view, `refs/heads/${branch}`, head);
      return { kept: null };
    }
    const isHalfRetired = standsOn === null && now.head === head;
    if (!isHalfRetired) return { kept: `${basename(path)} is on ${standsOn ?? 'no branch'}` };
  }
  if (now.head !== head) return { kept: `${basename(path)} has commits made after the landing` };
  if (!(await isClean(path))) return { kept: `${basename(path)} has files or changes that did not land` };
  if (isShared(worktreeRoot, path)) await retireWorktree(repo, { path, worktreeRoot });
  else await removeWorktree(repo, { path, worktreeRoot });
  reach('retire.pooled');
  await deleteRef(view, `refs/heads/${branch}`, head);
  reach('retire.done');
  return { kept: null };
}

/**
 * Takes what one loop left ignored out of the way of the next, but for what the project installs and builds, or what is kept on
 * purpose. What is worth keeping of it (`keep.ignored`), and is no copy of ours, is kept first.
 */
async function clearRetired(place: KeepPlace, provisions: Provisions, path: string, commit: Sha): Promise<void> {
  const { repo, view, ignored } = place;
  const { settings, files } = provisions;
  const adminDir = adminDirOf(repo, path);
  const index = join(adminDir ?? repo.commonDir, 'index');
  for (const file of files) if (isUntouched(path, file)) rmSync(join(path, file.path), { force: true });
  const worth = await listCarried(view, path, index, { copy: ignored });
  if (worth.length > 0) {
    const loop = adminDir === null ? null : (readLoopNote(adminDir)?.loop ?? null);
    await keepWorktree(place, { path, loop, act: 'reuse', why: 'its worktree was given to another loop' });
  }
  await clearFiles({ cwd: path }, (await planSetup(repo, settings, commit)).kept.loops);
}

/** What a loop's worktree gets before its first agent: the same as one that a person works in. */
async function prepareLoop(
  repo: Repository,
  { settings, files, env, passEnv, tell }: Provisions,
  { path, loop, name, head, isNew, signal }: Parameters<Worktrees['prepare']>[0],
): ReturnType<Worktrees['prepare']> {
  placeFiles(path, await ignoredIn(path, files));
  const missing = settings.submodules ? await fetchInto(repo, path, (text) => tell(`${name} ${text}`)) : null;
  const record = join(repo.stateDir, 'setups', `${basename(path)}.json`);
  if (isNew) dropSetup(record);
  // Of a host that died amid it.
  const note = `${record}.token`;
  await stopNoted(note);
  const plan = await planSetup(repo, settings, head);
  const logFile = gateLog(repo, `${loop}/setup`);
  const place = { path, record, logFile, notes: [note], env, passEnv, variables: {}, signal };
  const done = await setUp({ ...place, tell: (text) => tell(`${name} ${text}`) }, plan);
  if (done?.failed?.isConfigured === true)
    throw new AppError('E_SETUP', `in the new worktree of ${name}, ${done.failed.command} failed`, {
      facts: done.failed.tail.split('\n').slice(-FACTS_MAX),
      remedy: `cd ${shellWord(path)} && ${done.failed.command}`,
    });
  const failed = done?.failed ?? (missing === null ? null : { command: FETCHES, tail: missing });
  if (done === null && failed === null) return null;
  const { commands = [FETCHES], durationMs = 0 } = done ?? {};
  return { commands, durationMs, failed: failed === null ? null : { command: failed.command, tail: failed.tail } };
}

const FACTS_MAX = 10;

/** What git does not ignore there, an agent would commit. */
async function ignoredIn(path: string, files: readonly ReadFile[]): Promise<readonly ReadFile[]> {
  if (files.length === 0) return [];
  const { stdout } = await runGitBytes([...HARDENED, 'check-ignore', '-z', '--stdin'], {
    cwd: path,
    input: files.map((file) => `${file.path}\0`).join(''),
    ok: [0, 1],
  });
  const ignored = new Set(stdout.toString('utf8').split('\0'));
  return files.filter((file) => ignored.has(file.path));
}
