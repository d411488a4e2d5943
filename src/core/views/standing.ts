import { describeBesides, heldBesides, withBranch } from './besides.ts';
import { describeHold } from './describe-hold.ts';
import type { LoopId } from '../model/ids.ts';
import { isTakenByAnother } from '../fold/land.ts';
import type { Loop, ParkReason, State } from '../model/model.ts';
import { isWorking, loopsOf } from '../model/model.ts';
import { shellWord } from '../model/shell-word.ts';
import { taskIdOf } from '../model/tasks.ts';
import { describeLack } from '../loops/waiting.ts';
import { describeWithdrawn, isWithdrawn } from '../loops/withdrawn.ts';

/** Where a loop stands, for every face; in this order they are counted. */
export const LOOP_STATES = [
  'at-work',
  'waiting',
  'stopped',
  'ready',
  'landing',
  'in-review',
  'parked',
  'landed',
  'discarded',
] as const;

export type LoopState = (typeof LOOP_STATES)[number];

/** A task stands where its loop stands. Without one it is open, blocked or done. */
export const TASK_STATES = [...LOOP_STATES, 'open', 'blocked', 'done'] as const;

export type TaskState = (typeof TASK_STATES)[number];

export interface Standing<S extends TaskState = LoopState> {
  readonly state: S;
  /** One word more: what it waits for, why it was parked, who stopped it. */
  readonly reason: string | null;
  /** The same for a person. */
  readonly why: string;
  /** The command that most likely helps; null: there is nothing to do by hand. */
  readonly next: string | null;
}

/** There is a command for whatever a loop is at. */
export interface LoopStanding extends Standing {
  readonly next: string;
}

export const COMMIT_DIGITS = 12;

export function standing(state: State, loop: Loop): LoopStanding {
  const { phase, id } = loop;
  switch (phase.at) {
    case 'preparing':
    case 'iterating':
    case 'gating':
    case 'updating':
      return loop.host === null ? free(state, loop) : held(state, loop, loop.host);
    case 'waiting': {
      const why = `for ${describeLack(state, phase.tasks)}`;
      return { state: 'waiting', reason: 'tasks', why, next: `ralph loops resume ${shellWord(id)}` };
    }
    case 'ready':
      return ready(state, loop, phase.queued);
    case 'reviewing':
      return reviewing(loop);
    case 'landed': {
      const commit = phase.commit.slice(0, COMMIT_DIGITS);
      return { state: 'landed', reason: null, why: `as ${commit}`, next: `git show ${commit}` };
    }
    case 'parked':
      if (phase.reason === 'discarded')
        return { state: 'discarded', reason: null, why: phase.detail, next: 'ralph keep list' };
      if (phase.reason === 'stopped')
        return { state: 'stopped', reason: 'you', why: phase.detail, next: `ralph loops resume ${shellWord(id)}` };
      return {
        state: 'parked',
        reason: phase.reason,
        why: phase.detail === '' ? phase.reason : phase.detail,
        next: isTakenByAnother(state, loop) ? `ralph loops discard ${shellWord(id)}` : parkedNext(loop, phase.reason),
      };
  }
}

/** What its pull request waits for as far as the loop tells; `ralph pr show` knows more. */
function reviewing({ id, pull }: Loop): LoopStanding {
  const number = pull?.number ?? null;
  const verdict = pull?.seen?.checks.verdict;
  const checks = verdict === undefined ? '' : `, its checks are ${verdict === 'none' ? 'not there yet' : verdict}`;
  const why = number === null ? 'its pull request is about to be opened' : `pull request #${number} is open${checks}`;
  return { state: 'in-review', reason: null, why, next: `ralph pr show ${shellWord(id)}` };
}

/** A host has it. */
function held({ hosts }: State, loop: Loop, by: NonNullable<Loop['host']>): LoopStanding {
  const { phase, id } = loop;
  const host = hosts[by];
  if (host?.state === 'stopped') {
    const { pid } = host.mark;
    return { state: 'stopped', reason: 'suspended', why: `process ${pid} is suspended`, next: `kill -CONT ${pid}` };
  }
  const why = loop.stopping ? 'stops when its iteration ends' : describeWork(loop);
  return { state: 'at-work', reason: phase.at, why, next: `ralph loops logs ${shellWord(id)} -f` };
}

function describeWork({ phase, progress }: Loop): string {
  switch (phase.at) {
    case 'iterating':
      return `iteration ${phase.n}${progress === null ? '' : `, last message: ${progress}`}`;
    case 'gating':
      return `its gates run after iteration ${phase.n}`;
    case 'updating':
      return 'main is being merged into its worktree';
    default:
      return 'its worktree is being made';
  }
}

/** What a loop that its host gave back waits for. */
export const WAITS: Readonly<Record<NonNullable<Loop['waitsFor']>, string>> = {
  auth: 'no agent can work now',
  budget: "the run's budget is spent",
  limit: 'a limit of the project is reached',
  base: 'main itself fails its gates',
};

