import type { Besides } from '../../core/model/place.ts';
import type { Event } from '../../core/model/events.ts';
import type { FoundLoop, LoopNote } from '../../core/model/found-loop.ts';
import type { LoopId, Sha, TaskId } from '../../core/model/ids.ts';
import type { Known, SeenValue } from '../../core/loops/integration-value.ts';
import type { KeepNews, Keeps } from '../../core/model/keeps.ts';
import type { Breach, Foreseen, GateReport, ProcessMark, State } from '../../core/model/model.ts';
import type { WorktreeSetup } from '../../core/model/failure.ts';
import type { PromptFacts } from '../../text/prompt/facts.ts';
import type { Published } from './outcomes.ts';
import type { WorktreeFacts } from './outcomes.ts';
import type { BesidesOrder } from './outcomes.ts';
import type { BuildOptions, Built, FoundLanding } from './landing-build.ts';
import type { Log } from './log.ts';
import type { ForgeDoor } from './pull-git.ts';
import type { OpenLanding, TrimOrder } from './outcomes.ts';
import type { Tracker } from './tracker.ts';

import type { Agents, Iteration } from './agents.ts';
export type { AgentOrder, Agents, Iteration, IterationResult } from './agents.ts';
export type { BuildOptions, Built, FoundLanding } from './landing-build.ts';

/** Everything outside, as one value. The engine is handed it; tests of the engine hand it another. */
export interface World {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log<Event>;
  readonly hosts: HostWatch;
  readonly tracker: Tracker;
  readonly worktrees: Worktrees;
  readonly checkout: Checkout;
  readonly integration: Integration;
  /** Moves the person's branch to what landed: the one door through which it moves. */
  readonly publish: (to: Sha) => Promise<Published>;
  readonly agents: Agents;
  readonly gates: Gates;
  /** What the user's checkout has and a fresh worktree lacks, each with the setting that brings it. */
  readonly lacks: (path: string) => Promise<readonly string[]>;
  readonly foresight: Foresight;
  readonly seal: Seal;
  readonly disk: Disk;
  readonly projection: Projection;
  readonly prompts: Prompts;
  /** Null: nothing is opened or followed on a forge. */
  readonly forge: ForgeDoor | null;
  /** Changes with whatever worktrees get beside what git has: a verdict does not outlive it. */
  readonly provided: string;
}

export interface Clock {
  /** What a person's clock shows; it may jump. */
  nowMs(): number;
  /** The day that a person's calendar shows. */
  today(): string;
  /** Counts only while the machine is awake, from no particular moment, the same for every process until the next boot. */
  awakeMs(): number;
  /** Resolves after the time, or at once when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface Ids {
  /** A few lower-case letters and digits that make a name unique. */
  suffix(): string;
  /** No branch of that name exists yet. */
  isFree(branch: string): boolean;
}

export interface HostWatch {
  readonly own: ProcessMark;
  isAlive(mark: ProcessMark): boolean;
  /** Alive, but suspended: it answers nobody. */
  isStopped(mark: ProcessMark): boolean;
}

/** What a loop before it committed on the branch it begins on, and has not landed. */
export interface WorkBefore {
  readonly head: Sha;
  readonly integration: Sha;
  /** It lands with the new loop all the same, but is no work to be done with. */
  readonly isThrownAway: boolean;
}

