import type { Event } from '../../../src/core/model/events.ts';
import type { Log } from '../../../src/world/contract/log.ts';
import type { Tracker } from '../../../src/world/contract/tracker.ts';
import type { Clock, World } from '../../../src/world/contract/world.ts';
import type { Op } from './op.ts';
import { createOp } from './op.ts';
import type { Realm, SimHost } from './realm.ts';
import { appendRecord, deliver, ringSoon, TRACKER } from './realm.ts';
import { createSimAgents } from './sim-agents.ts';
import { foresee } from './sim-foresight.ts';
import { createSimIntegration, createSimPublish } from './sim-integration.ts';
import { SIM_CHECKOUT, createSimGates, createSimWorktrees } from './sim-worktrees.ts';

/** The realm as one host sees it. */
export function createSimWorld(realm: Realm, host: SimHost): World {
  const op = createOp(realm, host);
  const { random } = realm;
  return {
    clock: simClock(realm, host),
    ids: {
      suffix: () => random.int(36 ** 4).toString(36),
      isFree: (branch) => !realm.branches.has(branch),
    },
    log: simLog(realm, host, op),
    hosts: {
      own: markOf(host.pid),
      isAlive: ({ pid }) => realm.hosts.some((other) => other.pid === pid && !other.dead && !other.suspected),
      isStopped: ({ pid }) =>
        realm.hosts.some((other) => other.pid === pid && !other.dead && other.frozenUntilMs > realm.timeline.now()),
    },
    tracker: simTracker(realm, host),
    worktrees: createSimWorktrees(realm, host, op),
    checkout: SIM_CHECKOUT,
    integration: createSimIntegration(realm, op),
    publish: createSimPublish(realm, op),
    agents: createSimAgents(realm, host, op),
    gates: createSimGates(realm, host, op),
    lacks: async () => [],
    foresight: { look: (options) => op(() => foresee(realm, options)) },
    seal: {
      take: () => op(() => undefined),
      check: () => op(() => (random.chance(realm.scenario.agents.straying) ? STRAYED : null)),
    },
    disk: { freeMb: () => realm.freeMb },
    forge: null,
    prompts: {
      reviewer: () => null,
      build: ({ guidance, rework }) => JSON.stringify([...guidance, ...(rework?.asked ?? [])]),
    },
    provided: '',
    projection: { write: () => undefined, close: () => undefined },
  };
}

const STRAYED = { did: ['moved the branch main'], kept: [], restored: [] };

const markOf = (pid: number) => ({ pid, startTime: `start-${pid}`, bootId: 'boot' });

/** Days are short here, so that many begin. */
export const simDay = (ms: number): string => `day ${Math.floor(ms / 5000)}`;

function simClock(realm: Realm, host: SimHost): Clock {
  const { timeline } = realm;
  return {
    nowMs: () => timeline.now() + host.skewMs,
    today: () => simDay(timeline.now() + host.skewMs),
    awakeMs: () => timeline.now(),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted || ms <= 0) return resolve();
        signal.addEventListener('abort', () => resolve());
        timeline.after(ms, () => deliver(realm, host, 0, resolve));
      }),
  };
}

function simLog(realm: Realm, host: SimHost, op: Op): Log<Event> {
  const { random } = realm;
  const own = <T>(effect: () => T): Promise<T> => op(effect, { own: true, ms: random.between(1, 6) });
  return {
    read: (after) => own(() => realm.log.slice(after)),
    watch: (onChange, signal) => {
      host.ring = onChange;
      signal.addEventListener('abort', () => {
        host.ring = null;
      });
      ringSoon(realm, host);
    },
    reopen: () => own(() => undefined),
    append: (expectedSeq, by, at, events) =>
      own(() =>
        appendRecord(realm, expectedSeq, by, at, events) ? { ok: true, seq: expectedSeq + 1 } : { ok: false },
      ),
    // Any moment may have been the last that was packed, and what is packed went through JSON.
    loadSnapshot: () =>
      own(() => {
        const seq = random.int(realm.states.length);
        return seq === 0 ? null : { seq, state: JSON.parse(JSON.stringify(realm.states[seq])) as unknown };
      }),
    saveSnapshot: () => own(() => undefined),
  };
}

function simTracker(realm: Realm, host: SimHost): Tracker {
  return {
    path: TRACKER,
    look: () => {
      const { version, tasks } = realm.tracker;
      if (host.trackerSeen === version) return Promise.resolve(null);
      host.trackerSeen = version;
      return Promise.resolve({ digest: `d${version}`, tasks });
    },
    tick: () => Promise.resolve(null),
    close: () => Promise.resolve(false),
  };
}
