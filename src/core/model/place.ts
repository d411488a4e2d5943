import type { Loop } from './model.ts';

/** Where a loop works. */
export type Place =
  /** In a worktree of its own, made for it and taken away after it. */
  | ({ readonly at: 'worktree' } & Folder)
  /** In a checkout of a person's, which is never reset, cleaned or removed. */
  | ({
      readonly at: 'checkout';
      readonly path: string;
      /** The branch that stands there and takes its commits; null: they go on a branch of its own, and main follows by landing. */
      readonly branch: string | null;
    } & Folder);

/** Commits on a person's branch that would land with a loop's own: neither it nor a landed loop made them. */
export interface Besides {
  readonly count: number;
  /** `1a2b3c4d5e subject` each, newest first, bounded. */
  readonly commits: readonly string[];
}

interface Folder {
  /** Where its agents start, from the top; absent: there. */
  readonly folder?: string;
}

const OURS = 'ralph/';

/** Whether its branch was made for it. One that stood in a person's checkout before it began is theirs, whatever becomes of the loop. */
export const ownsBranch = ({ place, branch }: Pick<Loop, 'place' | 'branch'>): boolean =>
  place.at === 'worktree' || branch.startsWith(OURS);
