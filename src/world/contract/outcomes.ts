import type { LoopId, Sha, TaskId } from '../../core/model/ids.ts';
import type { State } from '../../core/model/model.ts';

/** What became of publishing. */
export type Published =
  | { readonly outcome: 'published'; readonly to: Sha }
  /** The target holds it already. */
  | { readonly outcome: 'current' }
  | { readonly outcome: 'blocked'; readonly why: string; readonly paths: readonly string[] }
  | { readonly outcome: 'diverged'; readonly now: Sha };

/** How a worktree is after what was left there was committed. */
export interface WorktreeFacts {
  /** The commit that holds everything that was found: the tip of the branch, unless something is odd. */
  readonly head: Sha;
  /** As far as it counts: without what is dropped. */
  readonly tree: Sha;
  /** The branch the worktree stands on; null when HEAD is detached. */
  readonly branch: string | null;
  /** Whether there was something to commit. */
  readonly committed: boolean;
  /** What keeps the branch from simply holding the work: `rebase`, `merge`, `detached`, `other-branch`, `embedded-repository` … */
  readonly odd: string | null;
  /** The ref that keeps what the branch could not take. */
  readonly kept: string | null;
  /** Files that were a person's before, are not as they were then, and are left out; a few of their names. */
  readonly yours?: string;
  /** What it did to the task file that is no work, in words. */
  readonly dropped?: string;
  /** New files that are in no commit of ours, because they are too much or made by tools, in words. */
  readonly omitted?: string;
  /** What became of ignored files of a person's where the agent worked in place, in words; absent: nothing. */
  readonly ignored?: string;
}

/** Whether something beside a loop's own work would land with it. */
export interface BesidesOrder {
  readonly loop: LoopId;
  readonly branch: string;
  /** What would land. */
  readonly head: Sha;
  readonly target: string;
  /** As loops that have landed left the branch. */
  readonly landed: readonly Sha[];
  /** Loops that it took over from: what they made on the branch is its own. */
  readonly after: readonly LoopId[];
}

export interface TrimOrder {
  readonly state: State;
  /** How many may stay. */
  readonly max: number;
  /** Writes down that a parked loop has its worktree no more. False: it has gone on meanwhile, and needs it. */
  readonly retired: (loop: LoopId, path: string) => Promise<boolean>;
}

/** A landing whose task is open in the list all the same. */
export interface OpenLanding {
  readonly task: TaskId;
  readonly commit: Sha;
}