/** No host has it. */
function free(state: State, loop: Loop): LoopStanding {
  const { waitsFor, hostDied } = loop;
  const next = `ralph loops resume ${shellWord(loop.id)}`;
  if (waitsFor !== null)
    return {
      state: 'waiting',
      reason: waitsFor,
      why: waitsFor === 'auth' ? (heldAccount(state) ?? WAITS.auth) : WAITS[waitsFor],
      next: waitsFor === 'auth' ? `ralph agents check ${shellWord(loop.agent)}` : next,
    };
  const left = isWithdrawn(state, loop) ? `; ${describeWithdrawn(state, loop)}` : '';
  return hostDied
    ? { state: 'stopped', reason: 'host-died', why: `its host died${left}`, next }
    : { state: 'stopped', reason: 'host-stopped', why: `its host stopped${left}`, next };
}

function heldAccount({ accounts }: State): string | null {
  const [first] = Object.entries(accounts).flatMap(([name, { hold }]) =>
    hold === null ? [] : [`${name}: ${describeHold(hold)}`],
  );
  return first ?? null;
}

function ready(state: State, loop: Loop, isQueued: boolean): LoopStanding {
  const land = `ralph land ${shellWord(loop.id)}`;
  if (state.landing?.cars.some((car) => car.loop === loop.id) === true)
    return { state: 'landing', reason: 'train', why: 'it rides on the train', next: 'ralph queue --watch' };
  if (isWithdrawn(state, loop))
    return { state: 'ready', reason: 'withdrawn', why: describeWithdrawn(state, loop), next: land };
  if (isQueued) return { state: 'landing', reason: 'queued', why: whyNotAboard(state, loop), next: queuedNext(state) };
  const besides = heldBesides(loop);
  if (besides !== null)
    return { state: 'ready', reason: 'besides', why: describeBesides(besides), next: withBranch(loop) };
  const proof = loop.lastGate?.isUntested === true ? 'no gates tested it' : 'its gates are green';
  const why = `${proof}, and a person lands it${meanwhile(state)}`;
  return { state: 'ready', reason: 'manual', why, next: land };
}

/** What would make it wait if a person landed it now. */
function meanwhile({ queuePaused, landingTrouble, landing, hosts }: State): string {
  if (queuePaused) return '; the queue is paused';
  if (landingTrouble !== null) return `; landing is stopped: ${landingTrouble.detail}`;
  return landing === null ? '' : `; process ${hosts[landing.host]?.mark.pid ?? '?'} lands other work now`;
}

/** What a ready loop waits for, in words. */
export function whyNotAboard(state: State, loop: Loop): string {
  if (state.queuePaused) return 'the queue is paused';
  const base = loop.onto.find((id) => state.loops[id]?.phase.at !== 'landed');
  if (base !== undefined) return `builds on ${taskName(state, base)}, which has not landed`;
  if (loop.clash !== null && loop.clash.base === state.integration) {
    const { paths } = loop.clash;
    const before = loopsOf(state).find(
      (other) => isWorking(other) && other.rework?.paths.some((path) => paths.includes(path)) === true,
    );
    const turn =
      before === undefined ? 'it goes back to its agent' : `${taskName(state, before.id)} goes back to its agent first`;
    return `does not merge with main in ${paths.join(', ')}; ${turn}`;
  }
  if (state.landing?.left.includes(loop.id) === true) return 'does not merge behind this train; rides the next one';
  return state.landing === null ? 'rides the next train' : 'boards when the gates of this train are done';
}

const taskName = (state: State, id: LoopId): string => {
  const loop = state.loops[id];
  return loop === undefined ? id : taskIdOf(state, loop.task);
};

function queuedNext(state: State): string {
  if (state.queuePaused) return 'ralph queue resume';
  const isLanded = Object.values(state.hosts).some((host) => host.state === 'up');
  return isLanded ? 'ralph queue --watch' : 'ralph land --all';
}

type Reason = Exclude<ParkReason, 'stopped' | 'discarded'>;

function parkedNext(loop: Loop, reason: Reason): string {
  const id = shellWord(loop.id);
  switch (reason) {
    case 'conflict':
    case 'red':
      // To land it once more as it is would end the same way; its agent can merge, but not in a person's checkout.
      return loop.place.at === 'worktree' ? `ralph loops resume ${id}` : `ralph land ${id}`;
    case 'iterations':
    case 'runtime':
    case 'budget':
    case 'no-progress':
    case 'failures':
    case 'broken':
      return `ralph loops resume ${id}`;
    case 'blocked':
      return `ralph loops logs ${id}`;
    case 'base-parked':
    case 'ejected':
    // A person has looked at it when they say so.
    case 'protected':
    case 'too-large':
      return `ralph land ${id}`;
    // A person has to see what it did before it goes on.
    case 'duplicate':
    case 'tampered':
      return `ralph loops diff ${id}`;
    case 'pull-request':
      return `ralph pr show ${id}`;
    case 'reset':
    case 'replaced':
      return `ralph loops discard ${id}`;
  }
}

/** Whether it goes on only when a person does something. */
export const isForPerson = ({ state, reason }: Pick<Standing<TaskState>, 'state' | 'reason'>): boolean =>
  state === 'ready' || state === 'parked' || state === 'stopped' || (state === 'waiting' && reason !== 'tasks');

/** In a sentence: `loop a-1 is parked (conflict): …`. */
export const describeStanding = ({ state, reason, why }: Omit<Standing<TaskState>, 'next'>): string =>
  `${state}${reason === null ? '' : ` (${reason})`}: ${why}`;
