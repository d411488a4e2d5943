import type { ProcessEntry } from './process-entry.ts';

export interface Claim {
  readonly token: string;
  /** The pid a group was started under, whether or not its leader still lives. */
  readonly group: number | null;
  /** Pids proven to be ours in this very list: the leader, and what was found before and still lives. */
  readonly known: ReadonlySet<number>;
  /** Never picked, whatever it carries. */
  readonly self: number;
}

/**
 * Picks what belongs to a stopped command: the marked, the already known, all their descendants, and its process group
 * as long as one of those is in it. A group number cannot be given out again while the group has a member, so one
 * proven member proves the rest, even those that wiped their environment.
 */
export function ownedEntries(entries: readonly ProcessEntry[], claim: Claim): ProcessEntry[] {
  const others = entries.filter((entry) => entry.pid !== claim.self);
  const owned = new Map<number, ProcessEntry>();
  let groupProven = false;
  for (let before = -1; before !== owned.size;) {
    before = owned.size;
    for (const entry of others) {
      if (owned.has(entry.pid)) continue;
      const seeded = entry.token === claim.token || claim.known.has(entry.pid);
      const inGroup = entry.group === claim.group;
      if (!seeded && !owned.has(entry.parent) && !(inGroup && groupProven)) continue;
      owned.set(entry.pid, entry);
      groupProven ||= inGroup;
    }
  }
  return [...owned.values()];
}
