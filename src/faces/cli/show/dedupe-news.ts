import type { Event } from '../../../core/model/events.ts';
import type { News } from '../../../core/views/news.ts';

/** Hosts that end together each publish the same: whoever watches is told of it once. */
export function toldBefore(): (event: Event | News) => boolean {
  let published: string | null = null;
  return (event) => {
    if (event.type !== 'published') return false;
    const isSame = event.to === published;
    published = event.to;
    return isSame;
  };
}
