import { NO_USAGE } from './usage.ts';
import { NOTHING_VOUCHED } from './vouching.ts';
import type { Account } from './account-model.ts';
import type { Altered } from './altered.ts';
import type { Base } from './base-model.ts';
import type { Besides, Place } from './place.ts';
import type { Failure, ParkReason } from './failure.ts';
import type { Granted } from './grants.ts';
import type { HostPolicy } from './host-model.ts';
import type { HostId, LoopId, Sha, TaskId, TaskKey } from './ids.ts';
import type { Keeps } from './keeps.ts';
import type { ForgeHold, Pull } from './pull.ts';
import type { Day } from './project-limits.ts';
import type { Tracker } from './task.ts';
import type {
  Clash,
  Foreseen,
  Landing,
  LandingTrouble,
  Odds,
  Pace,
  Publishing,
  Reviewed,
  Rework,
  Undone,
} from './landing.ts';
import type { Usage } from './usage.ts';
import type { Vouching } from './vouching.ts';

export type { Account, Hold } from './account-model.ts';
export type { HostPolicy, PolicyAgent } from './host-model.ts';
export type { Breach } from './failure.ts';
export type { ParkReason } from './failure.ts';
export type { PutBack, Suspect } from './vouching.ts';
export type { Place } from './place.ts';
export type {
  Car,
  Clash,
  Foreseen,
  GateRun,
  Landing,
  LandingTrouble,
  Odds,
  Pace,
  Publishing,
  RedTree,
  ReviewComment,
  Rework,
  TrainPolicy,
} from './landing.ts';

/** Everything the log says, folded. Plain data: a snapshot is its JSON. */
export interface State extends Vouching {
  readonly seq: number;
  readonly hosts: Readonly<Record<HostId, Host>>;
  /** By tracker path, relative to the checkout. */
  readonly trackers: Readonly<Record<string, Tracker>>;
  readonly loops: Readonly<Record<LoopId, Loop>>;
  /** Where each task landed. */
  readonly landed: Readonly<Record<TaskKey, Landed>>;
  /** Landings so far. */
  readonly landings: number;
  /** Where integration was, newest last, bounded. */
  readonly stands: readonly Tried[];
  /** How long calls of agents take that come to their own end, as a mean that fades; null: none has yet. */
  readonly callMs: number | null;
  /** Attempts made at a task since it was last reset. */
  readonly attempts: Readonly<Record<TaskKey, number>>;
  /** The train under way. */
  readonly landing: Landing | null;
  readonly landingTrouble: LandingTrouble | null;
  /** A person lets nothing new start since then; absent: they do. */
  readonly pausedAt?: number;
  /** A person holds the queue: nothing lands until they let it go. */
  readonly queuePaused: boolean;
  readonly targetHead: Sha | null;
  /** Somebody else has moved the target since the log began, so that it may hold landings of another clone. */
  readonly isTargetMoved?: boolean;
  readonly publishing: Publishing;
  /** Gate verdicts by `<gates hash>:<tree>`, oldest first, bounded. */
  readonly verdicts: readonly Verdict[];
  /** Main itself, by gates hash, bounded. */
  readonly bases: Readonly<Record<string, Base>>;
  readonly odds: Odds;
  readonly pace: Pace;
  /** What will not merge if it goes on like this, by loop. */
  readonly foreseen: Readonly<Record<LoopId, readonly Foreseen[]>>;
  /** What each account allows, by name; absent: everything. */
  readonly accounts: Readonly<Record<string, Account>>;
  readonly run: Run;
  /** The day it is, by the calendar of whoever works; null: nobody has told. */
  readonly day: Day | null;
  /** Less is free than may be; null: there is room. */
  readonly disk: DiskLow | null;
  /** What loops found that nobody has asked for yet, oldest first, bounded. */
  readonly proposals: readonly Proposal[];
  /** The refs that keep work, as they were looked at last: they come back when somebody else deletes them. */
  readonly keeps: Keeps;
  /** The gates of the host that joined last; absent: none has told. */
  readonly gates?: readonly string[];
  /** Who speaks to the forge; absent: nobody ever did. */
  readonly forge?: ForgeHold;
}

export interface DiskLow {
  readonly freeMb: number;
  readonly floorMb: number;
  readonly since: number;
}

/** From the first host that starts to the moment when nothing is left to do; a host that dies or is stopped does not end it. */
export interface Run {
  readonly isOpen: boolean;
  readonly since: number;
  readonly usage: Usage;
  /** The budget that is spent, in words; null: there is room. */
  readonly overspent: string | null;
}

export interface Proposal {
  readonly loop: LoopId;
  readonly title: string;
  readonly body: string;
  readonly at: number;
}

