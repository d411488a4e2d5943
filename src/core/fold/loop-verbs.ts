import type { Event, Stamp } from '../model/events.ts';
import type { Loop, Proposal } from '../model/model.ts';
import { isWorking, PROPOSALS_MAX } from '../model/model.ts';

type Said = Extract<Event, { type: 'loop-progressed' | 'loop-blocked' | 'loop-done' | 'loop-steered' }>;

/** What an agent says of itself by a verb, or a person says to it. Words of an iteration that is over change nothing. */
export function hear(loop: Loop, event: Said, stamp: Stamp): Loop {
  if (!isWorking(loop)) return loop;
  if (event.type === 'loop-steered')
    return { ...loop, guidance: [...loop.guidance, { id: stamp.seq, text: event.text }] };
  if (loop.phase.at !== 'iterating' || loop.phase.n !== event.n) return loop;
  switch (event.type) {
    case 'loop-progressed':
      return { ...loop, progress: event.text };
    case 'loop-blocked':
      return { ...loop, blockedWhy: event.why };
    case 'loop-done':
      return { ...loop, doneSaid: event.n, progress: event.summary === '' ? loop.progress : event.summary };
  }
}

export function propose(
  proposals: readonly Proposal[],
  { loop, title, body }: Extract<Event, { type: 'task-proposed' }>,
  stamp: Stamp,
): readonly Proposal[] {
  return [...proposals, { loop, title, body, at: stamp.at }].slice(-PROPOSALS_MAX);
}