export interface Worktrees {
  /** Where the branch stands; null: there is none. */
  tip(branch: string): Promise<Sha | null>;
  /** Whether a branch that stands here was made by us: the worktree on it tells, or what is left of making that. */
  isOurs(branch: string, tip: Sha): Promise<boolean>;
  make(options: {
    readonly branch: string;
    readonly base: Sha;
    /** Whose it is: a folder may be named after them. */
    readonly of?: { readonly loop: LoopId; readonly task: string };
  }): Promise<{ readonly path: string; readonly reused: boolean }>;
  /** Copies and sets up what is not in git. Null: nothing had to be run. What the user wrote and fails is an error. */
  prepare(options: {
    readonly path: string;
    readonly loop: LoopId;
    /** What people call it. */
    readonly name: string;
    readonly head: Sha;
    readonly isNew: boolean;
    readonly signal: AbortSignal;
  }): Promise<WorktreeSetup | null>;
  exists(path: string): boolean;
  facts(path: string): Promise<{ readonly head: Sha; readonly tree: Sha }>;
  /** `task`: whose it is, so that a tick does not count as work. */
  commitLeftovers(options: {
    readonly path: string;
    readonly branch: string;
    readonly message: string;
    readonly base: Sha | null;
    readonly task: { readonly id: TaskId; readonly tracker: string } | null;
  }): Promise<WorktreeFacts>;
  /** Paths changed since the base, committed or not, some of them if there are many. */
  touched(path: string, base: Sha): Promise<readonly string[]>;
  /** Paths that differ between two commits. */
  changed(from: Sha, to: Sha): Promise<readonly string[]>;
  /** The text of each of these files of a commit; null: there is no such file. */
  textsAt(commit: Sha, paths: readonly string[]): Promise<readonly (string | null)[]>;
  /** Links that are new or changed between two commits and lead out of the checkout, as `path -> target`. */
  linksOut(from: Sha, to: Sha): Promise<readonly string[]>;
  /** Lines added plus lines deleted between two commits, and files whose lines cannot be counted. */
  lines(from: Sha, to: Sha): Promise<{ readonly count: number; readonly uncounted: readonly string[] }>;
  /** What is new between two commits and too much to land by itself, in words; null: nothing. */
  tooLarge(from: Sha, to: Sha, worktree: string | null): Promise<string | null>;
  /** Gives the worktree back for reuse; a sentence says why it could not. */
  retire(options: {
    readonly path: string;
    readonly branch: string;
    readonly head: Sha;
    /** The commit by which it landed. */
    readonly landed: Sha;
    readonly loop: LoopId;
  }): Promise<{ readonly kept: string | null }>;
  /** Takes away what nobody uses beyond as many as may stay, and waits for no file to be deleted. How many went. */
  trim(order: TrimOrder): Promise<number>;
  /** Brings a commit into the branch that stands in this worktree, with conflict markers where they do not merge. Nobody works there meanwhile. */
  mergeIn(options: {
    readonly path: string;
    readonly branch: string;
    readonly commit: Sha;
    readonly message: (conflicts: readonly string[]) => string;
    /** Where it does not merge by itself, nothing is done. */
    readonly onlyClean: boolean;
  }): Promise<{
    readonly head: Sha;
    readonly tree: Sha;
    readonly conflicts: readonly string[];
    /** It did not merge by itself, and was left as it was. */
    readonly isLeft?: true;
  }>;
  /** `path:line` of conflict markers that are still in these files of a commit. */
  markers(commit: Sha, paths: readonly string[]): Promise<readonly string[]>;
  /** Writes down beside the worktree whose it is, for the day when the log is lost. */
  note(path: string, note: LoopNote): void;
  /** Unlanded work of ours, as branches and worktrees tell it. */
  found(): Promise<readonly FoundLoop[]>;
  /** Back on its branch, wherever somebody left it; what they committed on none is kept. */
  standOn(path: string, branch: string): Promise<void>;
}

/** A checkout of a person's in which a loop works. */
export interface Checkout {
  /** Begins to work in a person's checkout; changes no file of it. */
  take(options: {
    readonly path: string;
    readonly branch: string;
    readonly loop: LoopId;
    readonly after: WorkBefore | null;
  }): Promise<{ readonly base: Sha; readonly baseTree: Sha; readonly head: Sha; readonly tree: Sha }>;
  /** As `commitLeftovers` of `Worktrees` for a person's checkout: without what was changed there before the loop began. */
  commit(options: {
    readonly path: string;
    readonly branch: string;
    readonly message: string;
    readonly loop: LoopId;
  }): Promise<WorktreeFacts>;
  /** A loop that worked in a person's checkout has landed: a branch of its own goes. */
  leave(options: {
    readonly branch: string;
    readonly head: Sha;
    readonly landed: Sha;
    readonly loop: LoopId;
  }): Promise<void>;
  /** What would land with a loop that worked on a person's branch, and is not of its making; null: nothing. */
  besides(options: BesidesOrder): Promise<Besides | null>;
}

