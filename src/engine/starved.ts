import type { Event } from '../core/events.ts';
import { saysDiskFull } from './disk-full.ts';
import type { PerformContext } from './performer.ts';

/** Gates that had no room said nothing about the work. That a test prints such words on a disk with room is its own affair. */
export function isStarved(context: PerformContext, event: Event): boolean {
  if (event.type !== 'gates-ended' && event.type !== 'candidate-tested') return false;
  return event.report.verdict === 'red' && saysDiskFull(event.report.tail) && !hasRoom(context);
}

/** An agent that failed where it could not write is not to blame: the iteration counts as interrupted. */
export function excuse(context: PerformContext, event: Event): Event {
  if (event.type !== 'iteration-ended' || (event.outcome !== 'failed' && event.outcome !== 'lost')) return event;
  return hasRoom(context) ? event : { ...event, outcome: 'interrupted' };
}

const hasRoom = ({ world, policy }: PerformContext): boolean => world.disk.freeMb() >= policy.limits.freeMb;
