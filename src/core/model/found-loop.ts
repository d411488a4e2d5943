import type { LoopId, Sha, TaskKey } from './ids.ts';

/** Whose a worktree is, as it is written down beside it. */
export interface LoopNote {
  readonly loop: LoopId;
  readonly task: TaskKey;
  readonly title: string;
  readonly attempt: number;
  readonly branch: string;
  readonly base: Sha;
}

/** A loop as its branch and worktree tell it. */
export interface FoundLoop extends LoopNote {
  readonly baseTree: Sha;
  readonly head: Sha;
  readonly tree: Sha;
  /** null: only the branch is left. */
  readonly worktree: string | null;
  /** What its agent did outside its worktree, by what was kept of it. */
  readonly tampered?: string;
}

/** A landing as history tells it. */
export interface FoundLanding {
  readonly task: TaskKey;
  readonly loop: LoopId;
  readonly commit: Sha;
  readonly at: number;
}
