import type { Failure } from './failure.ts';
import type { HostId, LoopId, Sha, TaskKey } from './ids.ts';
import type { ConflictStrategy, LandingMethod, LimitSettings, MergePolicy, PublishMode, Strategy } from './settings.ts';
import type { Task } from './task.ts';
import type { Budget, Usage } from './usage.ts';
import { NO_USAGE } from './usage.ts';

/** Everything the log says, folded. Plain data: a snapshot is its JSON. */
export interface State {
  readonly seq: number;
  readonly hosts: Readonly<Record<HostId, Host>>;
  /** By tracker path, relative to the checkout. */
  readonly trackers: Readonly<Record<string, Tracker>>;
  readonly loops: Readonly<Record<LoopId, Loop>>;
  /** Where each task landed. */
  readonly landed: Readonly<Record<TaskKey, Landed>>;
  /** Attempts made at a task since it was last reset. */
  readonly attempts: Readonly<Record<TaskKey, number>>;
  /** The train under way. */
  readonly landing: Landing | null;
  readonly landingTrouble: LandingTrouble | null;
  /** A person holds the queue: nothing lands until they let it go. */
  readonly queuePaused: boolean;
  readonly integration: Sha | null;
  readonly targetHead: Sha | null;
  readonly publishing: Publishing;
  /** Gate verdicts by `<gates hash>:<tree>`, oldest first, bounded. */
  readonly verdicts: readonly Verdict[];
  readonly odds: Odds;
  readonly pace: Pace;
  /** What will not merge if it goes on like this, by loop. */
  readonly foreseen: Readonly<Record<LoopId, readonly Foreseen[]>>;
  /** What each account allows, by name; absent: everything. */
  readonly accounts: Readonly<Record<string, Account>>;
  readonly run: Run;
  /** What loops found that nobody has asked for yet, oldest first, bounded. */
  readonly proposals: readonly Proposal[];
}

/** What past trains say about the next one, as counts that fade. */
export interface Odds {
  /** Items that turned a train red, and items that landed. */
  readonly red: number;
  readonly green: number;
  /** Red trees that were run again: those that turned green, and those that stayed red. */
  readonly flaky: number;
  readonly firm: number;
}

/** How long gates take, newest last, bounded. */
export interface Pace {
  /** Green runs of a train with no other one beside them. */
  readonly aloneMs: readonly number[];
  /** Green runs with another one beside them. */
  readonly besideMs: readonly number[];
}

/** Two pieces of unlanded work, or one and main, that will conflict. */
export interface Foreseen {
  /** null: main. */
  readonly with: LoopId | null;
  readonly paths: readonly string[];
}

/** The account behind one or more agents. */
export interface Account {
  /** null: it may be used. */
  readonly hold: Hold | null;
  /** The limit is near: fewer loops at once until then. */
  readonly warnedUntilMs: number | null;
  /** Holds in a row without anything done in between. */
  readonly strikes: number;
}

