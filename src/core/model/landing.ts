import type { HostId, LoopId, Sha, TaskKey } from './ids.ts';
import type { GateReport } from './model.ts';
import type { ConflictStrategy } from './settings.ts';

/** The one train under way. Its cars are merged one on top of the other; the longest green part of it lands. */
export interface Landing {
  readonly host: HostId;
  readonly fence: number;
  /** Builds so far: each is a wish of its own. */
  readonly build: number;
  readonly stage: LandingStage;
  /** Integration, as the first car sits on it. Null: not built yet. */
  readonly base: Sha | null;
  readonly baseTree: Sha | null;
  readonly cars: readonly Car[];
  /** Gate runs that should be under way, by the commit they test. */
  readonly runs: readonly GateRun[];
  /** Trees of this train that were red, and how often. */
  readonly reds: readonly RedTree[];
  /** Queued loops that do not merge behind these cars: not worth another build. */
  readonly left: readonly LoopId[];
}

/** One item of a train, merged on top of the car before it. */
export interface Car {
  /** null: the user's own new commits. They are never put aside. */
  readonly loop: LoopId | null;
  readonly head: Sha;
  readonly commit: Sha;
  readonly tree: Sha;
}

export interface GateRun {
  readonly commit: Sha;
  readonly tree: Sha;
  /** From 1; a gate worktree of its own. */
  readonly slot: number;
  /** How often this tree was red before: a second run is another wish. */
  readonly again: number;
  readonly startedAt: number;
  /** Another run was beside it at some time. */
  readonly beside: boolean;
}

export interface RedTree {
  readonly tree: Sha;
  readonly times: number;
  readonly report: GateReport;
}

export type LandingStage =
  | { readonly at: 'building' }
  | { readonly at: 'testing' }
  /** Integration moves to this car's commit; gate runs further back go on. */
  | { readonly at: 'advancing'; readonly commit: Sha };

/** Why nothing can land until a person, or a new commit on the target, changes something. */
export interface LandingTrouble {
  readonly kind: 'upstream-conflict' | 'upstream-red' | 'main-red' | 'broken';
  /** The gate that fails. */
  readonly gate?: GateReport;
  readonly detail: string;
  readonly paths: readonly string[];
  readonly target: Sha | null;
}

/** How a host lands. */
export interface TrainPolicy {
  /** Gate runs at the same time. */
  readonly gateSlots: number | 'auto';
  /** For `auto`. */
  readonly cores: number;
  readonly flakeRetries: number | 'auto';
  /** What happens to work that does not merge; a host without slots can only stop. */
  readonly onConflict: ConflictStrategy;
  readonly maxAttempts: number;
}

/** What past trains say about the next one, as counts that fade. */
export interface Odds {
  /** Items that turned a train red, and items that landed. */
  readonly red: number;
  readonly green: number;
  /** Red trees that were run again: those that turned green, and those that stayed red. */
  readonly flaky: number;
  readonly firm: number;
}

/** How long gates take, newest last, bounded. */
export interface Pace {
  /** Green runs of a train with no other one beside them. */
  readonly aloneMs: readonly number[];
  /** Green runs with another one beside them. */
  readonly besideMs: readonly number[];
}

/** What a person says of the work, or of one place in it. */
export interface ReviewComment {
  readonly text: string;
  /** Absent: of all of it. */
  readonly on?: ReviewPlace;
}

export interface ReviewPlace {
  readonly path: string;
  /** old: lines as they were before the work; new: as it left them. */
  readonly side: 'old' | 'new';
  readonly first: number;
  readonly last: number;
  /** What these lines hold. */
  readonly code: string;
}

/** What a person said last of the work, and of which head. */
export interface Reviewed {
  readonly head: Sha;
  readonly verdict: 'approved' | 'changes';
  readonly at: number;
}

/** What a landing of its own undoes. */
export interface Undone {
  /** Whose landing. */
  readonly task: TaskKey;
  readonly commit: Sha;
}

/** Ready work that did not fit, or that a person wants otherwise: what has to be mended, and how often that was tried. */
export interface Rework {
  readonly kind: 'conflict' | 'red' | 'checks' | 'review';
  /** Sendings back for what did not fit; reviews are counted apart. */
  readonly times: number;
  /** Who resolves: the loop's own agent, or the one for conflicts. */
  readonly by: 'owner' | 'resolver';
  /** Loops whose landed work it does not fit with, as far as known. */
  readonly with: readonly LoopId[];
  /** Files with conflict markers once main was merged in; before that, the files that conflict. */
  readonly paths: readonly string[];
  /** The branch before main was brought in, and the commit that did; null: not yet. */
  readonly before: Sha | null;
  readonly merged: Sha | null;
  /** Iterations made before: mending has an allowance of its own. */
  readonly countedBefore: number;
  readonly detail: string;
  /** What a person asked for in a review, oldest first: every iteration is told until the work is ready again. Absent: no review. */
  readonly asked?: readonly string[];
}

export interface Clash {
  readonly base: Sha;
  readonly paths: readonly string[];
  readonly with: readonly LoopId[];
}

/** Two pieces of unlanded work, or one and main, that will conflict. */
export interface Foreseen {
  /** null: main. */
  readonly with: LoopId | null;
  readonly paths: readonly string[];
}

export interface Publishing {
  readonly published: Sha | null;
  readonly blocked: { readonly to: Sha; readonly why: string; readonly paths: readonly string[] } | null;
  /** The target has commits that integration lacks: merge them before publishing. */
  readonly diverged: boolean;
}

export interface TrainClash {
  readonly loop: LoopId;
  /** It does not merge with integration itself, whatever else is in the train. */
  readonly main: boolean;
  readonly paths: readonly string[];
  /** Loops that changed the same files: landed since it began, or ahead of it in the train. */
  readonly with: readonly LoopId[];
}

/** Work whose task another has done meanwhile: where, and what keeps it. */
export interface Duplicate {
  readonly loop: LoopId;
  readonly where: string;
  readonly commit: Sha | null;
  readonly kept: string;
}
