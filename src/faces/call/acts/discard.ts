import { AppError } from '../../../core/model/errors.ts';
import type { LoopId } from '../../../core/model/ids.ts';
import { isWorking } from '../../../core/model/model.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import { ownsBranch } from '../../../core/model/place.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { requireAct } from '../../../core/views/acts.ts';
import { readRef } from '../../../world/git/refs/refs.ts';
import { openSealsOf } from '../../../world/git/run/open-seals.ts';
import { healWorktreeEntries } from '../../../world/keep/heal-entries.ts';
import { keepCommit } from '../../../world/keep/keep.ts';
import type { Kept } from '../../../world/keep/keep.ts';
import { openKeep, dropBranch, takeAway } from '../../../world/keep/take-away.ts';
import type { AwayPlace } from '../../../world/keep/take-away.ts';
import { livingTokens, quietLoop } from '../../../world/agents/quiet-loop.ts';
import { findLeft } from '../../../world/checkout/find-besides.ts';
import { awaitLetGo } from '../../../world/checkout/loop-lock.ts';
import { ourWorktrees } from '../../../world/loops/our-worktrees.ts';
import { openSeal } from '../../../world/seal/seal.ts';
import { findLoop } from '../find-loop.ts';
import type { Project } from '../project.ts';
import { readState } from '../project.ts';
import { writeFacts } from '../write-facts.ts';
import { HOST_MS } from './stop.ts';

export interface DiscardOrder {
  /** Stops it first, if it works. */
  readonly force: boolean;
  /** The last word before anything goes. */
  readonly isMeant: (state: State, loop: Loop) => Promise<boolean>;
}

export interface Discarded {
  readonly loop: LoopId;
  readonly branch: string;
  readonly path: string | null;
  /** The keep that holds its work; null: there was nothing to keep. */
  readonly kept: string | null;
}

/** What a face tells besides. */
export interface DiscardDetails {
  readonly discarded: Discarded;
  readonly loop: Loop;
  readonly kept: Kept | null;
  /** It was discarded before, and nothing of it was left. */
  readonly wasDone: boolean;
  readonly isBranchGone: boolean;
  /** What its agent did elsewhere, put right now. */
  readonly did: readonly string[];
  /** What it changed in a person's checkout, and what takes that away. */
  readonly left: { readonly paths: readonly string[]; readonly command: string } | null;
}

/** Throws a loop away. Its work is kept first; killed anywhere, calling it again goes on from there. Null: it was not meant. */
export async function discardLoop(
  { repo, config }: Project,
  id: string,
  { force, isMeant }: DiscardOrder,
): Promise<DiscardDetails | null> {
  const { graceMs } = config.settings.limits;
  await healWorktreeEntries(repo);
  const place = await openKeep(repo, config.settings);
  const state = await readState(repo);
  const loop = findLoop(state, id);
  const path = await worktreeOf(place, state, loop);
  const tip = await readRef(place.view, `refs/heads/${loop.branch}`);
  const wasDone = isDiscarded(loop) && path === null && (tip === null || !ownsBranch(loop));
  if (!wasDone) {
    if (!isDiscarded(loop)) requireAct(state, loop, 'discard');
    if (!force) refuseBusy(state, loop, livingTokens(repo, { loop: loop.id, path }).length > 0);
    if (!(await isMeant(state, loop))) return null;
  }
  const isForced = force && !wasDone;
  // Whoever holds it lets go when it reads this; until it has, nothing in the worktree holds still.
  if (isForced) await tell(place, loop, null);
  const waitMs = isForced && loop.host !== null ? graceMs + HOST_MS : 0;
  if (!wasDone) await quietLoop(repo, { loop: loop.id, path, waitMs, graceMs });
  // Its host commits what it finds in a checkout when its agent is gone; until then its branch moves.
  if (isForced && loop.place.at === 'checkout') await awaitLetGo(loop.place.path, loop.id, waitMs);
  const did = await checkSeals(place, state, loop, path);
  const kept = wasDone ? null : await discard(place, state, loop, path);
  return {
    discarded: { loop: loop.id, branch: loop.branch, path, kept: kept?.id ?? null },
    loop,
    kept,
    wasDone,
    isBranchGone: (await readRef(place.view, `refs/heads/${loop.branch}`)) === null,
    did,
    left: kept === null ? null : await findLeft(place.view, loop, kept.commit),
  };
}

async function discard(place: AwayPlace, state: State, loop: Loop, path: string | null): Promise<Kept | null> {
  const { id, branch } = loop;
  const order = {
    act: 'discard',
    why: 'a person discarded it',
    loop: id,
    task: taskIdOf(state, loop.task),
    branch,
  } as const;
  if (path !== null) {
    const onKept = (kept: Kept): Promise<void> => tell(place, loop, kept);
    return takeAway(place, { ...order, path, takesBranch: true, onKept });
  }
  const ref = `refs/heads/${branch}`;
  const tip = await readRef(place.view, ref);
  const kept = tip === null ? null : await keepCommit(place, { ...order, commit: tip, name: id });
  await tell(place, loop, kept);
  if (tip !== null && ownsBranch(loop)) await dropBranch(place, branch, tip);
  return kept;
}

/** A host that died left its last iteration unchecked: what the agent did elsewhere is put right now, or never. */
async function checkSeals(place: AwayPlace, state: State, loop: Loop, path: string | null): Promise<readonly string[]> {
  const task = taskIdOf(state, loop.task);
  const did: string[] = [];
  for (const { n } of openSealsOf(place.repo.commonDir).filter((seal) => seal.loop === loop.id)) {
    const inPlace = loop.place.at === 'checkout';
    const cwd = loop.place.at === 'checkout' ? loop.place.path : (path ?? place.worktreeRoot);
    const iteration = { loop: loop.id, task, n, slot: loop.slot, cwd, inPlace };
    did.push(...((await openSeal({ ...place, made: [] }).check(iteration, loop.branch))?.did ?? []));
  }
  return did;
}

/** Its place by the log, or, once that has forgotten it, by its branch. A person's checkout is no place of ours. */
async function worktreeOf(place: AwayPlace, state: State, loop: Loop): Promise<string | null> {
  if (loop.place.at === 'checkout') return null;
  return (await ourWorktrees({ ...place, state })).find((ours) => ours.loop?.id === loop.id)?.path ?? null;
}

async function tell({ repo }: AwayPlace, { id }: Loop, kept: Kept | null): Promise<void> {
  await writeFacts(repo, async (state) => {
    const now = state.loops[id];
    if (now === undefined || now.phase.at === 'landed' || (isDiscarded(now) && kept === null)) return [];
    return [{ type: 'loop-discarded', loop: id, kept: kept?.id ?? null }];
  });
}

function refuseBusy(state: State, loop: Loop, isAlive: boolean): void {
  const { id } = loop;
  const rides = state.landing?.cars.some((car) => car.loop === id) === true;
  const why =
    isWorking(loop) && loop.host !== null
      ? 'is working'
      : rides
        ? 'is about to land'
        : isAlive
          ? 'has running processes'
          : null;
  if (why === null) return;
  throw new AppError('E_BUSY', `loop ${id} ${why}`, {
    facts: ['with --force it is stopped first; its work is kept'],
    remedy: `ralph loops discard ${shellWord(id)} --force`,
  });
}

export const isDiscarded = ({ phase }: Loop): boolean => phase.at === 'parked' && phase.reason === 'discarded';
