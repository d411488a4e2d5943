import type { Event } from '../model/events.ts';
import type { State } from '../model/model.ts';
import type { News } from './news.ts';
import { isPromptTracker, trackerOf } from '../model/tasks.ts';

/** Whoever started one loop is told of that one: others write into the same log, and nothing of theirs is to cross. */
export function isOfAnother(event: Event | News, state: State, tracker: string): boolean {
  if (!isPromptTracker(tracker)) return false;
  if (event.type === 'host-joined') return event.policy.tracker !== tracker;
  if ('tracker' in event) return event.tracker !== tracker;
  if (!('loop' in event) || event.loop === null) return false;
  const loop = state.loops[event.loop];
  return loop !== undefined && trackerOf(state, loop.task) !== tracker;
}
