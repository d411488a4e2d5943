import type { LoopId, Sha, TaskId } from '../../core/model/ids.ts';
import type { Forge } from './forge.ts';

/** The task that a head marks as done; id null: no file lists it, so there is nothing to mark. */
export interface Marking {
  readonly id: TaskId | null;
  readonly tracker: string;
}

/** The branches of pull requests, here and on the remote. */
export interface PullGit {
  /** Brings what the target is on the remote; null: there is no such branch. */
  fetchTarget(): Promise<Sha | null>;
  /** Where a branch of the remote stands: the ref itself, whatever the forge shows. */
  tipOf(branch: string): Promise<Sha | null>;
  /** Brings the commits of a remote branch. */
  fetch(branch: string): Promise<void>;
  /** False: it was not where it was expected, and stays as it is. */
  push(move: { readonly branch: string; readonly head: Sha; readonly expected: Sha | null }): Promise<boolean>;
  isAncestor(of: Sha, in_: Sha): Promise<boolean>;
  /** The work with its task marked as done, on top of what was pushed. Paths: they do not merge. */
  name(order: {
    readonly loop: LoopId;
    readonly title: string;
    readonly work: Sha;
    /** What stands on the remote branch already. */
    readonly pushed: Sha | null;
    readonly marking: Marking;
  }): Promise<{ readonly head: Sha } | { readonly conflicts: readonly string[] }>;
  /** Whether a commit has the task marked as done. */
  isDone(commit: Sha, marking: Marking): Promise<boolean>;
  /** What a forge would make of merging a head into a base: plainly, by git alone. */
  meet(
    base: Sha,
    head: Sha,
  ): Promise<{ readonly tree: Sha; readonly commit: Sha } | { readonly conflicts: readonly string[] }>;
  /** The base merged into a head where only the task file is in the way: what both have marked as done is. */
  withBase(order: {
    readonly loop: LoopId;
    readonly base: Sha;
    readonly head: Sha;
    readonly marking: Marking;
  }): Promise<Sha | null>;
}

/** What a host has of its forge. */
export interface ForgeDoor {
  readonly forge: Forge;
  readonly git: PullGit;
}
