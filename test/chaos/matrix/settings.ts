import type { Failpoint } from '../../../src/world/os/failpoint.ts';

/** What a point needs to be reached, where a plain run does not come by. */
export interface Setting {
  /** Hosts that run before, each with this armed; an empty text: none, it runs to its end. */
  readonly prelude?: readonly string[];
  /** A task that lands in the prelude, before the others are planned. */
  readonly warm?: boolean;
  readonly stubborn?: boolean;
  readonly away?: boolean;
  /** So many records are in the log before, so that it is packed while the run goes on. */
  readonly records?: number;
  /** What meets the point, instead of a run; a person calls it again if it did not end well. */
  readonly command?: readonly string[];
  /** A single loop in the user's checkout meets the point, instead of a run through the task file. */
  readonly inPlace?: boolean;
}

/** Stands for the loop that was parked in the prelude. */
export const PARKED = '{parked}';

const PACKED: Setting = { records: 250 };
const DISCARDED: Setting = { prelude: ['iter.committed=throw'], command: ['loops', 'discard', PARKED, '-y'] };
const WARM: Setting = { warm: true, prelude: [''] };
const IN_PLACE: Setting = { inPlace: true };

export const SETTINGS: Partial<Record<Failpoint, Setting>> = {
  'log.compact.read': PACKED,
  'log.compact.synced': PACKED,
  'log.compact.linked': PACKED,
  'log.compact.durable': PACKED,
  'log.compact.unlinked-one': PACKED,
  'log.snapshot.synced': PACKED,
  'log.snapshot.renamed': PACKED,
  'mutex.dead': { prelude: ['mutex.linked=kill'] },
  'pool.claimed': WARM,
  'pool.moved': WARM,
  'pool.taken': WARM,
  'publish.ref': { away: true },
  'publish.healed': { prelude: ['publish.journal=kill'] },
  'keep.snapshot': DISCARDED,
  'clean.kept': DISCARDED,
  'clean.begun': DISCARDED,
  'clean.aside': DISCARDED,
  'clean.folder': DISCARDED,
  'clean.entry': DISCARDED,
  'clean.branch': DISCARDED,
  'stop.kill': { stubborn: true },
  'place.noted': IN_PLACE,
  'place.taken': IN_PLACE,
  'place.back': IN_PLACE,
  'place.returned': IN_PLACE,
  'place.committed': IN_PLACE,
  'place.moved': IN_PLACE,
  'place.left': IN_PLACE,
};

/** Not in the way of a run: their owners' tests come by. */
export const ELSEWHERE: readonly RegExp[] = [/^repair\./, /^spare\./, /^undo\./, /^clean\.done$/];
