import type { TaskId } from '../../core/ids.ts';
import type { TrackerKind } from './tracker-names.ts';
import { parseTracker, tickTask } from './tracker.ts';

/** One tracker as two sides have it, and as both began with it. */
export interface TrackerVersions {
  /** Empty where both sides made the file. */
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

export type MergedTracker =
  | { readonly how: 'merged'; readonly text: string }
  /** Both sides also changed other things. In these versions every tick of either side is set, so only those things differ. */
  | { readonly how: 'edited'; readonly levelled: TrackerVersions }
  /** A tick has no certain place in one of the versions: it cannot be read, or two tasks bear one id. */
  | { readonly how: 'unsafe' };

/**
 * Box by box: a side that only ticked tasks gives its ticks to the other, and nothing else of that one changes, whatever lines
 * stand beside the boxes. A task that a side took out or renamed has no box to tick there.
 */
export function mergeTracker(kind: TrackerKind, versions: TrackerVersions): MergedTracker {
  const ticks = ticksOf(kind, versions);
  const base = tickAll(kind, versions.base, ticks);
  const ours = tickAll(kind, versions.ours, ticks);
  const theirs = tickAll(kind, versions.theirs, ticks);
  if (base === null || ours === null || theirs === null) return { how: 'unsafe' };
  if (ours === base || ours === theirs) return { how: 'merged', text: theirs };
  if (theirs === base) return { how: 'merged', text: ours };
  return { how: 'edited', levelled: { base, ours, theirs } };
}

/** Tasks that are done on one side and were not when they parted. */
function ticksOf(kind: TrackerKind, { base, ours, theirs }: TrackerVersions): readonly TaskId[] {
  const before = doneIn(kind, base);
  const ticked = [...doneIn(kind, ours), ...doneIn(kind, theirs)];
  return [...new Set(ticked)].filter((id) => !before.has(id));
}

function doneIn(kind: TrackerKind, text: string): ReadonlySet<TaskId> {
  const { tasks } = parseTracker(kind, text);
  return new Set(tasks.flatMap((task) => (task.status === 'done' ? [task.id] : [])));
}

function tickAll(kind: TrackerKind, text: string, ids: readonly TaskId[]): string | null {
  let ticked = text;
  for (const id of ids) {
    const next = tickTask(kind, ticked, id);
    if (next.ok) ticked = next.text;
    else if (next.reason === 'unsafe') return null;
  }
  return ticked;
}