export interface Landed {
  readonly loop: LoopId;
  readonly commit: Sha;
  readonly at: number;
  /** A tracker outside the tree was seen to have it closed: open there again, a person wants it once more. */
  readonly isClosed?: true;
  /** The how many-th landing it was, from 1; absent: of before they were counted. */
  readonly n?: number;
}

export interface ProcessMark {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
}

/** A process that runs loops or lands them. */
export interface Host {
  readonly id: HostId;
  readonly mark: ProcessMark;
  readonly policy: HostPolicy;
  /** stopped: its process is suspended. */
  readonly state: 'up' | 'draining' | 'stopped';
  /** Its time is over: it begins nothing any more, and ends what it has begun. */
  readonly isEnding?: true;
  readonly joinedAt: number;
}

/** One attempt at one task: branch, worktree, iterations. */
export interface Loop {
  readonly id: LoopId;
  readonly task: TaskKey;
  readonly title: string;
  readonly group: string | null;
  readonly attempt: number;
  readonly branch: string;
  /** The run it was begun in, by its name in trackers outside the tree; absent: nobody knows any more. */
  readonly run?: string;
  /** The branch it was begun for; absent: nobody knows any more. */
  readonly target?: string;
  readonly agent: string;
  /** Who works on it; null: free to be adopted. */
  readonly host: HostId | null;
  readonly slot: number;
  /** Sequence number of the claim or adoption: an effect with an older one is a stranger's. */
  readonly fence: number;
  /** Loops whose unlanded branches this one was started from. */
  readonly onto: readonly LoopId[];
  readonly phase: Phase;
  readonly since: number;
  readonly claimedAt: number;
  readonly place: Place;
  readonly worktree: string | null;
  readonly worktreeState: 'none' | 'made' | 'retired' | 'kept';
  readonly base: Sha | null;
  readonly baseTree: Sha | null;
  /** Integration when the task was claimed: what is done on it since was done by another. Absent: nobody knows any more. */
  readonly begun?: Sha;
  /** A person wants it to land though another has done its task. */
  readonly isTwice?: boolean;
  /** A person wants it to go on or to land though its task is no longer in the list. */
  readonly isWanted?: true;
  readonly head: Sha | null;
  readonly tree: Sha | null;
  /** Number of the last iteration, counted or not. */
  readonly iteration: number;
  readonly counted: number;
  readonly usedMs: number;
  readonly idleStreak: number;
  readonly failureStreak: number;
  readonly lastSaid: string;
  readonly lastGate: GateReport | null;
  /** What the last iteration left half-done in its worktree; null: nothing. */
  readonly lastOdd: string | null;
  /** What a hook did to the repository by mistake in the last iteration, and what was put back; absent or null: nothing. */
  readonly hookSlip?: string | null;
  readonly setupFailed?: { readonly command: string; readonly tail: string } | null;
  /** Files of a person's that changed while it worked in their checkout, and are no part of its work. */
  readonly yours?: string | null;
  /** What the last iteration did to the task file that is no work, in words. */
  readonly dropped?: string | null;
  /** New files of the last iteration that our commit left out, in words. */
  readonly omitted?: string | null;
  /** Commits on its branch that are not of its making and would land with it; absent or null: none. */
  readonly besides?: Besides | null;
  /** Landings begun: only a loop that was once at it may have landed without our knowing. */
  readonly landings: number;
  readonly usage: Usage;
  /** What each iteration cost, oldest first, bounded. */
  readonly spends: readonly Spend[];
  /** Why the last iteration came to nothing. */
  readonly lastFailure: Failure | null;
  /** What the agent says of itself while it works. */
  readonly progress: string | null;
  /** The agent says it cannot go on: why. */
  readonly blockedWhy: string | null;
  /** The iteration that said it was done by a verb, or whose gates a person stopped. */
  readonly doneSaid: number | null;
  /** Given back because no agent may work: until a person logs in, another run has money again, a limit of the project is raised, or main itself is green. */
  readonly waitsFor: 'auth' | 'budget' | 'limit' | 'base' | null;
  /** Its host died while it held it, and nobody has taken it up since; one that left in order gave it back. */
  readonly hostDied: boolean;
  /** What a person said and the agent was not told yet. */
  readonly guidance: readonly Guidance[];
  /** Why it went back to work after it was ready; null: it never did. */
  readonly rework: Rework | null;
  /** It undoes a landing; absent: it is work of its own. */
  readonly reverts?: Undone;
  /** What a person said last of its work; absent: nobody has looked. */
  readonly reviewed?: Reviewed;
  /** Files it changed, as far as kept, from when it was last gated until it lands. */
  readonly footprint: readonly string[];
  /** Files it changed that later gates and agents go by; absent: none. */
  readonly obeyed?: readonly string[];
  /** It does not merge with integration as it was there. */
  readonly clash: Clash | null;
  /** Sequence number of a person's wish to land it first; 0: none. */
  readonly bumped: number;
  /** A person wants it to stop when its iteration ends. */
  readonly stopping: boolean;
  /** What it had used when a person last let it go on in spite of a limit: limits count from there. */
  readonly granted: Granted;
  /** Calls that changed nothing; absent: none. */
  readonly idleCalls?: number;
  /** Integration as the last of them had it, or as it was when this was put aside because it did not fit; absent: never. */
  readonly tried?: Tried;
  /** The base that its agent was shown last; absent: none yet. */
  readonly shown?: Sha;
  /** It has named a task that it lacks. */
  readonly hasNamed?: true;
  /** The tasks that its agent said by a verb to lack, and in which iteration. */
  readonly lacks?: { readonly n: number; readonly tasks: readonly TaskId[] };
  /** Begun once more at the end of a run, on all that had landed by then. */
  readonly isAgain?: true;
  /** What it has on a forge; absent: nothing. */
  readonly pull?: Pull;
}

