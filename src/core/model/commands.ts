import type { Seen } from './base-model.ts';
import type { HostId, LoopId, Sha, TaskKey } from './ids.ts';
import type { Car } from './model.ts';

/** A wish: what a host should be doing now. The key makes it one thing, however often it is wished. */
export type Command =
  | {
      readonly type: 'make-worktree';
      readonly key: string;
      readonly loop: LoopId;
      readonly fence: number;
      readonly branch: string;
      readonly onto: readonly Sha[];
      readonly head: Sha | null;
    }
  | {
      readonly type: 'run-iteration';
      readonly key: string;
      readonly loop: LoopId;
      readonly fence: number;
      readonly n: number;
      readonly timeoutMs: number;
      readonly delayMs: number;
    }
  | {
      readonly type: 'run-gates';
      readonly key: string;
      readonly loop: LoopId;
      readonly fence: number;
      readonly n: number;
    }
  | {
      readonly type: 'build-train';
      readonly key: string;
      readonly fence: number;
      readonly build: number;
      /** Who may ride, in this order, as far as they merge. */
      readonly items: readonly LoopId[];
      /** Cars that stay as they are if integration is where the first of them was built. */
      readonly keep: readonly Car[];
    }
  | {
      readonly type: 'test-candidate';
      readonly key: string;
      readonly fence: number;
      readonly commit: Sha;
      readonly tree: Sha;
      readonly again: number;
      readonly timeoutMs: number | null;
    }
  | { readonly type: 'find-base'; readonly key: string; readonly seen: Seen }
  | {
      readonly type: 'test-base';
      readonly key: string;
      readonly commit: Sha;
      readonly tree: Sha;
      readonly again: number;
      readonly timeoutMs: number | null;
    }
  | {
      readonly type: 'advance-integration';
      readonly key: string;
      readonly fence: number;
      readonly from: Sha;
      readonly to: Sha;
    }
  | {
      readonly type: 'update-worktree';
      readonly key: string;
      readonly loop: LoopId;
      readonly fence: number;
      readonly n: number;
      /** What does not merge by itself is left as it is. */
      readonly onlyClean: boolean;
    }
  | {
      readonly type: 'test-integration';
      readonly key: string;
      readonly host: HostId;
      readonly commit: Sha;
      readonly tree: Sha;
      readonly again: number;
      readonly timeoutMs: number | null;
    }
  | {
      readonly type: 'put-back-integration';
      readonly key: string;
      readonly found: Sha | null;
      /** null: to the target. */
      readonly to: Sha | null;
    }
  | { readonly type: 'retire-worktree'; readonly key: string; readonly loop: LoopId }
  | { readonly type: 'publish'; readonly key: string; readonly to: Sha };

/** A task a host would start now, in order; what a dry run prints and a claim is made from. */
export interface Start {
  readonly task: TaskKey;
  readonly slot: number;
  readonly onto: readonly LoopId[];
  /** Once more, for work that did not fit. */
  readonly again?: true;
}
