import { nextToLand } from '../../../src/core/landing-queue.ts';
import { reconcile } from '../../../src/core/reconcile.ts';
import { schedule } from '../../../src/core/schedule.ts';
import { fold } from '../../../src/core/step.ts';
import { wishes } from '../../../src/core/wishes.ts';

/** The deciding functions, as one value: a mutant replaces one of them. */
export interface Brain {
  readonly fold: typeof fold;
  readonly wishes: typeof wishes;
  readonly schedule: typeof schedule;
  readonly nextToLand: typeof nextToLand;
  readonly reconcile: typeof reconcile;
}

export const REAL_BRAIN: Brain = { fold, wishes, schedule, nextToLand, reconcile };
