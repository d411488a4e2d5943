import type { Event } from '../../core/model/events.ts';
import type { HostPolicy } from '../../core/model/model.ts';
import type { World } from '../../world/contract/world.ts';
import { saysWant } from './want.ts';

/** With less than this free nobody can tell what failed by itself and what for want of room. */
const HARDLY_ANY_MB = 16;

interface Where {
  readonly world: Pick<World, 'disk'>;
  readonly policy: Pick<HostPolicy, 'limits'>;
}

export const isOutOfRoom = ({ world, policy }: Where): boolean =>
  world.disk.freeMb() < Math.max(1, Math.min(HARDLY_ANY_MB, policy.limits.freeMb));

/** Gates that had no room said nothing about the work. On a disk with room such words in a test are its own affair. */
export const isStarved = (event: Event): boolean =>
  (event.type === 'gates-ended' || event.type === 'candidate-tested' || event.type === 'base-tested') &&
  event.report.verdict === 'red' &&
  saysWant(event.report.tail);

/** An agent that failed while nothing could be written is not to blame: the iteration counts as interrupted. */
export function excuse(event: Event): Event {
  const isFailure = event.type === 'iteration-ended' && (event.outcome === 'failed' || event.outcome === 'lost');
  return isFailure ? { ...event, outcome: 'interrupted' } : event;
}
