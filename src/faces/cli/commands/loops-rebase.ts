import { AppError, EXIT } from '../../../core/model/errors.ts';
import { canBeQueued } from '../../../core/loops/landing-queue.ts';
import { isLive, loopsOf } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { isAncestor } from '../../../world/git/merge/merge.ts';
import { preflight } from '../../../world/git/files/preflight.ts';
import { fetchUpstream, push } from '../../../world/git/refs/remote.ts';
import { readRef } from '../../../world/git/refs/refs.ts';
import { healWorktreeEntries } from '../../../world/keep/heal-entries.ts';
import { openKeep } from '../../../world/keep/take-away.ts';
import { livingTokens } from '../../../world/agents/quiet-loop.ts';
import { notePushed, readPushed } from '../../../world/landing/pushed.ts';
import { rebaseBranch } from '../../../world/loops/rebase-branch.ts';
import { requireAct } from '../../../core/views/acts.ts';
import { findLoop } from '../../call/find-loop.ts';
import { targetFor } from '../run/as-started.ts';
import { openProject, readState } from '../../call/project.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { mayFetch } from '../show/say-upstream.ts';
import { whereOf } from '../../call/acts/stop.ts';
import type { Sha } from '../../../core/model/ids.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import type { RemotePlace } from '../../../world/git/refs/remote.ts';
import type { GitView } from '../../../world/git/run/view.ts';
import type { AwayPlace } from '../../../world/keep/take-away.ts';
import type { Call, Handler } from '../../call/handler.ts';

interface Line {
  readonly loop: string;
  readonly branch: string;
  readonly how: 'rebased' | 'merged' | 'current' | 'conflict' | 'skipped';
  readonly to: Sha | null;
  readonly kept: string | null;
  readonly paths: readonly string[];
  readonly why: string | null;
  readonly pushed: boolean;
  readonly next: string;
}

interface Rebased {
  readonly target: string;
  readonly base: Sha;
  readonly loops: readonly (Line & { readonly target: string })[];
}

/** Brings waiting branches up to date with what they will land on. Touches no checkout but their own. */
export const handle: Handler<Rebased> = async (call) => {
  refuseInLoop(call, 'loops rebase');
  const { repo, config } = await openProject(call);
  await healWorktreeEntries(repo);
  const place = await openKeep(repo, config.settings);
  const state = await readState(repo);
  const chosen = choose(call, state);
  const { target } = await preflight(repo, config.settings.landing.target);
  const bases = new Map<string, Sha>();
  const upTo = async (name: string): Promise<Sha> => {
    const base = bases.get(name) ?? (await baseOf(call, place, name, mayFetch(call, config.settings)));
    bases.set(name, base);
    return base;
  };
  const lines: (Line & { readonly target: string })[] = [];
  for (const loop of chosen) {
    const own = targetFor(call, repo, loop.id, config.settings) ?? target;
    lines.push({ ...(await rebaseOne(call, place, state, loop, { base: await upTo(own), target: own })), target: own });
  }
  return {
    data: { target, base: await upTo(target), loops: lines },
    says: lines.length === 0 ? ['no branch waits to land'] : lines.map((line) => inWords(line, line.target)),
    exit: lines.some(({ how }) => how === 'conflict') ? EXIT.parked : EXIT.ok,
  };
};

/** What waits for a person; a queue brings main in by itself. */
const isWaiting = (loop: Loop): boolean =>
  canBeQueued(loop) && (loop.phase.at !== 'parked' || ['conflict', 'red'].includes(loop.phase.reason));

function choose(call: Call, state: State): readonly Loop[] {
  const [id] = call.args;
  if (id === undefined) return loopsOf(state).filter(isWaiting);
  const loop = findLoop(state, id);
  requireAct(state, loop, 'rebase');
  return [loop];
}

