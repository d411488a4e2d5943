import { relative, resolve } from 'node:path';
import { AppError, EXIT } from '../../../core/model/errors.ts';
import type { Place } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { readDurationMs } from '../../../text/config/duration.ts';
import { cleanLine } from '../../../text/trackers/clean.ts';
import { readHeadFile } from '../../../world/git/refs/ref-files.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { adminDirOf, isBelow, operationIn, realpathLoose } from '../../../world/git/files/worktree-admin.ts';
import { isLoopsLock, lockOf } from '../../../world/worktrees/loop-notes.ts';
import { gitDirOf } from '../../../world/checkout/in-place-note.ts';
import { findHolder, isHeld, takeLoopLock } from '../../../world/checkout/loop-lock.ts';
import type { HeldLock, LockHolder } from '../../../world/checkout/loop-lock.ts';
import { pause } from '../../../world/os/clock.ts';
import { leadsOut } from '../../../world/trackers/task-text.ts';
import type { Call } from '../../call/handler.ts';
import type { Project } from '../../call/project.ts';
import { promptWords } from './prompt-text.ts';

const LOOK_AGAIN_MS = 200;

export interface ChosenPlace {
  readonly place: Place;
  /** Held while the loop works in a checkout. */
  readonly lock: HeldLock | null;
  /** Where it works and why there, in one line. */
  readonly said: string;
  /** Why not in the checkout it could have been, and whether it could be once another loop is done there; null: it is there. */
  readonly apart: { readonly why: string; readonly isTaken: boolean } | null;
}

export interface PlaceOrder {
  readonly loop: string;
  readonly prompt: string;
  readonly target: string;
  /** An agent of the loop was at work here, and nobody has looked yet where it left HEAD: that is put right when it goes on. */
  readonly isAmid?: boolean;
}

/** In place where the checkout is free and stands where its work can land from; else in a worktree of the loop's own. */
export async function choosePlace(call: Call, project: Project, order: PlaceOrder): Promise<ChosenPlace> {
  const { repo } = project;
  refuseLoopsOwn(project);
  const timeoutMs = waitMs(call);
  const folder = folderOf(call, repo);
  const apart = (why: string, isTaken = false): ChosenPlace => ({
    place: { at: 'worktree', ...folder },
    lock: null,
    said: `working in a worktree of its own, because ${why}`,
    apart: { why, isTaken },
  });
  if (call.flags['worktree'] === true) {
    if (call.flags['exclusive'] === true)
      throw new AppError('E_USAGE', '--exclusive waits for this checkout, --worktree does not use it', {
        remedy: 'ralph run --exclusive "what should be done"',
      });
    return apart('of --worktree');
  }
  const head = readHeadFile(repo.commonDir, gitDirOf(repo, repo.worktree));
  const isTarget = head?.branch === order.target;
  const why = order.isAmid === true ? null : whyApart(repo, order.target);
  if (why !== null) return apart(why);
  const branch = isTarget ? null : (head?.branch ?? null);
  const place: Place = { at: 'checkout', path: repo.worktree, branch, ...folder };
  const here = hereOf(repo);
  const said = `working in ${here} (${head?.branch ?? 'no branch'})`;
  const takenBy = (holder: LockHolder): ChosenPlace => apart(`${describe(holder)} works in ${here}`, true);
  if (call.flags['dryRun'] === true) {
    const holder = findHolder(repo, repo.worktree, order.loop);
    return holder === null ? { place, lock: null, said, apart: null } : takenBy(holder);
  }
  const taken = await take(call, project, order, timeoutMs);
  return isHeld(taken) ? { place, lock: taken, said, apart: null } : takenBy(taken);
}

/** Whoever calls from further down wants work there. `ralph start` calls from outside of the worktree it made. */
function folderOf({ cwd }: Call, { worktree }: Repository): Pick<Place, 'folder'> {
  const folder = relative(worktree, realpathLoose(cwd));
  return folder === '' || leadsOut(folder) ? {} : { folder };
}

