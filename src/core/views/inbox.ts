import { accountOf } from '../loops/accounts.ts';
import { landingQueue } from '../loops/landing-queue.ts';
import { howMany } from '../model/describe-time.ts';
import type { LoopId } from '../model/ids.ts';
import { describeRed } from '../model/line-that-matters.ts';
import type { GateReport, Loop, ParkReason, State } from '../model/model.ts';
import { isLive, loopsOf } from '../model/model.ts';
import type { ProjectLimits } from '../model/project-limits.ts';
import { reachedLimit } from '../model/project-limits.ts';
import { asGate, inNewWorktree, shellWord } from '../model/shell-word.ts';
import { findTask, taskIdOf } from '../model/tasks.ts';
import { newestLoops, staysParked } from '../plan/newest-loops.ts';
import { gatesInWords } from './gates-said.ts';
import { describeHold } from './describe-hold.ts';
import { isTakenByAnother } from '../fold/land.ts';
import type { LoopStanding } from './standing.ts';
import { standing } from './standing.ts';

/** In this order a person is asked: what stops everything, what an agent asks, what waits for a look, what was put aside. */
export const INBOX_KINDS = ['stopped', 'asks', 'review', 'parked'] as const;
export type InboxKind = (typeof INBOX_KINDS)[number];

/** One thing that waits for a person. */
export interface InboxItem {
  readonly kind: InboxKind;
  /** The same for as long as the same loop waits for the same reason. */
  readonly key: string;
  readonly loop: LoopId | null;
  readonly task: string | null;
  readonly title: string;
  /** Where the loop stands, in the word every face uses; of what stops everything: stopped. */
  readonly state: string;
  readonly reason: string;
  readonly detail: string;
  readonly since: number;
  /** When it is over by itself; null: a person has to do something. */
  readonly until: number | null;
  /** What cannot go on meanwhile; null: everything else does. */
  readonly stops: 'start' | 'land' | null;
  readonly next: string;
  /** What the failing gate printed last. */
  readonly lines: readonly string[];
}

export interface InboxView {
  readonly version: 1;
  /** Without what is over by itself. */
  readonly needs_you: number;
  readonly items: readonly InboxItem[];
}

export interface InboxAbout {
  /** Loops a task may get by itself, as `limits.attempts` says. */
  readonly attempts?: number;
  readonly limits?: ProjectLimits | undefined;
}

const LINES_MAX = 8;

/** Everything that waits for a person, the most urgent first; of the same urgency, what has waited longest. */
export function inboxView(state: State, { attempts = 1, limits }: InboxAbout = {}): InboxView {
  const loops = [...newestLoops(state).values()].flatMap((loop) => loopItem(state, loop, attempts));
  const items = [...stops(state, limits), ...loops].toSorted(byUrgency);
  return { version: 1, needs_you: items.filter(({ until }) => until === null).length, items };
}

const byUrgency = (a: InboxItem, b: InboxItem): number =>
  INBOX_KINDS.indexOf(a.kind) - INBOX_KINDS.indexOf(b.kind) ||
  a.since - b.since ||
  (a.key === b.key ? 0 : a.key < b.key ? -1 : 1);

const ASKS: ReadonlySet<ParkReason> = new Set(['blocked']);
/** Done, but a person has to look before it lands. */
const TO_LOOK_AT: ReadonlySet<ParkReason> = new Set(['protected', 'too-large']);

function loopItem(state: State, loop: Loop, attempts: number): readonly InboxItem[] {
  const stands = standing(state, loop);
  const { phase } = loop;
  if (stands.state !== 'ready' && (stands.state !== 'parked' || !isForPerson(state, loop, attempts))) return [];
  const reason = phase.at === 'parked' ? phase.reason : 'review';
  const kind: InboxKind =
    phase.at !== 'parked' || TO_LOOK_AT.has(phase.reason) ? 'review' : ASKS.has(phase.reason) ? 'asks' : 'parked';
  return [
    {
      kind,
      key: `${loop.id}:${reason}`,
      loop: loop.id,
      task: taskIdOf(state, loop.task),
      title: loop.title,
      state: stands.state,
      reason,
      detail: phase.at === 'parked' ? phase.detail : readyDetail(loop, stands),
      since: loop.since,
      until: null,
      stops: null,
      next: stands.next,
      lines: phase.at === 'parked' ? failingLines(loop.lastGate) : [],
    },
  ];
}

