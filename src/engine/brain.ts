import { canLand } from '../core/landing-queue.ts';
import { reconcile } from '../core/reconcile.ts';
import { conflictsToMend } from '../core/rework.ts';
import { schedule } from '../core/schedule.ts';
import { fold } from '../core/step.ts';
import { wishes } from '../core/wishes.ts';

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
