import { expect, it } from 'vitest';
import { GREEN, POLICY, task, tellTale } from '../../test/sim/tale.ts';
import type { Facts } from '../core/fold/fold.ts';
import { fold } from '../core/fold/fold.ts';
import { hostId, sha } from '../core/model/ids.ts';
import type { Sha } from '../core/model/ids.ts';
import type { Event } from '../core/model/events.ts';
import type { Log, LogRecord } from '../world/contract/log.ts';
import { join } from './join.ts';
import { openJournal } from './journal.ts';

const ME = hostId('me');
const [MAIN, LANDED] = [sha('main'), sha('landed')];

function logOf(records: LogRecord<Event>[]): Log<Event> {
  return {
    read: async (after) => records.slice(after),
    watch: () => undefined,
    loadSnapshot: async () => null,
    saveSnapshot: async () => undefined,
    reopen: async () => undefined,
    append: async (seq, by, at, events) => {
      if (seq !== records.length) return { ok: false };
      records.push({ seq: seq + 1, at, by, events });
      return { ok: true, seq: seq + 1 };
    },
  };
}

it('what was found beside an empty log is not told of the log that another host has written meanwhile', async () => {
  const records: LogRecord<Event>[] = [];
  const other = tellTale((facts: Facts) => void records.push({ ...facts }), 'other');
  let integration: Sha = MAIN;
  const landMeanwhile = (): void => {
    other.join('other');
    other.write({ type: 'integration-moved', head: MAIN, users: true });
    other.read(task('a'));
    const a = other.ready('a', { host: 'other' });
    other.startLanding('other');
    other.build([[a, LANDED]]);
    other.test(`${LANDED}-tree`, GREEN);
    other.advance(LANDED);
    integration = LANDED;
  };
  const world = {
    clock: { nowMs: () => 1 },
    hosts: { own: { pid: 2, startTime: '2', bootId: 'b' }, isAlive: () => true },
    worktrees: { found: async () => [] },
    integration: {
      seen: async () => {
        const seen = {
          head: integration,
          facts: { isTargets: true, holdsKnown: true, isTakenBack: false, landed: null },
        };
        if (records.length === 0) landMeanwhile();
        return seen;
      },
      landings: async () => [],
    },
  } as unknown as Parameters<typeof join>[0];
  const journal = await openJournal(logOf(records), fold, () => undefined, {
    pause: async () => false,
    over: () => undefined,
  });
  await join(world, journal, ME, { policy: { ...POLICY, slots: 1 }, opening: () => [] });
  expect(journal.state().integration).toBe(LANDED);
  expect(records.at(-1)?.events.map(({ type }) => type)).toEqual(['host-joined']);
});