/** No run begins its task anew, and no person or landing has done it since. */
function isForPerson(state: State, loop: Loop, attempts: number): boolean {
  if (loop.phase.at !== 'parked' || state.attempts[loop.task] === undefined) return false;
  const isDone = findTask(state, loop.task)?.status === 'done' && loop.phase.reason !== 'duplicate';
  const isOthers = loop.phase.reason === 'replaced' || isTakenByAnother(state, loop);
  return !isDone && !isOthers && staysParked(state, loop, attempts);
}

function readyDetail(loop: Loop, { reason, why }: LoopStanding): string {
  const files = loop.footprint.length;
  const gates = gatesInWords(loop.lastGate);
  return [files === 0 ? null : howMany(files, 'file'), gates, reason === 'manual' ? null : why]
    .filter((part) => part !== null)
    .join(', ');
}

const failingLines = (report: GateReport | null | undefined): readonly string[] =>
  report?.verdict === 'red'
    ? report.tail
        .split('\n')
        .filter((line) => line.trim() !== '')
        .slice(-LINES_MAX)
    : [];

type Stop = Pick<InboxItem, 'reason' | 'detail' | 'since' | 'stops' | 'next'> & Partial<InboxItem>;

/** What keeps everything from starting or from landing, as far as there is something to start or to land. */
function stops(state: State, limits?: ProjectLimits): readonly InboxItem[] {
  const hasWork = loopsOf(state).some(isLive) || hasOpenTasks(state);
  return [
    ...(hasWork ? [base(state), budget(state), limit(state, limits), disk(state), ...accounts(state)] : []),
    trouble(state),
    queuePaused(state),
    hasWork ? runPaused(state) : null,
    publishing(state),
    ...suspended(state),
  ].flatMap((stop): readonly InboxItem[] =>
    stop === null
      ? []
      : [
          {
            kind: 'stopped',
            key: `all:${stop.reason}`,
            loop: null,
            task: null,
            title: TITLES[stop.reason] ?? stop.reason,
            state: 'stopped',
            until: null,
            lines: [],
            ...stop,
          },
        ],
  );
}

const TITLES: Readonly<Record<string, string>> = {
  landing: 'landing is stopped',
  paused: 'the queue is paused',
  'run-paused': 'the run is paused',
  base: 'main itself fails its gates',
  budget: "the run's budget is spent",
  limit: 'a limit of the project is reached',
  disk: 'too little disk space',
  account: 'no agent can work now',
  publish: 'the branch does not hold what landed',
  suspended: 'a host is suspended',
};

const hasOpenTasks = (state: State): boolean =>
  Object.entries(state.trackers).some(([path, { tasks }]) =>
    tasks.some(({ id, status }) => status === 'open' && !Object.hasOwn(state.landed, `${path}#${id}`)),
  );

function base({ bases, target }: State): Stop | null {
  const { commit, red } = Object.values(bases).at(-1) ?? { commit: '', red: null };
  if (red === null) return null;
  const branch = target ?? 'main';
  return {
    reason: 'base',
    title: `${branch} itself fails its gates`,
    detail: `${commit.slice(0, 10)}: ${describeRed(red.report)}`,
    since: 0,
    stops: 'start',
    next: inNewWorktree(`refs/paralph/int/${branch}`, asGate(red.report.failing ?? '')),
    lines: failingLines(red.report),
  };
}

const budget = ({ run }: State): Stop | null =>
  run.overspent === null
    ? null
    : { reason: 'budget', detail: run.overspent, since: run.since, stops: 'start', next: 'ralph run' };

