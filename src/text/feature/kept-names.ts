import type { Ecosystem } from './ecosystems.ts';

/** Ignored files that stay when a worktree is used again, as patterns of .gitignore. `keep` is what the user named; null: nothing. */
type Kept = (found: readonly Ecosystem[], keep: readonly string[] | null) => readonly string[];

/** What tools install and build is slow to make, and an agent does not land it. */
export const keptInLoops: Kept = (found, keep) =>
  keep ?? unique(found.flatMap(({ installs, builds }) => [...installs, ...builds]));

/** Only what a lock file says: what was built from an earlier candidate could turn a later one green. */
export const keptInGates: Kept = (found, keep) =>
  keep ?? unique(found.flatMap(({ lock, installs }) => (lock === null ? [] : installs)));

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)];
