/** What an agent did outside its own worktree. */
export interface Breach {
  /** In words, one thing each: `moved the branch main from 1a2b3c4d5e to 6f7a8b9c0d`. */
  readonly did: readonly string[];
  /** Refs that keep what it made there. */
  readonly kept: readonly string[];
  /** What was put back as it was, in words; the rest is for a person. */
  readonly restored: readonly string[];
  /** A hook did all of it by mistake, and all of it is put back; absent: no. */
  readonly isHooks?: boolean;
}
