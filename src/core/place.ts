/** Where a loop works. */
export type Place =
  /** In a worktree of its own, made for it and taken away after it. */
  | { readonly at: 'worktree' }
  /** In a checkout of a person's, which is never reset, cleaned or removed. */
  | {
      readonly at: 'checkout';
      readonly path: string;
      /** The branch that stands there and takes its commits; null: they go on a branch of its own, and main follows by landing. */
      readonly branch: string | null;
    };
