import { describeBesides, madeBefore, withBranch } from '../../../core/views/besides.ts';
import { AppError, EXIT } from '../../../core/model/errors.ts';
import type { Event } from '../../../core/model/events.ts';
import { requireAct } from '../../../core/views/acts.ts';
import type { LoopId } from '../../../core/model/ids.ts';
import { canBeQueued, landingQueue } from '../../../core/loops/landing-queue.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import { loopsOf } from '../../../core/model/model.ts';
import { newestLoops } from '../../../core/plan/newest-loops.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { preflight } from '../../../world/git/files/preflight.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { openView } from '../../../world/git/run/view.ts';
import { areFactsLost } from '../../../world/repair/lost-facts.ts';
import { branchTip } from '../../../world/worktrees/worktrees.ts';
import { findBesides } from '../../../world/checkout/find-besides.ts';
import { ownTarget, toOwnTarget } from '../run/as-started.ts';
import { driveHost } from '../run/drive-host.ts';
import { headToReview } from '../../call/acts/review.ts';
import { findOne } from '../../call/find-one.ts';
import type { Answer, Call, Handler } from '../../call/handler.ts';
import { columns } from '../../call/output.ts';
import { openLandingWorld } from '../run/landing-world.ts';
import { gateWarnings, landPolicy } from '../run/policy.ts';
import { warnAll } from '../show/warn-all.ts';
import { readState } from '../../call/project.ts';
import type { Project } from '../../call/project.ts';
import { refuseInLoop, typedName } from '../run/refuse-in-loop.ts';
import { sayObeyed } from '../show/say-obeyed.ts';
import { startProject } from '../run/start-project.ts';
import type { PullView } from '../../../core/views/pull-view.ts';
import type { RunAnswer } from '../run/finish-run.ts';
import { finishRun } from '../run/finish-run.ts';

export interface LandPlan {
  readonly target: string;
  readonly land: readonly {
    readonly task: string;
    readonly loop: string;
    readonly branch: string;
    readonly head: string | null;
  }[];
}

/** What `land` answers where nothing is ready. */
export type NothingLanded = Readonly<Record<'landed' | 'ready' | 'parked', readonly string[]>>;

/** Under pull requests: what was opened. */
interface Opened {
  readonly pulls: readonly PullView[];
}

export type LandAnswer = RunAnswer | LandPlan | NothingLanded | Opened;

/** Lands what is ready: the same host as a run, with no slot for new loops. */
export const handle: Handler<LandAnswer> = async (call) => {
  if (call.flags['dryRun'] !== true) refuseInLoop(call, typedName(call, 'land'));
  const project = await startProject(call);
  const { repo, config } = project;
  const { settings } = config;
  const isDry = call.flags['dryRun'] === true;
  // Under pull requests nothing lands here: what a person names is opened as one.
  if (settings.parallel.mergePolicy === 'pr' && !isDry && call.args.length > 0) {
    const { openPulls } = await import('./pr-open.ts');
    return openPulls(call, project);
  }
  const state = await readState(repo);
  const { target } = await preflight(repo, settings.landing.target);
  const named = choose(call, state).filter((loop) => landsHere(call, repo, loop, target));
  const chosen = withBases(state, await withoutBesides(call, project, { state, loops: named, target }));
  if (call.flags['json'] !== true) await sayObeyed(call, repo, { state, loops: chosen, target });
  if (call.flags['dryRun'] === true) return dryRun(call, project, state, { chosen, target });
  const items = await headsToLand(call, project, chosen);
  const pending =
    chosen.length > 0 ||
    landingQueue(state).length > 0 ||
    areFactsLost(repo) ||
    state.suspect !== null ||
    (state.integration !== null && state.integration !== state.publishing.published);
  if (!pending) {
    return { data: { landed: [], ready: [], parked: [] }, says: ['nothing is ready to land'] };
  }
  warnAll(call, gateWarnings(settings, call.env));
  const world = await openLandingWorld(call, project, target);
  const policy = landPolicy({ settings, tracker: world.tracker.path, target, env: call.env });
  const driven = await driveHost(call, {
    world,
    policy,
    settings,
    opening: (now) => request(items.filter(({ loop }) => isUnchanged(state.loops[loop], now.loops[loop]))),
  });
  return finishRun(call, driven, policy);
};

/** Lands one loop. What became of that one decides; others that are parked do not. */
export async function landOne(call: Call, repo: Repository, { id }: Loop): Promise<Answer<LandAnswer>> {
  const answer = await handle({ ...toOwnTarget(call, repo, id), args: [id] });
  const { exit = EXIT.ok } = answer;
  if (exit !== EXIT.ok && exit !== EXIT.parked) return answer;
  const isLanded = (await readState(repo)).loops[id]?.phase.at === 'landed';
  return { ...answer, exit: isLanded ? EXIT.ok : EXIT.parked };
}

