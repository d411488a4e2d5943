import { canLand } from '../core/loops/landing-queue.ts';
import { reconcile } from '../core/plan/reconcile.ts';
import { conflictsToMend } from '../core/loops/rework.ts';
import { schedule } from '../core/plan/schedule.ts';
import { fold } from '../core/fold/fold.ts';
import { wishes } from '../core/plan/wishes.ts';

/** The functions that decide, as one value: the simulator plants a wrong one and sees whether anybody notices. */
export interface Brain {
  readonly fold: typeof fold;
  readonly wishes: typeof wishes;
  readonly schedule: typeof schedule;
  readonly canLand: typeof canLand;
  readonly conflictsToMend: typeof conflictsToMend;
  readonly reconcile: typeof reconcile;
}

export const REAL_BRAIN: Brain = { fold, wishes, schedule, canLand, conflictsToMend, reconcile };
