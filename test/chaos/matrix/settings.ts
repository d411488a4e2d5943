import type { Failpoint } from '../../../src/world/failpoint.ts';

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
  /** What meets the point, instead of a run. */
  readonly command?: readonly string[];
}

const PACKED: Setting = { records: 250 };
const CLEANED: Setting = { prelude: [''], command: ['parallel', 'clean'] };
const WARM: Setting = { warm: true, prelude: [''] };

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
  'clean.kept': CLEANED,
  'clean.folder': CLEANED,
  'clean.entry': CLEANED,
  'clean.branch': CLEANED,
  'clean.done': CLEANED,
  'stop.kill': { stubborn: true },
};

/** Not in the way of a run: their owners' tests come by. */
export const ELSEWHERE: readonly RegExp[] = [/^repair\./, /^spare\./, /^undo\./, /^keep\.snapshot$/];
