import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { type Sha, sha } from '../../core/model/ids.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { reach } from '../os/failpoint.ts';
import { type GatePlace, dropRecord, settleAt } from './gate-settle.ts';
import { placeFiles } from '../setup/carry-files.ts';
import { fetchInto } from '../setup/run-setup.ts';
import { stopNoted } from '../processes/gate-orphans.ts';
import type { Repository } from '../git/run/repository.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { adminDirOf } from '../git/files/worktree-admin.ts';
import { carriesOurLock, LOCK_REASON } from '../worktrees/loop-notes.ts';
import { removeWorktree, worktreeMutex } from '../worktrees/worktrees.ts';
import { patiently } from '../git/run/dead-lock.ts';
import { isHeldBySuspended, turnOf, withMutex, withOneMutexOf } from '../processes/mutex.ts';
import { openAllFolders } from '../os/files.ts';
import { namesIfThere, textIfThere } from '../os/read-if-there.ts';
import type { Provisions } from '../setup/provisions.ts';
import { dropSetup, isSetUp, readSetup, setUp } from '../setup/set-up.ts';
import { planSetup } from '../setup/setup-plan.ts';
import { gateLog, lockFile } from '../git/run/state-places.ts';
import type { GateWorktrees } from '../contract/world.ts';

/** As many as gates may ever run at once: those of every loop there can be on a host, and those of a train. */
const GATE_WORKTREES_MAX = 272;
/** Who runs gates holds the worktree for longer than this. */
const DROP_WAIT_MS = 200;
/** Whoever held it when the power was cut is gone. */
const ASTRAY_WAIT_MS = 10_000;
/** Whoever looks for a free one may be suspended while others wait. */
const LOOK_AGAIN_MS = 5000;

const nameOf = (slot: number): string => `gate-${slot}`;
const folderOf = (repo: Repository, slot: number): string => join(repo.stateDir, 'gates', nameOf(slot));

/** Where it is noted whose processes work in a gate worktree. */
export const gateNote = (repo: Repository, slot: number): string => join(folderOf(repo, slot), 'token');

/** How it was last set up. */
const SETUP = 'setup.json';
export const setupRecord = (repo: Repository, slot: number): string => join(folderOf(repo, slot), SETUP);

/** The slot of a gate worktree; null for any other folder. */
export function gateSlotOf(path: string): number | null {
  const slot = Number(/^gate-([1-9]\d{0,2})$/.exec(basename(path))?.[1] ?? 0);
  return slot >= 1 && slot <= GATE_WORKTREES_MAX ? slot : null;
}

/**
 * Worktrees that stay and only serve gates: every run takes the first that is free. It holds exactly the commit, what is copied
 * and set up there, and of what the gates before left only what is kept on purpose. Nothing comes from an agent's worktree.
 */
export function openGateWorktrees(repo: Repository, worktreeRoot: string, provisions: Provisions): GateWorktrees {
  const made = new Set<number>();
  const placeOf = (slot: number): GatePlace => ({
    repo,
    path: join(worktreeRoot, nameOf(slot)),
    folder: folderOf(repo, slot),
    onNew: () => void made.add(slot),
  });
  return {
    withWorktree: async (commit, act, signal = new AbortController().signal) => {
      for (;;) {
        const slots = await slotsToTry(repo);
        const files = slots.map((slot) => lockFile(repo, nameOf(slot)));
        const done = await withOneMutexOf(files, AbortSignal.timeout(LOOK_AGAIN_MS), async (file) => {
          const slot = slots[files.indexOf(file)] ?? 1;
          await stopNoted(gateNote(repo, slot));
          await provide(placeOf(slot), slot, worktreeRoot, provisions, commit, signal);
          reach('gate.stands');
          const acted = await act(placeOf(slot).path);
          reach('gate.tested');
          return acted;
        });
        if (done !== null) return done.value;
      }
    },
    dropWorktrees: async () => {
      for (const slot of made)
        // What was installed there is worth more than the room it takes.
        if ((readSetup(setupRecord(repo, slot))?.made ?? []).length === 0) await dropGate(repo, worktreeRoot, slot);
    },
  };
}

/**
 * All of them, from the first on. Nobody waits for a host that is suspended: what it holds is passed over like anything held,
 * and where it is the one that looks for a free one, the others look from the next on.
 */
async function slotsToTry(repo: Repository): Promise<readonly number[]> {
  const slots = Array.from({ length: GATE_WORKTREES_MAX }, (_, at) => at + 1);
  while (slots.length > 1 && (await isHeldBySuspended(turnOf(lockFile(repo, nameOf(slots[0] ?? 1)))))) slots.shift();
  return slots;
}

/** Does nothing where gates run in it. */
export async function dropGate(
  repo: Repository,
  worktreeRoot: string,
  slot: number,
  remove = (path: string): Promise<void> => removeWorktree(repo, { path, worktreeRoot }),
  waitMs = DROP_WAIT_MS,
): Promise<void> {
  const path = join(worktreeRoot, nameOf(slot));
  await withOneMutexOf([lockFile(repo, nameOf(slot))], AbortSignal.timeout(waitMs), async () => {
    const adminDir = adminDirOf(repo, path);
    if (adminDir === null || !carriesOurLock(adminDir)) return;
    await stopNoted(gateNote(repo, slot));
    rmSync(folderOf(repo, slot), { recursive: true, force: true });
    await remove(path);
  });
}