/** Integration at one moment. */
export interface Tried {
  /** null: nothing had landed. */
  readonly commit: Sha | null;
  /** How many landings it held. */
  readonly landings: number;
}

export interface Spend {
  readonly n: number;
  readonly agent: string;
  readonly usage: Usage;
}

export interface Guidance {
  readonly id: number;
  readonly text: string;
}

export interface GateReport {
  readonly verdict: VerdictKind;
  readonly failing: string | null;
  readonly tail: string;
  /** What the gates did to tracked files; absent: nothing. */
  readonly altered?: Altered;
  /** Variables that the failing gate or its output names and gates do not get; absent: none. */
  readonly leftOut?: readonly string[];
  /** No gates are configured, so nothing was tested: it may land, and is never called green. Absent: gates ran. */
  readonly isUntested?: true;
}

export type Phase =
  | { readonly at: 'preparing' }
  | { readonly at: 'iterating'; readonly n: number }
  | { readonly at: 'gating'; readonly n: number }
  /** Main is merged into its worktree, or only where that leaves nothing to mend; iteration `n` comes next or, where that is over, its gates. */
  | { readonly at: 'updating'; readonly n: number; readonly onlyClean?: true }
  /** Its last call changed nothing: it begins again when these tasks have landed or, where it named none, an earlier one of the list. */
  | { readonly at: 'waiting'; readonly tasks: readonly TaskKey[] }
  | { readonly at: 'ready'; readonly queued: boolean; readonly readySeq: number }
  /** Its pull request is opened, or waits for checks, for a review, to be merged. */
  | { readonly at: 'reviewing' }
  | { readonly at: 'landed'; readonly commit: Sha }
  | { readonly at: 'parked'; readonly reason: ParkReason; readonly detail: string; readonly paths: readonly string[] };

export type VerdictKind = 'green' | 'red';

export interface Verdict {
  readonly key: string;
  readonly verdict: VerdictKind;
}

export const EMPTY_STATE: State = {
  seq: 0,
  hosts: {},
  trackers: {},
  loops: {},
  landed: {},
  landings: 0,
  stands: [],
  callMs: null,
  attempts: {},
  landing: null,
  landingTrouble: null,
  queuePaused: false,
  ...NOTHING_VOUCHED,
  targetHead: null,
  publishing: { published: null, blocked: null, diverged: false },
  verdicts: [],
  bases: {},
  odds: { red: 0, green: 0, flaky: 0, firm: 0 },
  pace: { aloneMs: [], besideMs: [] },
  foreseen: {},
  accounts: {},
  run: { isOpen: false, since: 0, usage: NO_USAGE, overspent: null },
  day: null,
  disk: null,
  proposals: [],
  keeps: {},
};

export const VERDICTS_MAX = 256;
export const SPENDS_MAX = 1000;
export const PROPOSALS_MAX = 200;
export const STANDS_MAX = 64;

const WORKING: ReadonlySet<Phase['at']> = new Set(['preparing', 'iterating', 'gating', 'updating']);

export const isWorking = (loop: Loop): boolean => WORKING.has(loop.phase.at);

/** Neither landed nor parked: the task is in somebody's hands. */
export const isLive = (loop: Loop): boolean => loop.phase.at !== 'landed' && loop.phase.at !== 'parked';

export const loopsOf = (state: State): readonly Loop[] => Object.values(state.loops);
