import type { Failure, HoldNotice } from './failure.ts';
import type { HostId, LoopId, Sha, TaskKey } from './ids.ts';
import type { Candidate, GateReport, HostPolicy, ProcessMark } from './model.ts';
import type { Task } from './task.ts';
import type { Usage } from './usage.ts';

/** How one run of the agent ended, as we saw it. */
export type IterationOutcome =
  /** It came to its own end and the last thing said was the completion signal. */
  | 'claimed'
  /** It came to its own end without the signal, or was stopped by its turn cap or budget. */
  | 'worked'
  /** It broke, or ended without the word that ends a run. */
  | 'failed'
  /** It said nothing for too long, or too much, and was stopped. */
  | 'stalled'
  /** The account's usage limit is reached; counts for nothing. */
  | 'limited'
  /** Too many requests, or the service is overloaded; counts for nothing. */
  | 'throttled'
  /** Not logged in, or the key is refused; counts for nothing. */
  | 'refused'
  /** It says that it cannot go on without a person. */
  | 'blocked'
  /** Stopped by the loop's runtime limit. */
  | 'timed-out'
  /** Stopped because the host stops; counts for nothing. */
  | 'interrupted'
  /** The process vanished without an exit code. */
  | 'lost';

/** Everything that can happen. A fact is written to the log before anything is done about it. */
export type Event =
  /** A process starts to run loops or to land them. */
  | { readonly type: 'host-joined'; readonly host: HostId; readonly mark: ProcessMark; readonly policy: HostPolicy }
  /** A host takes no new work and ends soon. */
  | { readonly type: 'host-draining'; readonly host: HostId }
  /** A host ended in order; its loops are free. */
  | { readonly type: 'host-left'; readonly host: HostId }
  /** A host was found dead; its loops are free. */
  | { readonly type: 'host-lost'; readonly host: HostId }
  /** The tracker was read and differs from what was known. */
  | { readonly type: 'tasks-read'; readonly tracker: string; readonly digest: string; readonly tasks: readonly Task[] }
  /** A person frees a task: its loop is parked, its attempts are forgotten. */
  | { readonly type: 'task-reset'; readonly task: TaskKey }
  /** A host takes a task; the loop begins. */
  | {
      readonly type: 'task-claimed';
      readonly loop: LoopId;
      readonly task: TaskKey;
      readonly host: HostId;
      readonly slot: number;
      readonly branch: string;
      readonly onto: readonly LoopId[];
    }
  /** A host takes over a loop that nobody holds. */
  | { readonly type: 'loop-adopted'; readonly loop: LoopId; readonly host: HostId; readonly slot: number }
  /** The loop's worktree stands. */
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
      readonly report: GateReport;
      readonly durationMs: number;
      /** Changed paths that land only when a person says so. */
      readonly protected: readonly string[];
    }
  /** No agent may work on the loop now, so its host gives it back. */
  | {
      readonly type: 'loop-released';
      readonly loop: LoopId;
      readonly fence: number;
      readonly why: 'auth' | 'budget';
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
  /** A loop says that it is done; the gates decide. */
  | { readonly type: 'loop-done'; readonly loop: LoopId; readonly n: number; readonly summary: string }
  /** A person tells a loop something. */
  | { readonly type: 'loop-steered'; readonly loop: LoopId; readonly text: string }
  /** A loop found something that should be done by somebody. */
  | { readonly type: 'task-proposed'; readonly loop: LoopId; readonly title: string; readonly body: string }
  /** A person asks for loops to be landed, with their branches as they stand now. */
  | { readonly type: 'landing-requested'; readonly items: readonly { readonly loop: LoopId; readonly head: Sha }[] }
  /** A host begins to land an item. */
  | { readonly type: 'landing-started'; readonly item: LoopId | null; readonly host: HostId }
  /** Integration and the item were merged in memory. */
  | { readonly type: 'candidate-built'; readonly fence: number; readonly candidate: Candidate }
  /** They do not merge. */
  | {
      readonly type: 'candidate-conflicted';
      readonly fence: number;
      readonly upstream: boolean;
      readonly base: Sha;
      readonly paths: readonly string[];
    }
  /** Integration already holds the item (or, without an item, the target). */
  | { readonly type: 'candidate-contained'; readonly fence: number; readonly commit: Sha; readonly base: Sha }
  /** The gates ran on a candidate or, to prove who is to blame, on its base. */
  | {
      readonly type: 'candidate-tested';
      readonly fence: number;
      readonly tree: Sha;
      readonly report: GateReport;
      readonly durationMs: number;
    }
  /** Integration moved to the candidate. */
  | { readonly type: 'integration-advanced'; readonly fence: number; readonly commit: Sha }
  /** Integration had been moved by somebody else: build again. */
  | { readonly type: 'integration-contested'; readonly fence: number; readonly now: Sha }
  /** Integration is not where the log left it: a landing was cut short, or another one moved it. */
  | { readonly type: 'integration-moved'; readonly head: Sha }
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

export type EventType = Event['type'];

/** Several events written as one: all or none, at one place in the order. */
export interface Stamp {
  readonly seq: number;
  readonly at: number;
  readonly by: string;
}