/** Where the next landing begins, or what the target follows if that has simply gone ahead. */
async function baseOf(call: Call, { repo, view }: AwayPlace, target: string, isAsked: boolean): Promise<Sha> {
  const place: RemotePlace = { repo, env: call.env };
  const upstream = await fetchUpstream(place, target, isAsked).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'E_GIT') throw error;
    call.out.say(call.out.style.yellow(`warning: ${cleanLine(error.message)}; continuing with what is here`));
    return fetchUpstream(place, target, false);
  });
  const main = await readRef(view, `refs/heads/${target}`);
  if (main === null) throw new AppError('E_NO_TARGET', `there is no branch ${target}`, { remedy: 'git branch' });
  return further(view, await further(view, main, await readRef(view, `refs/paralph/int/${target}`)), upstream);
}

const further = async (view: GitView, one: Sha, other: Sha | null): Promise<Sha> =>
  other !== null && (await isAncestor(view, one, other)) ? other : one;

async function rebaseOne(
  call: Call,
  place: AwayPlace,
  state: State,
  loop: Loop,
  { base, target }: { readonly base: Sha; readonly target: string },
): Promise<Line> {
  const { id, branch } = loop;
  const line = { loop: id, branch, to: null, kept: null, paths: [], why: null, pushed: false };
  const next = `ralph loops ${loop.phase.at === 'ready' ? 'merge' : 'retry'} ${shellWord(id)}`;
  const where = whereOf(loop);
  const why = whyNot(state, loop) ?? (livingTokens(place.repo, where).length > 0 ? 'its processes still live' : null);
  if (why !== null) return { ...line, how: 'skipped', why, next };
  try {
    const done = await rebaseBranch(place, { loop: id, branch, path: where.path, base, target });
    if (done.how === 'conflict') return { ...line, how: 'conflict', paths: done.paths, next: mendingOf(loop, target) };
    const { to = done.from, kept = null } = done.how === 'current' ? {} : done;
    const pushed = call.flags['push'] === true && (await pushAgain({ repo: place.repo, env: call.env }, branch, to));
    return { ...line, how: done.how, to, kept, pushed, next };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'E_NEEDS_PERSON' || call.args.length > 0) throw error;
    return { ...line, how: 'skipped', why: error.message, next: error.remedy ?? next };
  }
}

/** Its agent mends what was put aside; what is ready was never found not to fit, so a person begins. */
function mendingOf({ id, phase, worktree, branch }: Loop, target: string): string {
  if (phase.at === 'parked') return `ralph loops resume ${shellWord(id)}`;
  const merge = `merge ${shellWord(target)}`;
  return worktree === null
    ? `git switch ${shellWord(branch)} && git ${merge}`
    : `git -C ${shellWord(worktree)} ${merge}`;
}

function whyNot(state: State, loop: Loop): string | null {
  if (loop.place.at === 'checkout') return 'it works in your checkout: bring that up to date yourself';
  const above = loopsOf(state).find((other) => isLive(other) && other.onto.includes(loop.id));
  return above === undefined ? null : `${above.id} builds on it as it is`;
}

/** Only where it was pushed from here before; false: it was not. */
async function pushAgain(place: RemotePlace, branch: string, commit: Sha): Promise<boolean> {
  const before = readPushed(place.repo, branch);
  if (before === null) return false;
  const { remote, branch: theirs } = before;
  if (before.commit !== commit) await push(place, { remote, branch: theirs, commit, expected: before.commit });
  notePushed(place.repo, branch, { remote, branch: theirs, commit });
  return true;
}

function inWords({ loop, how, kept, paths, why, pushed, next }: Line, target: string): string {
  const also = pushed ? ', and pushed' : '';
  switch (how) {
    case 'rebased':
    case 'merged':
      return `${loop} is up to date with ${target}${how === 'merged' ? ' by a merge' : ''}${also}; what it was is ${kept ?? ''}. next: ${next}`;
    case 'current':
      return `${loop} was up to date with ${target}${also}. next: ${next}`;
    case 'conflict':
      return `${loop} conflicts with ${target} in ${cleanLine(paths.join(', '))}; nothing was changed. to resolve: ${next}`;
    case 'skipped':
      return `${loop} stays as it is: ${cleanLine(why ?? '')}`;
  }
}
