import { AppError } from '../core/model/errors.ts';
import type { Event } from '../core/model/events.ts';
import { leaderOf } from '../core/fold/hosts.ts';
import { taskKey } from '../core/model/ids.ts';
import type { HostId, LoopId } from '../core/model/ids.ts';
import { landedUnticked } from '../core/model/tasks.ts';
import type { State } from '../core/model/model.ts';
import type { Claims, Closing, Hold, TaskPhase } from '../world/contract/tracker.ts';
import type { World } from '../world/contract/world.ts';
import { lostEvent } from './effects/claim-task.ts';
import { closingOf, foundIn, holdOf, leftBehind, phaseOf, underWay } from './effects/holds.ts';

/** A program that does not answer is asked again after a while, and not for ever. */
const RETRY_MS = 5000;
const TRIES_MAX = 3;
/** A claim is kept alive well before it would run out. */
const BEATS_PER_LEASE = 3;

export interface TrackerFollower {
  /** Tells the tracker what became of its tasks, if it does not know; never waits for it. */
  readonly follow: (state: State, me: HostId) => void;
  /** What the tracker answered since the last call. */
  readonly take: () => readonly Event[];
  /** Nothing is left that the tracker has to be told, or it does not listen. */
  readonly isIdle: (state: State, me: HostId) => boolean;
  readonly stop: () => Promise<void>;
}

/** What this process knows of what it has told. */
interface Told {
  /** Landed tasks that were to be closed, with the list in which they were open. */
  closed: string;
  /** The closed tasks, and the list, after which nothing more was to be closed. */
  wrapped: string;
  /** False: landing does it all. */
  isCloser: boolean;
  /** How far each loop is, as it was told last, when, and of which list. */
  readonly phases: Map<LoopId, { readonly phase: TaskPhase; readonly atMs: number; readonly digest: string }>;
  readonly released: Set<string>;
  readonly found: Set<string>;
}

/** One thing to tell, and what comes of it. */
interface Word {
  readonly run: () => Promise<readonly Event[]>;
}

/** Brings a tracker to what the log says, one thing after the other, beside everything else. */
export function createTrackerFollower(
  world: Pick<World, 'tracker' | 'clock'>,
  onWarning: (text: string) => void,
  onTold: () => void,
): TrackerFollower {
  const told: Told = {
    closed: '',
    wrapped: '',
    isCloser: true,
    phases: new Map(),
    released: new Set(),
    found: new Set(),
  };
  let under: Promise<void> | null = null;
  let answers: Event[] = [];
  let tries = 0;
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  let said = '';
  const runAll = async (words: readonly Word[]): Promise<void> => {
    try {
      for (const word of words) {
        // They may be taken while it runs: what it comes to belongs to those of afterwards.
        const came = await word.run();
        answers.push(...came);
      }
      tries = 0;
    } catch (error) {
      // What landed has landed all the same, and who works goes on.
      if (!(error instanceof AppError)) throw error;
      tries += 1;
      notBeforeMs = world.clock.awakeMs() + RETRY_MS;
      if (error.message !== said) onWarning([error.message, ...error.facts].join(': '));
      said = error.message;
    }
  };
  return {
    follow: (state, me) => {
      if (under !== null || world.clock.awakeMs() < notBeforeMs) return;
      const words = wordsFor(world, told, state, me);
      if (words.length === 0) return;
      under = runAll(words).finally(() => {
        under = null;
        onTold();
      });
    },
    take: () => {
      const taken = answers;
      answers = [];
      return taken;
    },
    isIdle: (state, me) =>
      under === null && answers.length === 0 && (tries >= TRIES_MAX || wordsFor(world, told, state, me).length === 0),
    stop: async () => {
      await under;
    },
  };
}

function wordsFor(world: Pick<World, 'tracker' | 'clock'>, told: Told, state: State, me: HostId): readonly Word[] {
  const { tracker } = world;
  const { claims } = tracker;
  const isLeader = leaderOf(state) === me;
  return [
    ...closeWords(world, told, state, claims === undefined || isLeader),
    ...(claims === undefined ? [] : phaseWords(world, claims, told, state, me)),
    ...(claims === undefined || !isLeader ? [] : leaderWords(world, claims, told, state)),
  ];
}

