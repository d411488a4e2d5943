import type { Event } from '../model/events.ts';
import type { LoopId } from '../model/ids.ts';
import type { State } from '../model/model.ts';
import { EMPTY_STATE } from '../model/model.ts';
import type { News } from './news.ts';
import { newsBetween } from './news.ts';
import type { Facts } from '../fold/fold.ts';
import { fold } from '../fold/fold.ts';

/** One thing that happened to a loop, or that became of it. */
export interface HistoryEntry {
  readonly seq: number;
  readonly at: number;
  readonly by: string;
  readonly what: Event | News;
  /** What the log said then, with this record. */
  readonly state: State;
}

/** Everything the log says of one loop, in order: from the first record on, since a snapshot holds no past. */
export function loopHistory(records: readonly Facts[], id: LoopId): readonly HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  let before = EMPTY_STATE;
  for (const record of records) {
    const after = fold(before, record);
    entries.push(...entriesOf(record, before, after, id));
    before = after;
  }
  return entries;
}

/** What one record says of one loop. */
export function entriesOf(record: Facts, before: State, after: State, id: LoopId): readonly HistoryEntry[] {
  const { seq, at, by } = record;
  const about: (Event | News)[] = record.events.filter((event) => concerns(event, id, before));
  const isChanged = before.loops[id] !== after.loops[id];
  if (isChanged) about.push(...newsBetween(before, after).filter((news) => 'loop' in news && news.loop === id));
  return about.map((what) => ({ seq, at, by, what, state: after }));
}

/** Whether an event is about a loop, as things stood before it. */
function concerns(event: Event, id: LoopId, before: State): boolean {
  const own = before.loops[id];
  switch (event.type) {
    case 'host-draining':
    case 'host-left':
    case 'host-lost':
    case 'host-stopped':
    case 'host-woke':
      return own !== undefined && own.host === event.host;
    case 'task-reset':
      return own !== undefined && own.task === event.task;
    case 'landing-requested':
      return event.items.some((item) => item.loop === id);
    case 'train-built':
      return [event.cars, event.clashes, event.contained, event.implied, event.broken, event.flawed ?? []].some(
        (list) => list.some((one) => one.loop === id),
      );
    case 'candidate-tested':
      return testedWith(event, id, before);
    case 'landings-found':
      return event.landings.some((landing) => landing.loop === id);
    case 'loops-found':
      return event.loops.some((found) => found.loop === id);
    case 'conflicts-foreseen':
      return (event.found[id] ?? []).length > 0 && before.foreseen[id] !== event.found[id];
    default:
      return 'loop' in event && event.loop === id;
  }
}

/** A tree of the train tells of every car that is in it, and of none behind. */
function testedWith({ tree }: Extract<Event, { type: 'candidate-tested' }>, id: LoopId, { landing }: State): boolean {
  const cars = landing?.cars ?? [];
  const own = cars.findIndex((car) => car.loop === id);
  return own >= 0 && cars.findIndex((car) => car.tree === tree) >= own;
}