export interface Hold {
  readonly kind: 'limit' | 'rate' | 'auth';
  /** null: until a person does something. */
  readonly untilMs: number | null;
  readonly detail: string;
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

export interface Tracker {
  readonly digest: string;
  readonly tasks: readonly Task[];
}

export interface Landed {
  readonly loop: LoopId;
  readonly commit: Sha;
  readonly at: number;
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
  readonly state: 'up' | 'draining';
  readonly joinedAt: number;
}

/** What a host was told to do; fixed when it joins, so that every fold sees the same. */
export interface HostPolicy {
  readonly tracker: string;
  /** Room for loops; 0: this host only lands. */
  readonly slots: number;
  readonly strategy: Strategy;
  readonly mergePolicy: MergePolicy;
  readonly limits: LimitSettings;
  readonly target: string;
  readonly publish: PublishMode;
  readonly method: LandingMethod;
  /** Who works, in order: the next one only while those before it are held back. */
  readonly agents: readonly PolicyAgent[];
  readonly budget: Budget;
  /** Who resolves conflicts under `ai_resolve`; null: the loop's own agent. */
  readonly resolver: PolicyAgent | null;
  /** Gate commands and the environment they run in. */
  readonly gatesHash: string;
  readonly hasGates: boolean;
  /** Gates get a time limit from how long they took before. */
  readonly gateTimeoutAuto: boolean;
  readonly train: TrainPolicy;
}

/** How a host lands. */
export interface TrainPolicy {
  readonly batchMax: number | 'auto';
  /** Gate runs at the same time. */
  readonly gateSlots: number | 'auto';
  /** For `auto`. */
  readonly cores: number;
  readonly flakeRetries: number | 'auto';
  readonly strictEveryCommit: boolean;
  /** What happens to work that does not merge; a host without slots can only stop. */
  readonly onConflict: ConflictStrategy;
  readonly maxAttempts: number;
}

export interface PolicyAgent {
  readonly name: string;
  readonly account: string;
}

/** One attempt at one task: branch, worktree, iterations. */
export interface Loop {
  readonly id: LoopId;
  readonly task: TaskKey;
  readonly title: string;
  readonly group: string | null;
  readonly attempt: number;
  readonly branch: string;
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
  readonly worktree: string | null;
  readonly worktreeState: 'none' | 'made' | 'retired' | 'kept';
  readonly base: Sha | null;
  readonly baseTree: Sha | null;
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
  /** The iteration that said it was done by a verb. */
  readonly doneSaid: number | null;
  /** Given back because no agent may work: until a person logs in, or until another run has money again. */
  readonly waitsFor: 'auth' | 'budget' | null;
  /** What a person said and the agent was not told yet. */
  readonly guidance: readonly Guidance[];
  /** Why it went back to work after it was ready; null: it never did. */
  readonly rework: Rework | null;
  /** It does not merge with integration as it was there. */
  readonly clash: Clash | null;
  /** Sequence number of a person's wish to land it first; 0: none. */
  readonly bumped: number;
}

/** Ready work that did not fit: what has to be mended, and how often that was tried. */
export interface Rework {
  readonly kind: 'conflict' | 'red';
  readonly times: number;
  /** Who resolves: the loop's own agent, or the one for conflicts. */
  readonly by: 'owner' | 'resolver';
  /** Loops whose landed work it does not fit with, as far as known. */
  readonly with: readonly LoopId[];
  /** Files with conflict markers once main was merged in; before that, the files that conflict. */
  readonly paths: readonly string[];
  /** The branch before main was brought in, and the commit that did; null: not yet. */
  readonly before: Sha | null;
  readonly merged: Sha | null;
  /** Iterations made before: mending has an allowance of its own. */
  readonly countedBefore: number;
  readonly detail: string;
}

export interface Clash {
  readonly base: Sha;
  readonly paths: readonly string[];
  readonly with: readonly LoopId[];
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
}

export type Phase =
  | { readonly at: 'preparing' }
  | { readonly at: 'iterating'; readonly n: number }
  | { readonly at: 'gating'; readonly n: number }
  /** Main is merged into its worktree; iteration `n` comes next. */
  | { readonly at: 'updating'; readonly n: number }
  | { readonly at: 'ready'; readonly queued: boolean; readonly readySeq: number }
  | { readonly at: 'landed'; readonly commit: Sha }
  | { readonly at: 'parked'; readonly reason: ParkReason; readonly detail: string; readonly paths: readonly string[] };

export type ParkReason =
  | 'iterations'
  | 'runtime'
  | 'no-progress'
  | 'failures'
  | 'conflict'
  | 'red'
  | 'main-red'
  | 'base-parked'
  | 'broken'
  | 'reset'
  | 'budget'
  | 'blocked'
  | 'protected'
  | 'ejected';

export type VerdictKind = 'green' | 'red';

export interface Verdict {
  readonly key: string;
  readonly verdict: VerdictKind;
}

/** The one train under way. Its cars are merged one on top of the other; the longest green part of it lands. */
export interface Landing {
  readonly host: HostId;
  readonly fence: number;
  /** Builds so far: each is a wish of its own. */
  readonly build: number;
  readonly stage: LandingStage;
  /** Integration, as the first car sits on it. Null: not built yet. */
  readonly base: Sha | null;
  readonly baseTree: Sha | null;
  readonly cars: readonly Car[];
  /** Gate runs that should be under way, by the commit they test. */
  readonly runs: readonly GateRun[];
  /** Trees of this train that were red, and how often. */
  readonly reds: readonly RedTree[];
  /** Queued loops that do not merge behind these cars: not worth another build. */
  readonly left: readonly LoopId[];
}

/** One item of a train, merged on top of the car before it. */
export interface Car {
  /** null: the user's own new commits. They are never put aside. */
  readonly loop: LoopId | null;
  readonly head: Sha;
  readonly commit: Sha;
  readonly tree: Sha;
}

export interface GateRun {
  readonly commit: Sha;
  readonly tree: Sha;
  /** From 1; a gate worktree of its own. */
  readonly slot: number;
  /** How often this tree was red before: a second run is another wish. */
  readonly again: number;
  readonly startedAt: number;
  /** Another run was beside it at some time. */
  readonly beside: boolean;
}

export interface RedTree {
  readonly tree: Sha;
  readonly times: number;
  readonly report: GateReport;
}

export type LandingStage =
  | { readonly at: 'building' }
  | { readonly at: 'testing' }
  /** Integration moves to this car's commit; gate runs further back go on. */
  | { readonly at: 'advancing'; readonly commit: Sha };

/** Why nothing can land until a person, or a new commit on the target, changes something. */
export interface LandingTrouble {
  readonly kind: 'upstream-conflict' | 'upstream-red' | 'broken';
  readonly detail: string;
  readonly paths: readonly string[];
  readonly target: Sha | null;
}

export interface Publishing {
  readonly published: Sha | null;
  readonly blocked: { readonly to: Sha; readonly why: string; readonly paths: readonly string[] } | null;
  /** The target has commits that integration lacks: merge them before publishing. */
  readonly diverged: boolean;
}

export const EMPTY_STATE: State = {
  seq: 0,
  hosts: {},
  trackers: {},
  loops: {},
  landed: {},
  attempts: {},
  landing: null,
  landingTrouble: null,
  queuePaused: false,
  integration: null,
  targetHead: null,
  publishing: { published: null, blocked: null, diverged: false },
  verdicts: [],
  odds: { red: 0, green: 0, flaky: 0, firm: 0 },
  pace: { aloneMs: [], besideMs: [] },
  foreseen: {},
  accounts: {},
  run: { isOpen: false, since: 0, usage: NO_USAGE, overspent: null },
  proposals: [],
};

/** What is known of a loop whose agent has told nothing and cost nothing yet. */
export const UNTOLD: Pick<
  Loop,
  | 'usage'
  | 'spends'
  | 'lastFailure'
  | 'progress'
  | 'blockedWhy'
  | 'doneSaid'
  | 'waitsFor'
  | 'guidance'
  | 'rework'
  | 'clash'
  | 'bumped'
> = {
  usage: NO_USAGE,
  spends: [],
  lastFailure: null,
  progress: null,
  blockedWhy: null,
  doneSaid: null,
  waitsFor: null,
  guidance: [],
  rework: null,
  clash: null,
  bumped: 0,
};

export const VERDICTS_MAX = 256;
export const SPENDS_MAX = 1000;
export const PROPOSALS_MAX = 200;

export const isWorking = (loop: Loop): boolean =>
  loop.phase.at === 'preparing' ||
  loop.phase.at === 'iterating' ||
  loop.phase.at === 'gating' ||
  loop.phase.at === 'updating';

/** Neither landed nor parked: the task is in somebody's hands. */
export const isLive = (loop: Loop): boolean => loop.phase.at !== 'landed' && loop.phase.at !== 'parked';

export const loopsOf = (state: State): readonly Loop[] => Object.values(state.loops);