/** Asked once for the same tasks of the same list. */
function closeWords({ tracker }: Pick<World, 'tracker'>, told: Told, state: State, isMine: boolean): readonly Word[] {
  const tasks = told.isCloser && isMine ? landedUnticked(state, tracker.path) : [];
  const closings = tasks.flatMap((task): readonly Closing[] => closingOf(state, tracker.path, task));
  const key = [state.trackers[tracker.path]?.digest, ...closings.map(({ hold }) => hold.task)].join(' ');
  if (closings.length === 0 || key === told.closed) return [];
  const run = async (): Promise<readonly Event[]> => {
    // A file that cannot be written is not asked about again before it has changed; a program may answer the next time.
    if (tracker.claims === undefined) told.closed = key;
    told.isCloser = await tracker.close(closings);
    told.closed = key;
    // What becomes of them from now on is a person's doing.
    return tracker.claims === undefined
      ? []
      : closings.map(({ hold }) => ({ type: 'task-closed', task: taskKey(tracker.path, hold.task) }));
  };
  return [{ run }];
}

function phaseWords(
  { tracker, clock }: Pick<World, 'tracker' | 'clock'>,
  claims: Claims,
  told: Told,
  state: State,
  me: HostId,
): readonly Word[] {
  const digest = state.trackers[tracker.path]?.digest ?? '';
  const beatMs = claims.quietMsMax === null ? Number.POSITIVE_INFINITY : claims.quietMsMax / BEATS_PER_LEASE;
  return underWay(state, tracker.path, me).flatMap(({ loop, task }): readonly Word[] => {
    const phase = phaseOf(loop);
    const hold = holdOf(state, loop);
    const last = told.phases.get(loop.id);
    const isSame = last?.phase === phase && clock.awakeMs() - last.atMs < beatMs;
    const isSeen = last?.digest === digest || (task?.claim?.by === hold.actor && task.claim.phase === phase);
    if (isSame && isSeen) return [];
    const run = async (): Promise<readonly Event[]> => {
      const lost = await claims.phase(hold, phase);
      if (lost === null) told.phases.set(loop.id, { phase, atMs: clock.awakeMs(), digest });
      return lost === null ? [] : [lostEvent(loop, lost)];
    };
    return [{ run }];
  });
}

/** One host gives back what nobody works on, and writes down what was found. */
function leaderWords({ tracker }: Pick<World, 'tracker'>, claims: Claims, told: Told, state: State): readonly Word[] {
  const digest = state.trackers[tracker.path]?.digest ?? '';
  const releases = leftBehind(state, tracker.path).flatMap(({ loop, task, why }): readonly Word[] => {
    const hold: Hold = holdOf(state, loop);
    const key = `${loop.id} ${loop.since} ${digest}`;
    const isHeld = told.phases.has(loop.id) || task?.claim?.by === hold.actor;
    if (!isHeld || told.released.has(key)) return [];
    const run = async (): Promise<readonly Event[]> => {
      await claims.release(hold, why);
      told.phases.delete(loop.id);
      told.released.add(key);
      return [];
    };
    return [{ run }];
  });
  const wrapped = wrapWords(claims, told, digest, tracker.path, state);
  const found = foundIn(state, tracker.path).filter(({ mark }) => !told.found.has(mark));
  if (found.length === 0) return [...releases, ...wrapped];
  const note = async (): Promise<readonly Event[]> => {
    await claims.note(found);
    for (const { mark } of found) told.found.add(mark);
    return [];
  };
  return [...releases, { run: note }, ...wrapped];
}

/** What follows from closed tasks, once for each list that shows them. */
function wrapWords(
  { wrapUp }: Claims,
  told: Told,
  digest: string,
  path: string,
  { landed, trackers }: State,
): readonly Word[] {
  const closed = (trackers[path]?.tasks ?? []).filter(({ id }) => landed[taskKey(path, id)]?.isClosed === true);
  const key = `${digest} ${closed.map(({ id }) => id).join(' ')}`;
  if (wrapUp === undefined || closed.length === 0 || told.wrapped === key) return [];
  const run = async (): Promise<readonly Event[]> => {
    await wrapUp();
    told.wrapped = key;
    return [];
  };
  return [{ run }];
}