/** `ralph start` brings us to a worktree, so that one is named; the main checkout is where people stand. */
const hereOf = ({ linked, worktree }: Repository): string =>
  linked ? `the worktree ${cleanLine(worktree)}` : 'this checkout';

/** Null: work that is done here can land from here. */
function whyApart(repo: Repository, target: string): string | null {
  const gitDir = gitDirOf(repo, repo.worktree);
  const branch = readHeadFile(repo.commonDir, gitDir)?.branch ?? null;
  const operation = operationIn(gitDir);
  if (operation !== null) return `a ${operation} is under way in this checkout`;
  if (branch === null) return 'HEAD is detached in this checkout';
  return branch === target || repo.linked ? null : `this checkout is on ${branch} and loops land on ${target}`;
}

async function take(
  call: Call,
  { repo }: Project,
  order: PlaceOrder,
  timeoutMs: number | null,
): Promise<HeldLock | LockHolder> {
  const first = await takeLoopLock(repo, repo.worktree, order);
  if (isHeld(first) || call.flags['exclusive'] !== true) return first;
  let holder: LockHolder = first;
  const held = await untilSignal(call, async (stopped) => {
    const over = timeoutMs === null ? stopped : AbortSignal.any([stopped, AbortSignal.timeout(timeoutMs)]);
    for (let told = ''; !over.aborted; await pause(LOOK_AGAIN_MS, over)) {
      const taken = await takeLoopLock(repo, repo.worktree, order);
      if (isHeld(taken)) return taken;
      holder = taken;
      if (told !== holder.loop) call.out.say(`waiting for ${describe(holder)}`);
      told = holder.loop;
    }
    return null;
  });
  if (held !== null) return held;
  throw new AppError(
    'E_BUSY',
    `${describe(holder)} still works in ${hereOf(repo)} after ${String(call.flags['wait'])}`,
    {
      remedy: `ralph run --worktree ${promptWords(call, order.prompt)}`.trim(),
    },
  );
}

/** Ctrl-C ends the waiting, and nothing else was begun. */
async function untilSignal(
  call: Call,
  wait: (stopped: AbortSignal) => Promise<HeldLock | null>,
): Promise<HeldLock | null> {
  const stop = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => stop.abort(name);
  const names = ['SIGINT', 'SIGTERM'] as const;
  for (const name of names) process.on(name, onSignal);
  try {
    const held = await wait(stop.signal);
    if (!stop.signal.aborted) return held;
    await held?.release();
    call.out.say('stopped waiting; nothing was started');
    return process.exit(stop.signal.reason === 'SIGINT' ? EXIT.interrupted : EXIT.terminated);
  } finally {
    for (const name of names) process.off(name, onSignal);
  }
}

function waitMs({ flags }: Call): number | null {
  if (flags['wait'] === undefined) return null;
  const remedy = 'ralph run --exclusive --wait 30m "what should be done"';
  if (flags['exclusive'] !== true) throw new AppError('E_USAGE', '--wait needs --exclusive', { remedy });
  const ms = readDurationMs(flags['wait']);
  if (ms === null)
    throw new AppError('E_USAGE', `--wait ${String(flags['wait'])}: not a duration such as 90s or 2h`, { remedy });
  return ms;
}

const describe = ({ loop, pid, prompt }: LockHolder): string =>
  `loop ${cleanLine(loop)} (process ${pid}: ${cleanLine(prompt)})`;

/** A run inside a loop's worktree would be a second hand in work that is somebody's. */
export function refuseLoopsOwn({ repo, config }: Project): void {
  const root = resolve(repo.root, config.settings.parallel.worktreeRoot);
  const adminDir = repo.linked ? adminDirOf(repo, repo.worktree) : null;
  if (adminDir === null || !(isBelow(root, repo.worktree) || isLoopsLock(lockOf(adminDir)))) return;
  throw new AppError('E_NESTED', `${relative(repo.root, repo.worktree)} is the worktree of a loop`, {
    remedy: `cd ${shellWord(repo.root)} && ralph run "what should be done"`,
  });
}
