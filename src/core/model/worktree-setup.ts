/** What was to prepare a worktree and did not work, for its agent to know. */
export interface SetupFailed {
  readonly command: string;
  readonly tail: string;
}

/** What was run in a new worktree before anybody worked in it. */
export interface WorktreeSetup {
  readonly commands: readonly string[];
  readonly durationMs: number;
  readonly failed: SetupFailed | null;
}
