import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { invariant } from '../../core/model/assert.ts';
import { reach } from '../os/failpoint.ts';
import { isAlive, toIdentity } from './identity.ts';
import { assertToken } from './marker.ts';
import { pause } from '../os/clock.ts';
import { processSource } from './process-source.ts';
import type { ProcessIdentity } from './identity.ts';
import type { ProcessEntry } from './process-entry.ts';

const POLL_MS = 100;
const KILL_WAIT_MS = 500;
const KILLS_MAX = 20;

interface StopOptions {
  /** The leader of the process group, or null when only the token is left to go by. */
  readonly identity: ProcessIdentity | null;
  readonly token: string;
  readonly graceMs: number;
  /** Ends the grace: kill now. */
  readonly force?: AbortSignal;
  /** What outlasts the grace is left alive. */
  readonly spares?: boolean;
  /** Further processes the caller knows to be part of the tree. */
  readonly known?: readonly ProcessIdentity[];
}

interface StopResult {
  /** How many had to be found by other means than the group of a living leader. */
  readonly swept: number;
  /** How many live on: spared, stuck in the kernel, or run by another user. */
  readonly left: number;
}

/**
 * Ends a command with everything it started. Only processes proven to be its own are ever signalled. What fails, for want of
 * files or memory, is tried once more: nobody looks for these processes later.
 */
export function stopTree(options: StopOptions): Promise<StopResult> {
  return endTree(options).catch(() => endTree(options));
}

async function endTree(options: StopOptions): Promise<StopResult> {
  assertToken(options.token);
  invariant(options.identity?.pid !== process.pid, 'a process does not stop itself');
  const { identity, force } = options;
  const group = groupOf(identity);
  const leaderAlive = identity !== null && isAlive(identity);
  const deadline = performance.now() + options.graceMs;
  const seen = new Set([identity, ...(options.known ?? [])].filter((one) => one !== null).map(keyOf));
  const swept = new Set<string>();
  for (let kills = 0; ;) {
    const graceLeftMs = force?.aborted === true ? 0 : deadline - performance.now();
    const entries = await takeCensus();
    const known = new Set(entries.filter((entry) => seen.has(keyOf(toIdentity(entry)))).map((entry) => entry.pid));
    const owned = ownedEntries(entries, { token: options.token, group, known, self: process.pid });
    if (owned.length === 0) reach('stop.sweep');
    const isSpared = options.spares === true && graceLeftMs <= 0;
    if (owned.length === 0 || kills === KILLS_MAX || isSpared) return { swept: swept.size, left: owned.length };
    for (const entry of owned) {
      seen.add(keyOf(toIdentity(entry)));
      if (!leaderAlive || entry.group !== group) swept.add(keyOf(toIdentity(entry)));
    }
    if (graceLeftMs > 0) {
      reach('stop.term');
      signalAll(owned, group, 'SIGTERM');
      // A stopped process acts on a signal only once it runs again.
      signalAll(owned, group, 'SIGCONT');
      await waitForEnd(owned, graceLeftMs, force);
    } else {
      reach('stop.kill');
      signalAll(owned, group, 'SIGKILL');
      kills += 1;
      await waitForEnd(owned, KILL_WAIT_MS);
    }
  }
}

/** The group a leader was started with; never our own, which a kill would end too. */
function groupOf(leader: ProcessIdentity | null): number | null {
  return leader === null || processSource.stat(process.pid)?.group === leader.pid ? null : leader.pid;
}

function signalAll(owned: readonly ProcessEntry[], group: number | null, signal: NodeJS.Signals): void {
  const inGroup = owned.filter((entry) => entry.group === group);
  // To the group in one call, so that nothing in it can fork away between two signals.
  if (group !== null && inGroup.some((entry) => isAlive(toIdentity(entry)))) send(-group, signal);
  for (const entry of owned) {
    if (entry.group !== group && isAlive(toIdentity(entry))) send(entry.pid, signal);
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Ended meanwhile, or not ours to signal: the next census tells.
  }
}

async function waitForEnd(owned: readonly ProcessEntry[], limitMs: number, force?: AbortSignal): Promise<void> {
  const deadline = performance.now() + limitMs;
  const identities = owned.map(toIdentity);
  while (identities.some(isAlive)) {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0 || force?.aborted === true) return;
    await pause(Math.min(POLL_MS, leftMs), force);
  }
}

function keyOf(identity: ProcessIdentity): string {
  return `${identity.pid}/${identity.startTime}/${identity.bootId}`;
}

/** Listing all processes may take at most a fifth of our time, however many there are. */
const REST_FACTOR = 4;

let next: Promise<readonly ProcessEntry[]> | null = null;
let restUntil = 0;

/**
 * A list of all processes taken after this call. On a crowded machine reading them all costs tens of milliseconds, so callers
 * that ask together share one reading: stopping a hundred loops at once must not freeze the host.
 */
function takeCensus(): Promise<readonly ProcessEntry[]> {
  next ??= sleep(Math.max(0, restUntil - performance.now())).then(() => {
    next = null;
    const from = performance.now();
    const entries = processSource.list();
    const to = performance.now();
    restUntil = to + REST_FACTOR * (to - from);
    return entries;
  });
  return next;
}

interface Claim {
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