function choose(call: Call, state: State): readonly Loop[] {
  const can = loopsOf(state).filter(canBeQueued);
  if (call.flags['all'] === true)
    return can.filter((loop) => loop.phase.at === 'ready').sort((a, b) => readySeqOf(a) - readySeqOf(b));
  if (call.args.length === 0)
    throw new AppError('E_USAGE', 'say which loops to land, or --all', { remedy: 'ralph land --all' });
  return call.args.map((id) => {
    const loop = findOne(
      [...newestLoops(state).values()],
      (one) => [taskIdOf(state, one.task), one.id],
      id,
      'task or loop',
      'ralph status',
    );
    requireAct(state, loop, 'land');
    return loop;
  });
}

/** What was started for another branch lands there, by a call of its own. */
function landsHere(call: Call, repo: Repository, { id }: Loop, target: string): boolean {
  const own = ownTarget(repo, id) ?? target;
  if (own === target || call.settings.has('landing.target')) return true;
  call.out.say(`${id} lands on ${cleanLine(own)}: ralph loops merge ${shellWord(id)}`);
  return false;
}

/** What a person has on the branch of a loop lands when they say so; of everything that is ready, the rest lands. */
export async function withoutBesides(
  call: Call,
  { repo }: Project,
  { state, loops, target }: { readonly state: State; readonly loops: readonly Loop[]; readonly target: string },
): Promise<readonly Loop[]> {
  if (call.flags['withBranch'] === true) return loops;
  const view = await openView(repo);
  const found = await Promise.all(
    loops.map(async (loop) => {
      const head = (await branchTip(repo, loop.branch)) ?? loop.head;
      const isAsked = loop.phase.at === 'ready' && loop.phase.queued;
      if (head === null || isAsked || loop.place.at !== 'checkout') return null;
      return findBesides(
        { repo, view },
        { loop: loop.id, branch: loop.branch, head, target, ...madeBefore(state, loop) },
      );
    }),
  );
  return loops.filter((loop, at) => {
    const besides = found[at] ?? null;
    if (besides === null) return true;
    if (call.flags['all'] !== true)
      throw new AppError('E_NEEDS_PERSON', `${loop.id} does not land alone: ${cleanLine(describeBesides(besides))}`, {
        facts: ['to land only its own work, remove the other commits from the branch'],
        remedy: withBranch(loop),
      });
    call.out.say(`${loop.id} stays ready: ${cleanLine(describeBesides(besides))}. all of it: ${withBranch(loop)}`);
    return false;
  });
}

/** First come, first landed. */
const readySeqOf = ({ phase }: Loop): number => (phase.at === 'ready' ? phase.readySeq : 0);

/** A loop that was started from another's unlanded branch brings that one along, before itself. */
function withBases(state: State, chosen: readonly Loop[]): readonly Loop[] {
  const all = new Map<LoopId, Loop>();
  const take = (loop: Loop): void => {
    for (const id of loop.onto) {
      const base = state.loops[id];
      if (base != null && canBeQueued(base)) take(base);
    }
    all.set(loop.id, loop);
  };
  for (const loop of chosen) take(loop);
  return [...all.values()];
}

type Items = Extract<Event, { type: 'landing-requested' }>['items'];

const request = (items: Items): readonly Event[] => (items.length === 0 ? [] : [{ type: 'landing-requested', items }]);

/** Since it was looked at it may have gone back to work, and be ready again with something that nobody has read. */
const isUnchanged = (was: Loop | undefined, now: Loop | undefined): boolean =>
  now !== undefined && was?.head === now.head && was?.fence === now.fence;

/** The branches as they are now: a person may have resolved something there since. What is approved hereby is named. */
async function headsToLand(call: Call, { repo }: Project, loops: readonly Loop[]): Promise<Items> {
  const named = call.flags['head'];
  if (typeof named === 'string' && (call.flags['all'] === true || call.args.length !== 1))
    throw new AppError('E_USAGE', '--head goes with one id', { remedy: 'ralph land --help' });
  const items = [];
  for (const loop of loops) {
    const isMeant = typeof named === 'string' && loop.id === loops.at(-1)?.id;
    if (!isMeant && loop.head === null) continue;
    const head = await headToReview(repo, loop, isMeant ? named : null, 'approved');
    items.push({ loop: loop.id, head });
    if (call.flags['json'] !== true) call.out.say(`${loop.id} lands as it is at ${head.slice(0, 12)}`);
  }
  return items;
}

async function dryRun(
  { out }: Call,
  { repo }: Project,
  state: State,
  { chosen, target }: { readonly chosen: readonly Loop[]; readonly target: string },
): Promise<Answer<LandPlan>> {
  const rows = [];
  for (const { id, task, branch, head } of chosen)
    rows.push({ task: taskIdOf(state, task), loop: id, branch, head: (await branchTip(repo, branch)) ?? head });
  const told = `target ${target}; nothing was changed`;
  return {
    data: { target, land: rows },
    text: columns(
      rows.map((row) => ['land', row.task, row.branch, row.head ?? '']),
      out.width,
    ),
    says: rows.length === 0 ? ['nothing is ready to land', told] : [told],
  };
}
