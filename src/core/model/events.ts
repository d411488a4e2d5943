import type { Seen } from './base-model.ts';
import type { Besides } from './place.ts';
import type { FoundLanding, FoundLoop } from './found-loop.ts';
import type { Failure, HoldNotice, IterationOutcome, WorktreeSetup } from './failure.ts';
import type { HostId, LoopId, Sha, TaskId, TaskKey } from './ids.ts';
import type { Breach, Car, Foreseen, GateReport, HostPolicy, ProcessMark } from './model.ts';
import type { PullEvent } from './pull-event.ts';
import type { Task, UpstreamTasks } from './task.ts';
import type { Duplicate, ReviewComment, TrainClash } from './landing.ts';
import type { Usage } from './usage.ts';

export type { IterationOutcome } from './failure.ts';

/** Everything that can happen. A fact is written to the log before anything is done about it. */
export type Event =
  | PullEvent
  /** A process starts to run loops or to land them. */
  | { readonly type: 'host-joined'; readonly host: HostId; readonly mark: ProcessMark; readonly policy: HostPolicy }
  /** A host takes no new work and ends soon. */
  | { readonly type: 'host-draining'; readonly host: HostId }
  /** The time that a flag (`why`) gave a host is over: it begins nothing any more, and ends what it has begun. */
  | { readonly type: 'host-ending'; readonly host: HostId; readonly why: string }
  /** A host ended in order; its loops are free. */
  | { readonly type: 'host-left'; readonly host: HostId }
  /** A host was found dead; its loops are free. */
  | { readonly type: 'host-lost'; readonly host: HostId }
  /** A host's process is suspended: it keeps its loops, but its landings are not waited for. */
  | { readonly type: 'host-stopped'; readonly host: HostId }
  /** A suspended host continues. */
  | { readonly type: 'host-woke'; readonly host: HostId }
  /** Another day than before, by the calendar of the host. */
  | { readonly type: 'day-began'; readonly day: string }
  /** Less disk is free than may be: nothing new starts. */
  | { readonly type: 'disk-low'; readonly freeMb: number; readonly floorMb: number }
  /** There is room on the disk again. */
  | { readonly type: 'disk-freed' }
  /** The tracker was read and differs from what was known. */
  | {
      readonly type: 'tasks-read';
      readonly tracker: string;
      readonly digest: string;
      readonly tasks: readonly Task[];
      /** What is done on the remote branch that the target follows; null: it follows none; absent: nobody looked. */
      readonly upstream?: UpstreamTasks | null;
    }
  /** A person frees a task: its loop is parked, its attempts are forgotten. */
  | {
      readonly type: 'task-reset';
      readonly task: TaskKey;
      /** The landing that they took back on the target; absent: they said so. */
      readonly landed?: Sha;
    }
  /** A tracker outside the tree shows a landed task as closed. */
  | { readonly type: 'task-closed'; readonly task: TaskKey }
  /** A tracker outside the tree says that a loop has its task no more: it stops, and its work is kept. */
  | {
      readonly type: 'claim-lost';
      readonly loop: LoopId;
      readonly fence: number;
      readonly why: string;
      /** A person took the task back from it: anybody may begin it anew. */
      readonly isFree: boolean;
    }
  /** A host takes a task; the loop begins. */
  | {
      readonly type: 'task-claimed';
      readonly loop: LoopId;
      readonly task: TaskKey;
      readonly host: HostId;
      readonly slot: number;
      readonly branch: string;
      readonly onto: readonly LoopId[];
      /** Once more at the end of a run, for work that did not fit: no attempt of its own. */
      readonly again?: true;
    }
  /** A host takes over a loop that no host holds, or resumes one that waits. */
  | { readonly type: 'loop-adopted'; readonly loop: LoopId; readonly host: HostId; readonly slot: number }
  /** The loop's worktree is ready. */
  | {
      readonly type: 'worktree-made';
      readonly loop: LoopId;
      readonly fence: number;
      readonly path: string;
      readonly base: Sha;
      readonly baseTree: Sha;
      readonly head: Sha;
      readonly tree: Sha;
      readonly reused: boolean;
      /** The branch it stands on, where somebody else has one of the name that was claimed; absent: that one. */
      readonly branch?: string;
      /** What was run there before its first agent; absent: nothing had to be. */
      readonly setup?: WorktreeSetup;
    }
  /** The loop's worktree is gone and must be made again. */
  | { readonly type: 'worktree-lost'; readonly loop: LoopId }
  /** The worktree was reset and may serve another loop. */
  | { readonly type: 'worktree-retired'; readonly loop: LoopId }
  /** The worktree of a landed loop holds something that did not land, so it stays. */
  | { readonly type: 'worktree-kept'; readonly loop: LoopId; readonly why: string }
  /** One run of the agent ended. */
  | {
      readonly type: 'iteration-ended';
      readonly loop: LoopId;
      readonly fence: number;
      readonly n: number;
      readonly outcome: IterationOutcome;
      readonly head: Sha;
      /** As far as it counts as work: without what is dropped. */
      readonly tree: Sha;
      readonly said: string;
      readonly exit: number | null;
      readonly agent: string;
      readonly account: string;
      readonly usage: Usage;
      readonly failure: Failure | null;
      /** What the account allows from now on; null: nothing new. */
      readonly hold: HoldNotice | null;
      /** The newest guidance the agent was given. */
      readonly guided: number;
      readonly durationMs: number;
      /** Processes that had to be hunted down after the agent ended. */
      readonly swept: number;
      /** Something unusual the agent left, in words; null: nothing. */
      readonly odd: string | null;
      /** What it did outside its worktree; null: nothing. */
      readonly breach: Breach | null;
      /** What a hook did to the repository by mistake, and what was put back, in words; absent: nothing. */
      readonly hookSlip?: string;
      /** Files in a person's checkout that were theirs before and have changed since, in words: no part of the work; absent: none. */
      readonly yours?: string;
      /** What it did to the task file that is no work and does not land, in words; absent: nothing. */
      readonly dropped?: string;
      /** New files that our commit left out because they are too much or made by tools, in words; absent: none. */
      readonly omitted?: string;
      /** Tasks that the agent says must land before it can do anything; absent: it named none. */
      readonly lacks?: readonly TaskId[];
      /** What became of files in a person's checkout that git ignores: given back, changed or lost, in words; absent: nothing. */
      readonly ignored?: string;
    }
  /** The gates ran in the loop's worktree. */
  | {
      readonly type: 'gates-ended';
      readonly loop: LoopId;
      readonly fence: number;
      readonly n: number;
      /** What was tested: the tip of the branch, which may have moved since the agent ended. */
      readonly head: Sha;
      readonly tree: Sha;
      /** The tree the gates really saw: with the task ticked, where that is what would land. */
      readonly tested: Sha;
      readonly report: GateReport;
      readonly durationMs: number;
      /** Changed paths that land only when a person says so. */
      readonly protected: readonly string[];
      /** Changed paths that later gates and agents go by and nothing holds; absent: none. */
      readonly obeyed?: readonly string[];
      /** Paths it changed since it began, some of them if there are many. */
      readonly changed: readonly string[];
      /** What it adds that is too much or made by tools and lands only when a person says so, in words; absent: nothing. */
      readonly tooLarge?: string;
      /** What of `landing.auto` it does not fit, so that it lands only when a person says so, in words; absent: it fits. */
      readonly beyond?: string;
      /** Commits on its branch that are not of its making and would land with it; absent: none. */
      readonly besides?: Besides;
    }
  /** No agent may work on the loop now, its host's time is over, or a person stopped it before one began, so its host gives it back. */
  | {
      readonly type: 'loop-released';
      readonly loop: LoopId;
      readonly fence: number;
      readonly why: 'auth' | 'budget' | 'limit' | 'base' | 'time' | 'stopped';
    }
  /** The hold on an account is over. */
  | {
      readonly type: 'account-resumed';
      readonly account: string;
      /** What lasted until then, and nothing that lasts longer. */
      readonly untilMs: number;
    }
  /** A loop tells how far it is. */
  | { readonly type: 'loop-progressed'; readonly loop: LoopId; readonly n: number; readonly text: string }
  /** A loop says that it needs a person. */
  | { readonly type: 'loop-blocked'; readonly loop: LoopId; readonly n: number; readonly why: string }
  /** A loop says which tasks must land before it can do anything. */
  | { readonly type: 'loop-lacks'; readonly loop: LoopId; readonly n: number; readonly tasks: readonly TaskId[] }
  /** Nothing runs or lands that a waiting loop could wait for, and it was tried on integration as it is. */
  | { readonly type: 'loop-waited'; readonly loop: LoopId }
  /** A loop says that it is done; the gates decide. */
  | { readonly type: 'loop-done'; readonly loop: LoopId; readonly n: number; readonly summary: string }
  /** A person tells a loop something. */
  | { readonly type: 'loop-steered'; readonly loop: LoopId; readonly text: string }
  /** A person has read a loop's work. Approved, exactly this head lands; else it goes back to work, and its agent gets the remarks. */
  | {
      readonly type: 'loop-reviewed';
      readonly loop: LoopId;
      /** What they read. */
      readonly head: Sha;
      readonly verdict: 'approved' | 'changes';
      readonly comments: readonly ReviewComment[];
    }
  /** A loop proposes a task that it found. */
  | { readonly type: 'task-proposed'; readonly loop: LoopId; readonly title: string; readonly body: string }
  /** A person asks for loops to be landed, with their branches as they stand now. */
  | { readonly type: 'landing-requested'; readonly items: readonly { readonly loop: LoopId; readonly head: Sha }[] }
  /** A person wants a landing undone: a commit that does so, on the branch of a loop of its own, waits to land. */
  | {
      readonly type: 'revert-made';
      readonly loop: LoopId;
      /** Whose landing, and its commit. */
      readonly task: TaskKey;
      readonly commit: Sha;
      readonly title: string;
      readonly branch: string;
      readonly base: Sha;
      readonly baseTree: Sha;
      readonly head: Sha;
      readonly tree: Sha;
    }
  /** A host begins to build a train from the queue. */
  | { readonly type: 'landing-started'; readonly host: HostId }
  /** The queue was merged in memory, one on top of the other. */
  | {
      readonly type: 'train-built';
      readonly fence: number;
      readonly build: number;
      readonly base: Sha;
      /** The base is the user's own commit; absent: the log has landed it. */
      readonly users?: true;
      readonly baseTree: Sha;
      readonly cars: readonly Car[];
      /** Those that do not merge: with integration itself, or only with the cars before them. */
      readonly clashes: readonly TrainClash[];
      /** Found to be in integration already, with the commit that brought them. */
      readonly contained: readonly { readonly loop: LoopId; readonly commit: Sha }[];
      /** Branches that hold the unlanded work of other loops. */
      readonly implied: readonly { readonly loop: LoopId; readonly onto: readonly LoopId[] }[];
      /** Could not be merged for a reason that is not its work's. */
      readonly broken: readonly { readonly loop: LoopId; readonly why: string }[];
      /** Hold an object that is missing, or that git does not allow. Absent: none. */
      readonly flawed?: readonly { readonly loop: LoopId; readonly why: string }[];
      /** Another has done their task meanwhile: where, by which commit if one tells, and the ref that keeps the work. Absent: none. */
      readonly duplicates?: readonly Duplicate[];
    }
  /** The user's own new commits do not merge with what landed. */
  | {
      readonly type: 'upstream-conflicted';
      readonly fence: number;
      readonly head: Sha;
      readonly paths: readonly string[];
    }
  /** The gates ran on a car or, to prove who is to blame, on the base of the train. */
  | {
      readonly type: 'candidate-tested';
      readonly fence: number;
      readonly tree: Sha;
      /** How often the tree had been red before this run. */
      readonly again: number;
      readonly report: GateReport;
      readonly durationMs: number;
    }
  /** Where integration is, for the gates to be run on it without the work of any loop. */
  | {
      readonly type: 'base-found';
      readonly gatesHash: string;
      readonly commit: Sha;
      readonly tree: Sha;
      /** What the log said when it was looked for. */
      readonly seen: Seen;
    }
  /** The gates ran on integration itself. */
  | {
      readonly type: 'base-tested';
      readonly gatesHash: string;
      readonly commit: Sha;
      readonly tree: Sha;
      /** How often it had been run before. */
      readonly again: number;
      readonly report: GateReport;
      /** What a fresh worktree lacks, each with the setting that brings it. */
      readonly likely: readonly string[];
      readonly durationMs: number;
    }
  /** Integration moved to a car's commit. */
  | { readonly type: 'integration-advanced'; readonly fence: number; readonly commit: Sha }
  /** Integration had been moved by another process that may: build again. `users`: to the user's own commit. */
  | { readonly type: 'integration-contested'; readonly fence: number; readonly now: Sha; readonly users?: true }
  /** Work that does not merge goes back to be mended. */
  | { readonly type: 'loop-sent-back'; readonly loop: LoopId; readonly host: HostId }
  /** Main was brought into a loop's worktree. */
  | {
      readonly type: 'main-merged';
      readonly loop: LoopId;
      readonly fence: number;
      readonly n: number;
      /** What was merged in. */
      readonly base: Sha;
      readonly baseTree: Sha;
      /** The branch before that. */
      readonly before: Sha;
      readonly head: Sha;
      readonly tree: Sha;
      /** Files that now hold conflict markers. */
      readonly conflicts: readonly string[];
    }
  /** What will conflict, as far as it can be seen now; the whole picture. */
  | {
      readonly type: 'conflicts-foreseen';
      readonly found: Readonly<Record<LoopId, readonly Foreseen[]>>;
    }
  /** A person pauses the run: nothing new starts, loops at work continue. */
  | { readonly type: 'run-paused' }
  /** A person ends the pause of a run. */
  | { readonly type: 'run-unpaused' }
  /** A person changes how many loops may be at work, in the runs that are alive. */
  | { readonly type: 'workers-set'; readonly max: number }
  /** A person holds the queue. */
  | { readonly type: 'queue-paused' }
  /** A person lets the queue go. */
  | { readonly type: 'queue-resumed' }
  /** A person wants a loop to land first. */
  | { readonly type: 'loop-bumped'; readonly loop: LoopId }
  /** A person takes a loop out of the queue. */
  | { readonly type: 'loop-ejected'; readonly loop: LoopId }
  /** History shows landings that the log does not know. */
  | {
      readonly type: 'landings-found';
      /** The commit whose history it is, where it counts only if integration is there; else it was found where the user has it. */
      readonly head?: Sha;
      readonly landings: readonly FoundLanding[];
    }
  /** Work that the log does not know was found in the repository; it continues. */
  | { readonly type: 'loops-found'; readonly loops: readonly FoundLoop[] }
  /** A person throws a loop away; its work is kept under a ref. */
  | { readonly type: 'loop-discarded'; readonly loop: LoopId; readonly kept: string | null }
  /** A person stops a loop: at once, or where its agent works when that iteration ends. */
  | { readonly type: 'loop-stopped'; readonly loop: LoopId; readonly now: boolean }
  /** A person resumes a loop that was stopped, or parked for a reason that more work can fix. */
  | { readonly type: 'loop-resumed'; readonly loop: LoopId }
  /** A person takes back what they threw away. */
  | { readonly type: 'loop-restored'; readonly loop: LoopId; readonly path: string | null }
  /** Integration is not where the log left it: a landing was cut short, or (`users`) it follows the user's own commits. */
  | { readonly type: 'integration-moved'; readonly head: Sha; readonly users?: true }
  /** Integration was moved or deleted (null) by something that is neither a landing nor the user's own commits. */
  | { readonly type: 'integration-intruded'; readonly head: Sha | null }
  /** The log was lost, and integration holds commits that it does not know. */
  | { readonly type: 'integration-unknown'; readonly head: Sha; readonly tree: Sha }
  /** The gates ran on commits of integration that the log does not know. */
  | {
      readonly type: 'integration-tested';
      readonly host: HostId;
      readonly head: Sha;
      readonly tree: Sha;
      /** How often it had been red before this run. */
      readonly again: number;
      readonly report: GateReport;
      readonly durationMs: number;
    }
  /** Integration went back from where nothing vouched for it; what was there is kept. */
  | {
      readonly type: 'integration-put-back';
      readonly found: Sha | null;
      readonly to: Sha;
      readonly kept: string | null;
    }
  /** Integration was moved away from there by another process first: the next look decides. */
  | { readonly type: 'integration-left'; readonly found: Sha | null }
  /** Refs that name a train's commits are gone: the train is built again from what the log has of it. */
  | { readonly type: 'train-refs-lost'; readonly fence: number; readonly commits: readonly Sha[] }
  /** Refs that keep work: new ones, dropped ones, and those that another process deleted: restored, or lost. */
  | {
      readonly type: 'keeps-changed';
      readonly made: Readonly<Record<string, Sha>>;
      readonly dropped: readonly string[];
      readonly putBack: readonly string[];
      readonly lost: readonly string[];
    }
  /** The target branch is not where it was. */
  | { readonly type: 'target-moved'; readonly head: Sha }
  /** The target branch holds everything landed. */
  | { readonly type: 'published'; readonly to: Sha }
  /** Publishing would have touched something of the user's. */
  | { readonly type: 'publish-blocked'; readonly to: Sha; readonly why: string; readonly paths: readonly string[] }
  /** The target has commits of its own. */
  | { readonly type: 'publish-diverged'; readonly to: Sha }
  /** A command could not be carried out. */
  | {
      readonly type: 'command-failed';
      readonly command: string;
      readonly loop: LoopId | null;
      readonly fence: number;
      readonly code: string;
      readonly message: string;
    };

/** Several events written as one: all or none, at one place in the order. */
export interface Stamp {
  readonly seq: number;
  readonly at: number;
  readonly by: string;
}
