import type { LoopId, Sha, TaskId } from '../../core/model/ids.ts';
import type { LandingMethod } from '../../core/model/settings.ts';

export interface Built {
  readonly commit: Sha;
  readonly tree: Sha;
  /** Files that a merge driver or a remembered resolution settled. */
  readonly resolved: readonly string[];
}

export interface FoundLanding {
  readonly task: TaskId;
  readonly tracker: string;
  readonly loop: LoopId;
  readonly commit: Sha;
  readonly atMs: number;
}

export interface BuildOptions {
  readonly base: Sha;
  readonly head: Sha;
  /** The commit whose attributes count: integration as it is, also for the second and third on top of it. */
  readonly under: Sha;
  readonly message: string;
  readonly method: LandingMethod;
  /** The commit that `head` counts as a change of, where its history says otherwise. */
  readonly since?: Sha | null;
  /** Nothing lands before `checkEnvelopes` was asked about it. */
  readonly envelopeLater?: boolean;
  /** The tracker file is the target's with this task ticked, and with what counts of the branch's own edits. */
  readonly tick: TaskId | null;
  /** The tracker file that names the task; the host's own unless told. */
  readonly tracker?: string | undefined;
  /** `head` may bring tasks that landed before their line was committed: they are ticked as well. */
  readonly ticksLanded?: boolean;
}
