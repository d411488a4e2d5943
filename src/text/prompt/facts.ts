import type { CompletionSignal } from '../../core/settings.ts';

/** What a prompt can tell. */
export interface PromptFacts {
  readonly task: {
    readonly id: string;
    readonly title: string;
    readonly body: string;
    readonly acceptance: readonly string[];
  };
  readonly iteration: number;
  /** What this task depends on; all of it has landed. */
  readonly dependencies: readonly { readonly id: string; readonly title: string; readonly commit: string }[];
  readonly earlier: { readonly commits: readonly string[]; readonly stat: string; readonly said: string } | null;
  readonly gateFailure: { readonly command: string; readonly tail: string } | null;
  /** What the last iteration left half-done in the worktree. */
  readonly halfDone: string | null;
  /** Why the last run of the agent broke. */
  readonly lastFailure: string | null;
  /** What the user said, oldest first. */
  readonly guidance: readonly string[];
  /** Already chosen, the most useful first. */
  readonly memories: readonly string[];
  /** What other running loops are changing. */
  readonly others: readonly { readonly path: string; readonly task: string }[];
  readonly gates: readonly string[];
  readonly signal: CompletionSignal;
  readonly promise: string;
}