/** The user's new commits were found beside what landed. */
export interface Synced {
  readonly head: Sha;
  /** Not null: the target went its own way and must be merged in first. */
  readonly upstream: Sha | null;
  /** What the user made it from, where they have rewritten that since; else its history tells. */
  readonly since?: Sha | null;
  /** The head is the user's own commit; else the log has landed it. */
  readonly isUsers: boolean;
}

export interface Integration {
  readonly target: string;
  targetHead(): Promise<Sha | null>;
  /** Where integration is, and what git knows of that where the log has it elsewhere. */
  seen(known: Known): Promise<SeenValue>;
  /** Keeps what was found there and nothing vouches for, and puts integration back (null: to the target). Null: it was moved since. */
  putBack(move: {
    readonly found: Sha | null;
    readonly to: Sha | null;
  }): Promise<{ readonly to: Sha; readonly kept: string | null } | null>;
  /** Makes integration contain the target where that is a mere fast-forward. */
  sync(known: Known): Promise<Synced>;
  /** Integration goes back with the target where its owner reset it from there. */
  followReset(known: Known): Promise<void>;
  /** Of landings whose task is open in the list, those that the owner of the target took back. */
  takenBack(tracker: string, landings: readonly OpenLanding[]): Promise<readonly OpenLanding[]>;
  treeOf(commit: Sha): Promise<Sha>;
  /** The landing of this loop, if integration holds it already. */
  findLanded(options: {
    readonly head: Sha;
    readonly loop: LoopId;
    /** Where the loop started: no landing of it is older. */
    readonly base: Sha | null;
    readonly integration: Sha;
  }): Promise<Sha | null>;
  build(options: BuildOptions): Promise<Built | { readonly conflicts: readonly string[] }>;
  /** Looks at several branches at once: what is asked about them next costs little. */
  look(base: Sha, heads: readonly Sha[]): Promise<void>;
  /** What was built with `envelopeLater` and would change files its branch did not touch. */
  checkEnvelopes(): Promise<readonly { readonly commit: Sha; readonly why: string }[]>;
  /** Why what these bring beside what is known may not land: something is missing, or not what git allows. Null: it is whole. */
  findFlaw(tips: readonly Sha[], known: readonly Sha[]): Promise<string | null>;
  /** What landing `head` on integration as it is would make, if that is `head` itself but for the tick; as a commit where it differs. */
  preview(
    head: Sha,
    tick: TaskId | null,
    tracker?: string,
  ): Promise<{ readonly tree: Sha; readonly commit: Sha | null } | null>;
  /** Remembers how the conflicts of merging `theirs` into `ours` were resolved in `resolved`. */
  learn(options: { readonly ours: Sha; readonly theirs: Sha; readonly resolved: Sha }): Promise<void>;
  /** Which of these heads are part of `head` but not of integration. */
  unlandedWithin(head: Sha, integration: Sha, others: readonly Sha[]): Promise<readonly Sha[]>;
  /** Who the branch's own commits name as co-authors: `Name <mail>`. */
  coAuthors(base: Sha, head: Sha): Promise<readonly string[]>;
  /** Landings that the history of a commit tells of, oldest first. */
  landings(commit: Sha): Promise<readonly FoundLanding[]>;
  /** One commit that contains all of these, or the paths that do not merge. */
  join(base: Sha, heads: readonly Sha[]): Promise<{ readonly commit: Sha } | { readonly conflicts: readonly string[] }>;
  /** Keeps a train's commits and heads from being collected as garbage; those of every other train are let go. */
  holdTrain(fence: number, commits: readonly Sha[]): Promise<void>;
  /** Which of these commits no ref of the train names any more. */
  unheldCommits(fence: number, commits: readonly Sha[]): readonly Sha[];
  /** The refs that keep work, beside what the log has of them; what somebody else deleted is put back. */
  lookAtKeeps(listed: Keeps): Promise<KeepNews>;
  /** No train is under way. */
  releaseTrains(): Promise<void>;
  /** Names a head that is ready, so that it stays whatever happens to its branch; the name. */
  pin(loop: LoopId, head: Sha): Promise<string>;
  /** Which tasks somebody else has done between two commits, in the same order, and by which landing if one tells. Null: not done. */
  doneSince(options: {
    readonly to: Sha;
    /** Nothing new is in what this commit holds; null: nobody has looked yet. */
    readonly known: Sha | null;
    readonly tasks: readonly { readonly from: Sha; readonly tracker: string; readonly task: TaskId }[];
    /** Heads of loops that landed here: what their agents wrote into commits proves nothing. */
    readonly own: readonly Sha[];
    readonly isOurs: (loop: LoopId) => boolean;
  }): Promise<readonly ({ readonly commit: Sha | null } | null)[]>;
  /** Compare-and-swap; the one door through which integration moves to a candidate. */
  advance(options: {
    readonly from: Sha;
    readonly to: Sha;
    readonly fence: number;
  }): Promise<{ readonly moved: true } | { readonly moved: false; readonly now: Sha | null }>;
  describe(from: Sha, to: Sha): Promise<{ readonly commits: readonly string[]; readonly stat: string }>;
}

