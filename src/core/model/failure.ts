/** Why a run of an agent came to nothing, as far as it told. */
export interface Failure {
  readonly kind: FailureKind;
  /** One line, as the agent put it. */
  readonly message: string;
}

export type FailureKind =
  /** Not logged in, or the key is refused. */
  | 'auth'
  /** Its program is not there, or cannot be run on this machine. */
  | 'missing'
  /** The account's usage limit is reached. */
  | 'limit'
  /** Too many requests at once. */
  | 'rate'
  /** The service is overloaded or broken. */
  | 'overloaded'
  /** The conversation does not fit the model. */
  | 'context'
  /** The model is not known or not allowed. */
  | 'model'
  /** A tool was not allowed to run. */
  | 'permission'
  /** The turn cap was reached. */
  | 'turns'
  /** The agent's own budget was reached. */
  | 'budget'
  /** Exit 0 without the event that ends a run. */
  | 'unfinished'
  /** Nothing was said for too long. */
  | 'stalled'
  /** More was printed than is allowed. */
  | 'flood'
  | 'other';

/** What the account behind an agent allows now. */
export interface HoldNotice {
  readonly kind: HoldKind;
  /** When it is over; null: not told. */
  readonly untilMs: number | null;
  readonly detail: string;
}

/** warning: the limit is near; the others: no work until it is over. */
export type HoldKind = 'warning' | 'limit' | 'rate' | 'auth' | 'missing';

/** How one run of the agent ended, as we saw it. */
export type IterationOutcome =
  /** It came to its own end and the last thing said was the completion signal. */
  | 'claimed'
  /** It came to its own end without the signal, or was stopped by its turn cap or budget. */
  | 'worked'
  /** It broke, or ended without the word that ends a run. */
  | 'failed'
  /** It said nothing for too long, or too much, and was stopped. */
  | 'stalled'
  /** The account's usage limit is reached; counts for nothing. */
  | 'limited'
  /** Too many requests, or the service is overloaded; counts for nothing. */
  | 'throttled'
  /** Not logged in, or the key is refused; counts for nothing. */
  | 'refused'
  /** Stopped by the loop's runtime limit. */
  | 'timed-out'
  /** Stopped because the host stops; counts for nothing. */
  | 'interrupted'
  /** The process vanished without an exit code. */
  | 'lost';

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

/** What was to prepare a worktree and did not work, for its agent to know. */
interface SetupFailed {
  readonly command: string;
  readonly tail: string;
}

/** What was run in a new worktree before anybody worked in it. */
export interface WorktreeSetup {
  readonly commands: readonly string[];
  readonly durationMs: number;
  readonly failed: SetupFailed | null;
}

/** Why a loop was put aside. */
export type ParkReason =
  | 'iterations'
  | 'runtime'
  | 'no-progress'
  | 'failures'
  | 'conflict'
  | 'red'
  | 'base-parked'
  | 'broken'
  | 'reset'
  | 'budget'
  | 'blocked'
  | 'protected'
  /** More new files than a loop lands by itself, or what tools make. */
  | 'too-large'
  | 'ejected'
  | 'tampered'
  /** Another has done its task meanwhile. */
  | 'duplicate'
  | 'discarded'
  /** Its pull request needs a person. */
  | 'pull-request'
  /** Another loop goes on with its branch. */
  | 'replaced'
  | 'stopped';
