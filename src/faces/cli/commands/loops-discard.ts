import { AppError, EXIT } from '../../../core/model/errors.ts';
import { isWorking } from '../../../core/model/model.ts';
import { ownsBranch } from '../../../core/model/place.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { readRef } from '../../../world/git/refs/refs.ts';
import { openSealsOf } from '../../../world/git/run/open-seals.ts';
import { healWorktreeEntries } from '../../../world/keep/heal-entries.ts';
import { keepCommit } from '../../../world/keep/keep.ts';
import { openKeep, dropBranch, takeAway } from '../../../world/keep/take-away.ts';
import { livingTokens, quietLoop } from '../../../world/agents/quiet-loop.ts';
import { findLeft } from '../../../world/checkout/find-besides.ts';
import { awaitLetGo } from '../../../world/checkout/loop-lock.ts';
import { ourWorktrees } from '../../../world/loops/our-worktrees.ts';
import { openSeal } from '../../../world/seal/seal.ts';
import { findLoop } from '../../verbs/find-loop.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { confirm } from '../show/confirm.ts';
import { filesText, restoreCommand } from '../show/keep-view.ts';
import { openProject, readState } from '../../call/project.ts';
import { actOnEach, chosenLoops, requireChoice } from '../run/act-on-each.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { HOST_MS } from '../run/stop-loops.ts';
import { writeFacts } from '../../call/write-facts.ts';
import type { ExitCode } from '../../../core/model/errors.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import type { Kept } from '../../../world/keep/keep.ts';
import type { AwayPlace } from '../../../world/keep/take-away.ts';
import type { Call, Handler } from '../../call/handler.ts';
import type { Project } from '../../call/project.ts';

/** Throws a loop away. Its work is kept first; killed anywhere, calling it again goes on from there. */
export const handle: Handler = async (call) => {
  refuseInLoop(call, 'loops discard');
  requireChoice(call);
  const project = await openProject(call);
  const isOpen = (loop: Loop): boolean => loop.phase.at !== 'landed' && !isDiscarded(loop);
  const loops = (await chosenLoops(call, project, await readState(project.repo), isOpen)) ?? [];
  return actOnEach(
    call,
    loops.map(({ id }) => id),
    (one) => discardOne(one, project),
  );
};

async function discardOne(call: Call, { repo, config }: Project): Promise<ExitCode> {
  const { graceMs } = config.settings.limits;
  await healWorktreeEntries(repo);
  const place = await openKeep(repo, config.settings);
  const state = await readState(repo);
  const loop = findLoop(state, call.args[0] ?? '');
  const path = await worktreeOf(place, state, loop);
  const tip = await readRef(place.view, `refs/heads/${loop.branch}`);
  const isDone = isDiscarded(loop) && path === null && (tip === null || !ownsBranch(loop));
  if (!isDone) {
    requireAllowed(call, state, loop, livingTokens(repo, { loop: loop.id, path }).length > 0);
    if (!(await confirm(call, question(state, loop), again(call, loop, '-y')))) {
      call.out.say('nothing changed');
      return EXIT.ok;
    }
  }
  const isForced = call.flags['force'] === true && !isDone;
  // Whoever holds it lets go when it reads this; until it has, nothing in the worktree holds still.
  if (isForced) await tell(place, loop, null);
  const waitMs = isForced && loop.host !== null ? graceMs + HOST_MS : 0;
  if (!isDone) await quietLoop(repo, { loop: loop.id, path, waitMs, graceMs });
  // Its host commits what it finds in a checkout when its agent is gone; until then its branch moves.
  if (isForced && loop.place.at === 'checkout') await awaitLetGo(loop.place.path, loop.id, waitMs);
  for (const did of await checkSeals(place, state, loop, path)) call.out.say(call.out.style.yellow(`its agent ${did}`));
  const kept = isDone ? null : await discard(place, state, loop, path);
  if (call.flags['json'] === true)
    call.out.json({ version: 1, loop: loop.id, branch: loop.branch, path, kept: kept?.id ?? null });
  else if (isDone) call.out.say(`${loop.id} was discarded before`);
  else {
    say(call, loop, kept, (await readRef(place.view, `refs/heads/${loop.branch}`)) === null);
    await sayLeft(call, place, loop, kept);
  }
  return EXIT.ok;
}

async function discard(place: AwayPlace, state: State, loop: Loop, path: string | null): Promise<Kept | null> {
  const { id, branch } = loop;
  const order = {
    act: 'discard',
    why: 'a person threw it away',
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

/** What it changed in a person's checkout stays there; one line takes it away, and nothing of theirs. */
async function sayLeft({ out }: Call, { view }: AwayPlace, loop: Loop, kept: Kept | null): Promise<void> {
  const left = kept === null ? null : await findLeft(view, loop, kept.commit);
  if (left === null) return;
  out.say(`  still in your checkout: ${cleanLine(left.paths.join(', '))}`);
  out.say(`  to take that away: ${left.command}`);
}

function requireAllowed(call: Call, state: State, loop: Loop, isAlive: boolean): void {
  const { phase, id } = loop;
  if (phase.at === 'landed')
    throw new AppError('E_LOOP_ENDED', `loop ${id} has landed: its work is no longer its own`, {
      remedy: `git revert -m 1 ${phase.commit.slice(0, 12)}`,
    });
  if (call.flags['force'] === true) return;
  const rides = state.landing?.cars.some((car) => car.loop === id) === true;
  const why =
    isWorking(loop) && loop.host !== null
      ? 'is working'
      : rides
        ? 'is about to land'
        : isAlive
          ? 'has processes that live'
          : null;
  if (why === null) return;
  throw new AppError('E_BUSY', `loop ${id} ${why}`, {
    facts: ['with --force it is stopped first; what it has done so far is kept'],
    remedy: again(call, loop, '--force'),
  });
}

const isDiscarded = ({ phase }: Loop): boolean => phase.at === 'parked' && phase.reason === 'discarded';

const again = (call: Call, loop: Loop, flag: string): string =>
  [
    'ralph loops discard',
    shellWord(loop.id),
    ...(call.flags['force'] === true ? ['--force'] : []),
    ...(call.flags['yes'] === true ? ['-y'] : []),
    flag,
  ].join(' ');

const question = (state: State, loop: Loop): string =>
  `Discard ${loop.id} (task ${taskIdOf(state, loop.task)}) with its ${loop.place.at === 'checkout' ? 'branch, if that was made for it' : 'worktree and branch'}? Its work is kept.`;

function say({ out }: Call, loop: Loop, kept: Kept | null, isGone: boolean): void {
  const branch = isGone ? 'is gone' : `stays, because it is ${ownsBranch(loop) ? 'checked out or was moved' : 'yours'}`;
  const where = loop.place.at === 'checkout' ? 'your checkout stays as it is' : 'its worktree is gone';
  out.say(`discarded ${loop.id}: ${where}, its branch ${loop.branch} ${branch}`);
  if (kept === null) {
    out.say('  it had nothing to keep');
    return;
  }
  out.say(`  kept as ${kept.id}: its commits, ${filesText(kept.files)}`);
  out.say(`to take it back: ralph undo   as a branch: ${restoreCommand(kept.id)}`);
}