export interface Prompts {
  /** Adds the memories that fit and lays it all out by the template. */
  build(facts: Omit<PromptFacts, 'memories'>): string;
  /** What the project tells whoever reviews pull requests; null: nothing of its own. */
  reviewer(task: string): string | null;
}

/** Sees what will conflict while the loops are still at work. */
export interface Foresight {
  look(options: {
    readonly integration: Sha;
    readonly loops: readonly {
      readonly loop: LoopId;
      readonly base: Sha;
      /** What it has committed: after each iteration, that is all it did. */
      readonly head: Sha;
    }[];
    readonly signal: AbortSignal;
  }): Promise<Readonly<Record<LoopId, readonly Foreseen[]>>>;
}

/** Notices what an agent does outside its own worktree. */
export interface Seal {
  /** Writes down how everything outside the worktree is, before the agent starts; it stays with the iteration, for whoever adopts it. */
  take(iteration: Iteration, branch: string): Promise<void>;
  /** What the agent did there, once none of its processes lives: kept, and undone where that is certain to be right. Null: nothing. */
  check(iteration: Iteration, branch: string): Promise<Breach | null>;
}

export interface Disk {
  /** What is free where the repository and its worktrees are, in megabytes: the least of them. */
  freeMb(): number;
}

export interface GatesRan {
  readonly report: GateReport;
  readonly durationMs: number;
}

/** Whoever works in a slot; its log is `.ralph/logs/worker-{slot}-{task}.log`. */
export interface LoopSlot {
  readonly slot: number;
  readonly task: TaskId;
}

export interface GateRunner {
  run(options: {
    /** A gate worktree. */
    readonly path: string;
    /** What stands there: what the gates do to it is told. null: nobody asks. */
    readonly commit: Sha | null;
    readonly name: string;
    /** In whose log the output stands, too; absent: in nobody's. */
    readonly toldTo?: LoopSlot;
    /** null: as configured. */
    readonly timeoutMs: number | null;
    readonly signal: AbortSignal;
    readonly force: AbortSignal;
  }): Promise<GatesRan | null>;
}

/** The only place for gates. */
export interface GateWorktrees {
  /**
   * A free one of the worktrees for gates alone while `act` runs: the only place for gates. It holds exactly this commit, what
   * is copied and what is set up there; the signal ends the setup.
   */
  withWorktree<T>(commit: Sha, act: (path: string) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Takes those away that this host has made, unless somebody's gates run in them. */
  dropWorktrees(): Promise<void>;
}

export type Gates = GateRunner & GateWorktrees;

/** What people and scripts may read while a host runs. */
export interface Projection {
  /** What is so now: written out at once the first time, and then again and again until the end. */
  write(state: State): void;
  close(state: State): void;
}