/** Those that stand at a commit that is gone: nobody flushes a candidate before it lands. git fails on them wherever it looks at all worktrees. */
export async function findAstray(repo: Repository, worktreeRoot: string): Promise<readonly string[]> {
  const astray: string[] = [];
  for (const path of namesIfThere(worktreeRoot).map((name) => join(worktreeRoot, name))) {
    const adminDir = gateSlotOf(path) === null ? null : adminDirOf(repo, path);
    if (adminDir === null || !carriesOurLock(adminDir)) continue;
    if (!(await isCommit(repo, sha(textIfThere(join(adminDir, 'HEAD')).trim())))) astray.push(path);
  }
  return astray;
}

/** Nothing in them is anybody's: the next gate makes its own anew. */
export async function dropAstray(repo: Repository, worktreeRoot: string): Promise<readonly string[]> {
  const astray = await findAstray(repo, worktreeRoot);
  for (const path of astray) await dropGate(repo, worktreeRoot, gateSlotOf(path) ?? 0, undefined, ASTRAY_WAIT_MS);
  return astray.filter((path) => !isFolder(path));
}

/** The commit, then what is copied, then what is set up. What was installed by another lock file goes first. */
async function provide(
  place: GatePlace,
  slot: number,
  worktreeRoot: string,
  { settings, files, env, passEnv, tell }: Provisions,
  commit: Sha,
  signal: AbortSignal,
): Promise<void> {
  const { repo, path } = place;
  const plan = await planSetup(repo, settings, commit);
  const record = setupRecord(repo, slot);
  const keep = isSetUp({ path, record }, plan) ? plan.kept.gates : (settings.keep ?? []);
  await bringTo(place, worktreeRoot, commit, keep);
  placeFiles(path, files);
  if (settings.submodules) await fetchInto(repo, path, (text) => tell(`${nameOf(slot)}: ${text}`));
  const done = await setUp(
    {
      path,
      record,
      logFile: gateLog(repo, `setup/${nameOf(slot)}`),
      notes: [gateNote(repo, slot)],
      env,
      passEnv,
      variables: { RALPH_GATE_SLOT: String(slot) },
      signal,
      tell: (text) => tell(`${nameOf(slot)}: ${text}`),
    },
    plan,
  );
  // It is to add what is missing; what it made of tracked files is not what would land.
  if (done !== null) await settleAt(place, commit, ['*']);
}

/** Three tries, each more thorough than the one before; only the last one loses the ignored files. */
async function bringTo(place: GatePlace, worktreeRoot: string, commit: Sha, keep: readonly string[]): Promise<void> {
  const { repo, path } = place;
  if (!isFolder(path) || adminDirOf(repo, path) === null) await makeAnew(place, worktreeRoot, commit);
  try {
    return await settleAt(place, commit, keep);
  } catch (error) {
    if (!(await isCommit(repo, commit))) throw error;
  }
  try {
    dropRecord(place);
    openAllFolders(path);
    await runGit([...HARDENED, 'clean', '-ffdq'], { cwd: path, ok: [0, 1, 128] });
    return await settleAt(place, commit, keep);
  } catch {
    await makeAnew(place, worktreeRoot, commit);
    await settleAt(place, commit, keep);
  }
}

async function makeAnew(place: GatePlace, worktreeRoot: string, commit: Sha): Promise<void> {
  const { repo, path } = place;
  refuseStrangers(repo, path);
  dropRecord(place);
  place.onNew();
  dropSetup(join(place.folder, SETUP));
  mkdirSync(worktreeRoot, { recursive: true });
  try {
    await removeWorktree(repo, { path, worktreeRoot });
  } catch (error) {
    if (error instanceof AppError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new AppError('E_GIT', `${path} is for gates alone, but cannot be made anew: ${why}`, {
      remedy: `rm -rf ${shellWord(path)}`,
      cause: error,
    });
  }
  const args = ['worktree', 'add', '-q', '--detach', '--no-checkout', '--lock', '--reason', `${LOCK_REASON} for gates`];
  await patiently(() =>
    withMutex(worktreeMutex(repo), () => runGit([...HARDENED, ...args, path, commit], { cwd: repo.commonDir })),
  );
}

/** A folder of ours is known to git, or was once: it holds the pointer to a repository. */
function refuseStrangers(repo: Repository, path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || adminDirOf(repo, path) !== null) return;
  const pointer = lstatSync(join(path, '.git'), { throwIfNoEntry: false });
  if (stat.isDirectory() && (pointer?.isFile() === true || readdirSync(path).length === 0)) return;
  throw new AppError('E_GIT', `${path} is kept for gates, but something else is there`, {
    remedy: `ls -la ${shellWord(path)}`,
  });
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

async function isCommit(repo: Repository, commit: Sha): Promise<boolean> {
  const asked = await runGit(['cat-file', '-e', `${commit}^{commit}`], { cwd: repo.commonDir, ok: [0, 1, 128] });
  return asked.code === 0;
}
