import type { Event } from '../../core/model/events.ts';
import type { State } from '../../core/model/model.ts';
import type { Facts } from '../../core/fold/fold.ts';
import { fold } from '../../core/fold/fold.ts';
import type { News } from '../../core/views/news.ts';
import { NEWS_TYPES, newsBetween } from '../../core/views/news.ts';
import { isOfAnother } from '../../core/views/other-tracker.ts';
import { eventLine, newsLine } from './live-lines.ts';
import type { Style } from './output.ts';

/** Says each record as it comes, in a line for each thing a person wants to know. */
export function tellLines(
  tracker: string,
  style: Style,
  say: (line: string, atMs: number) => void,
): (record: Facts, before: State) => void {
  const isTold = toldBefore();
  return (record, before) =>
    tellEach(record, before, (event, state) => {
      if (isOfAnother(event, state, tracker) || isTold(event)) return;
      const line = isNews(event) ? newsLine(event, state, style) : eventLine(event, state, style);
      if (line !== null) say(line, record.at);
    });
}

/** A record may hold several facts: what came of the first is told before the second. */
export function tellEach(record: Facts, before: State, on: (event: Event | News, state: State) => void): void {
  let state = before;
  for (const event of record.events) {
    const next = fold(state, { ...record, events: [event] });
    on(event, next);
    for (const news of newsBetween(state, next)) on(news, next);
    state = next;
  }
}

const isNews = (event: Event | News): event is News => NEWS_TYPES.has(event.type);

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
