import type { CompletionSignal } from '../../core/model/settings.ts';

/** What a prompt can tell. */
export interface PromptFacts {
  readonly task: {
    readonly id: string;
    readonly title: string;
    readonly body: string;
    readonly acceptance: readonly string[];
  };
  readonly iteration: number;
  /** It works in the user's own checkout, with whatever else is in there. */
  readonly inPlace?: boolean;
  /** What this task depends on; all of it has landed. */
  readonly dependencies: readonly { readonly id: string; readonly title: string; readonly commit: string }[];
  readonly earlier: { readonly commits: readonly string[]; readonly stat: string; readonly said: string } | null;
  readonly gateFailure: { readonly command: string; readonly tail: string } | null;
  /** The target itself fails its gates, without the work of anybody; absent or null: it does not. */
  readonly baseFailure?: BaseFailure | null;
  /** What the last iteration left half-done in the worktree. */
  readonly halfDone: string | null;
  /** What a hook did to the repository by mistake when the agent committed; absent or null: nothing. */
  readonly hookSlip?: string | null;
  /** What the last iteration did to the task file that is no work; absent or null: nothing. */
  readonly dropped?: string | null;
  /** New files that were left out of what was committed for the agent, in words; absent or null: none. */
  readonly omitted?: string | null;
  /** What was to prepare the worktree and failed; absent or null: nothing. */
  readonly setupFailed?: { readonly command: string; readonly tail: string } | null;
  /** Why the last run of the agent broke. */
  readonly lastFailure: string | null;
  /** What the user said, oldest first. */
  readonly guidance: readonly string[];
  /** Already chosen, the most useful first. */
  readonly memories: readonly string[];
  /** What other running loops are changing. */
  readonly others: readonly { readonly path: string; readonly task: string }[];
  /** The other tasks of its list that are open, and what landed since its last iteration; absent or null: it has no list. */
  readonly otherTasks?: OtherTasks | null;
  readonly gates: readonly string[];
  /** What does not fit with what landed and has to be mended; null: nothing. */
  readonly rework: ReworkFacts | null;
  /** What will conflict if everybody goes on like this; task null: with main. */
  readonly foreseen: readonly { readonly task: string | null; readonly paths: readonly string[] }[];
  readonly signal: CompletionSignal;
  readonly promise: string;
}

export interface OtherTasks {
  readonly open: readonly { readonly id: string; readonly title: string }[];
  readonly landed: { readonly commits: readonly string[]; readonly stat: string } | null;
}

export interface BaseFailure {
  readonly target: string;
  readonly command: string;
  readonly tail: string;
  /** What a fresh worktree lacks, each with the setting that brings it. */
  readonly likely: readonly string[];
}

/** Who is told: the agent that made the work, or one that is asked only because it does not fit. */
export type ReworkRole = 'owner' | 'resolver' | 'tester' | 'cleaner';

export interface ReworkFacts {
  readonly kind: 'conflict' | 'red' | 'checks' | 'review';
  readonly role: ReworkRole;
  /** The branch everything lands on. */
  readonly target: string;
  /** Files that got conflict markers when the target was merged in. */
  readonly paths: readonly string[];
  /** `path:line` of markers that are still there. */
  readonly markersLeft: readonly string[];
  /** Files that a resolver changed and had no business with. */
  readonly strayed: readonly string[];
  readonly mine: Intent;
  /** What landed meanwhile and does not fit with it, as far as known. */
  readonly theirs: readonly (Intent & { readonly commit: string })[];
  /** On one line. */
  readonly detail: string;
  /** What a person asked for in reviews since the work was last ready, oldest first; absent: nothing. */
  readonly asked?: readonly string[];
}

export interface Intent {
  readonly id: string;
  readonly title: string;
  readonly body: string;
}
