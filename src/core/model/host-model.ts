import type { ForgePolicy } from './pull.ts';
import type { BasePolicy } from './base-model.ts';
import type { LoopId } from './ids.ts';
import type { TrainPolicy } from './landing.ts';
import type { Place } from './place.ts';
import type { ProjectLimits } from './project-limits.ts';
import type { LandingMethod, LimitSettings, MergePolicy, PublishMode, Strategy } from './settings.ts';
import type { Filter } from './task.ts';
import type { Budget } from './usage.ts';

/** What a host was told to do; fixed when it joins, so that every fold sees the same. */
export interface HostPolicy {
  readonly tracker: string;
  /** Room for loops; 0: this host only lands. */
  readonly slots: number;
  /** How many loops of task lists it lets be at work, all hosts together; absent: as many as it has room for. */
  readonly maxWorkers?: number;
  readonly strategy: Strategy;
  readonly mergePolicy: MergePolicy;
  /** How many loops may wait for a person to read them before nothing new starts; absent: no bound. */
  readonly maxWaiting?: number;
  readonly limits: LimitSettings;
  readonly target: string;
  readonly publish: PublishMode;
  readonly method: LandingMethod;
  /** Who works, in order: the next one only while those before it are held back. */
  readonly agents: readonly PolicyAgent[];
  /** Others, that tasks ask for. */
  readonly named?: readonly PolicyAgent[];
  readonly budget: Budget;
  /** What all loops of the repository may use, beside the budget of a run; absent: no bound. */
  readonly project?: ProjectLimits;
  /** Who resolves conflicts under `ai_resolve`; null: the loop's own agent. */
  readonly resolver: PolicyAgent | null;
  /** Gate commands and the environment they run in. */
  readonly gatesHash: string;
  /** As the user wrote them; absent: not told. */
  readonly gates?: readonly string[];
  readonly hasGates: boolean;
  readonly base: BasePolicy;
  /** Gates get a time limit from how long they took before. */
  readonly gateTimeoutAuto: boolean;
  readonly train: TrainPolicy;
  /** Where the loops it starts work. */
  readonly place: Place;
  /** Template of a loop's branch, with <task> and <loop>; absent: `ralph/<loop>`. */
  readonly branch?: string;
  /** It goes on with this loop and begins no other; null: it works through the tracker. */
  readonly only: LoopId | null;
  /** The tasks it may work on; absent: all of the tracker. */
  readonly choice?: readonly Filter[];
  /** It opens and follows pull requests; absent: it has no forge. */
  readonly forge?: ForgePolicy;
}

export interface PolicyAgent {
  readonly name: string;
  readonly account: string;
}