function limit(state: State, limits: ProjectLimits | undefined): Stop | null {
  const bound = limits ?? Object.values(state.hosts).at(-1)?.policy.project;
  const reached = reachedLimit(state, bound);
  return reached === null
    ? null
    : { reason: 'limit', detail: reached.spent, since: 0, stops: 'start', next: reached.next };
}

const disk = ({ disk: low }: State): Stop | null =>
  low === null
    ? null
    : {
        reason: 'disk',
        detail: `${low.freeMb} MB free, ${low.floorMb} MB required`,
        since: low.since,
        stops: 'start',
        next: 'ralph prune',
      };

/** One account of several that is held stops nothing, unless only a person can let it go. */
function accounts(state: State): readonly Stop[] {
  const used = Object.values(state.hosts).flatMap(({ policy }) => (policy.slots > 0 ? policy.agents : []));
  const names = new Set(used.map(({ account }) => account));
  const isHeld = (name: string): boolean => (accountOf(state, name)?.hold ?? null) !== null;
  const areAllHeld = names.size > 0 && [...names].every(isHeld);
  return Object.entries(state.accounts).flatMap(([name, { hold }]): readonly Stop[] => {
    if (hold === null) return [];
    const isPersons = hold.kind === 'auth' || hold.kind === 'missing';
    if (!isPersons && !areAllHeld) return [];
    const agent = used.find(({ account }) => account === name)?.name ?? name;
    return [
      {
        reason: 'account',
        key: `all:account:${name}`,
        detail: `${name}: ${describeHold(hold)}`,
        since: hold.since,
        until: isPersons ? null : hold.untilMs,
        stops: areAllHeld ? 'start' : null,
        next: `ralph agents check ${shellWord(agent)}`,
      },
    ];
  });
}

function trouble(state: State): Stop | null {
  const { landingTrouble: found } = state;
  if (found === null) return null;
  const ref = `refs/paralph/int/${state.target ?? 'main'}`;
  const next =
    found.kind === 'upstream-conflict'
      ? `git merge ${shellWord(ref)} && ralph land --all`
      : found.gate?.failing == null
        ? 'ralph land --all'
        : inNewWorktree(found.kind === 'upstream-red' ? (state.target ?? 'main') : ref, asGate(found.gate.failing));
  return {
    reason: 'landing',
    detail: `${found.detail}${found.paths.length > 0 ? `: ${found.paths.join(', ')}` : ''}`,
    since: 0,
    stops: 'land',
    next,
    lines: failingLines(found.gate),
  };
}

function queuePaused(state: State): Stop | null {
  const waiting = landingQueue(state);
  if (!state.queuePaused || waiting.length === 0) return null;
  return {
    reason: 'paused',
    detail: `${howMany(waiting.length, 'loop')} ready to land`,
    since: Math.min(...waiting.map(({ since }) => since)),
    stops: 'land',
    next: 'ralph queue resume',
  };
}

const runPaused = ({ pausedAt, hosts }: State): Stop | null =>
  pausedAt === undefined || Object.keys(hosts).length === 0
    ? null
    : {
        reason: 'run-paused',
        detail: 'nothing new starts, loops at work continue',
        since: pausedAt,
        stops: 'start',
        next: 'ralph unpause',
      };

const publishing = ({ publishing: { blocked } }: State): Stop | null =>
  blocked === null
    ? null
    : {
        reason: 'publish',
        detail: `${blocked.why}${blocked.paths.length > 0 ? `: ${blocked.paths.join(', ')}` : ''}`,
        since: 0,
        stops: null,
        next: 'ralph publish',
      };

const suspended = ({ hosts }: State): readonly Stop[] =>
  Object.values(hosts)
    .filter((host) => host.state === 'stopped')
    .map(({ id, mark }) => ({
      reason: 'suspended',
      key: `all:suspended:${id}`,
      detail: `host ${id}: its loops wait`,
      since: 0,
      stops: null,
      next: `kill -CONT ${mark.pid}`,
    }));
