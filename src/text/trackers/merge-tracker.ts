import type { TaskId } from '../../core/model/ids.ts';
import type { TaskStatus } from '../../core/model/task.ts';
import type { TrackerKind } from './tracker-names.ts';
import { recount, withoutCounts } from './graph-counters.ts';
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
  const ours = tickAll(kind, versions.ours, withoutBlocked(kind, ticks, versions.base, versions.ours));
  const theirs = tickAll(kind, versions.theirs, withoutBlocked(kind, ticks, versions.base, versions.theirs));
  if (base === null || ours === null || theirs === null) return { how: 'unsafe' };
  const settled = (text: string): MergedTracker => ({ how: 'merged', text: recounted(kind, text, versions) });
  const level = (text: string): string => (kind === 'yaml' ? withoutCounts(text) : text);
  const levelled = { base: level(base), ours: level(ours), theirs: level(theirs) };
  if (levelled.ours === levelled.base || levelled.ours === levelled.theirs) return settled(theirs);
  if (levelled.theirs === levelled.base) return settled(ours);
  return { how: 'edited', levelled };
}

/** What follows from the tasks is counted in what they were merged to, never merged itself. */
export const recounted = (kind: TrackerKind, text: string, { theirs }: TrackerVersions): string =>
  kind === 'yaml' ? recount(text, theirs) : text;

/** Tasks that are done on one side and were not when they parted. */
function ticksOf(kind: TrackerKind, { base, ours, theirs }: TrackerVersions): readonly TaskId[] {
  const before = tasksThatAre('done', kind, base);
  const ticked = [...tasksThatAre('done', kind, ours), ...tasksThatAre('done', kind, theirs)];
  return [...new Set(ticked)].filter((id) => !before.has(id));
}

/** What a person has marked as blocked since stays so: a tick would wipe out what they said. */
function withoutBlocked(kind: TrackerKind, ids: readonly TaskId[], base: string, side: string): readonly TaskId[] {
  const blocked = tasksThatAre('blocked', kind, side);
  if (blocked.size === 0) return ids;
  const before = tasksThatAre('blocked', kind, base);
  return ids.filter((id) => !blocked.has(id) || before.has(id));
}

/** The tasks of a text that stand so. */
export function tasksThatAre(status: TaskStatus, kind: TrackerKind, text: string): ReadonlySet<TaskId> {
  const { tasks } = parseTracker(kind, text);
  return new Set(tasks.flatMap((task) => (task.status === status ? [task.id] : [])));
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
