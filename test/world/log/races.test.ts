import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openFileLog, readLogOnly } from '../../../src/world/log/file-log.ts';
import { LOG_POINTS } from '../../../src/world/os/failpoint.ts';
import type { LogPoint } from '../../../src/world/os/failpoint.ts';
import type { Log } from '../../../src/world/contract/log.ts';
import type { TestEvent } from '../fixtures/log-child.ts';
import { buildLogChild, startChild } from '../fixtures/log-process.ts';

const event = (writer: string, index: number): TestEvent => ({ writer, index });

/** Runs `meanwhile` the first time a point is reached, while the process that reached it waits. */
function at(point: LogPoint, meanwhile: () => Promise<void>): (reached: LogPoint) => Promise<void> {
  let over = false;
  return async (reached) => {
    if (reached !== point || over) return;
    over = true;
    await meanwhile();
  };
}

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'log-races-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const fill = async (log: Log<TestEvent>, from: number, to: number): Promise<void> => {
  for (let seq = from; seq <= to; seq++) await log.append(seq - 1, 'a', 1, [event('a', seq)]);
};
const contents = async (): Promise<string[]> =>
  (await readLogOnly<TestEvent>(dir).read(0)).map(
    ({ seq, events }) => `${seq}:${events[0]?.writer}${events[0]?.index}`,
  );
const filled = (to: number): string[] => Array.from({ length: to }, (_, i) => `${i + 1}:a${i + 1}`);
const looseFiles = (): string[] => readdirSync(dir).filter((name) => /^\d+$/.test(name));
const temporaries = (): string[] => readdirSync(dir).filter((name) => name.startsWith('.tmp-'));

describe('an appender', () => {
  it('that links a number packed meanwhile takes it back and reports the conflict', async () => {
    const other = await openFileLog<TestEvent>(dir);
    await fill(other, 1, 2);
    let linked = false;
    const onPoint = async (point: LogPoint): Promise<void> => {
      if (point === 'append:synced') {
        await fill(other, 3, 5);
        await other.saveSnapshot(5, {});
      }
      if (point === 'append:linked') linked = existsSync(join(dir, '000000000003'));
    };
    const stale = await openFileLog<TestEvent>(dir, { onPoint });
    expect(await stale.append(2, 'stale', 1, [event('stale', 0)])).toEqual({ ok: false });
    expect(linked).toBe(true);
    expect(looseFiles()).toEqual([]);
    expect(temporaries()).toEqual([]);
    expect(await contents()).toEqual(filled(5));
  });

  it('whose record is packed before it could look knows it as its own', async () => {
    const other = await openFileLog<TestEvent>(dir);
    const log = await openFileLog<TestEvent>(dir, { onPoint: at('append:linked', () => other.saveSnapshot(1, {})) });
    expect(await log.append(0, 'a', 1, [event('a', 1)])).toEqual({ ok: true, seq: 1 });
    expect(looseFiles()).toEqual([]);
    expect(await contents()).toEqual(filled(1));
  });

  it('tells its own packed record from an equal one of somebody else', async () => {
    const other = await openFileLog<TestEvent>(dir);
    const stale = await openFileLog<TestEvent>(dir, {
      onPoint: at('append:synced', async () => {
        await fill(other, 1, 1);
        await other.saveSnapshot(1, {});
      }),
    });
    expect(await stale.append(0, 'a', 1, [event('a', 1)])).toEqual({ ok: false });
  });

  it('that loses the race for a free number leaves nothing behind', async () => {
    const other = await openFileLog<TestEvent>(dir);
    const late = await openFileLog<TestEvent>(dir, { onPoint: at('append:synced', () => fill(other, 1, 1)) });
    expect(await late.append(0, 'late', 1, [event('late', 0)])).toEqual({ ok: false });
    expect(temporaries()).toEqual([]);
    expect(await contents()).toEqual(filled(1));
  });
});

describe('a reader', () => {
  it('that read a stale link starts over with the segment that covers it', async () => {
    const other = await openFileLog<TestEvent>(dir);
    await fill(other, 1, 2);
    const stages: string[][] = [];
    const onPoint = async (point: LogPoint): Promise<void> => {
      if (point === 'append:synced') {
        await fill(other, 3, 4);
        await other.saveSnapshot(4, {});
      }
      if (point === 'append:linked') stages.push(await contents());
    };
    const stale = await openFileLog<TestEvent>(dir, { onPoint });
    await stale.append(2, 'stale', 1, [event('stale', 0)]);
    expect(stages).toEqual([filled(4)]);
  });

  it('that knew no segment and saw the stale link first is not fooled by it', async () => {
    const other = await openFileLog<TestEvent>(dir);
    await fill(other, 1, 2);
    const reader = readLogOnly<TestEvent>(dir);
    expect(await reader.read(0)).toHaveLength(2);
    let seen: readonly unknown[] = [];
    const onPoint = async (point: LogPoint): Promise<void> => {
      if (point === 'append:synced') {
        await fill(other, 3, 4);
        await other.saveSnapshot(4, {});
      }
      if (point === 'append:linked') seen = (await reader.read(2)).map(({ events }) => events[0]?.writer);
    };
    const stale = await openFileLog<TestEvent>(dir, { onPoint });
    await stale.append(2, 'stale', 1, [event('stale', 0)]);
    expect(seen).toEqual(['a', 'a']);
  });

  it('that finds loose records gone into a segment while it reads still sees them all', async () => {
    const other = await openFileLog<TestEvent>(dir);
    await fill(other, 1, 3);
    let scans = 0;
    const reader = readLogOnly<TestEvent>(dir, {
      onPoint: async () => {
        scans++;
        if (scans > 3) return;
        await fill(other, scans * 3 + 1, scans * 3 + 3);
        await other.saveSnapshot(scans * 3 + 3, {});
      },
    });
    expect(await reader.read(0)).toHaveLength(12);
    expect(scans).toBe(4);
  });
});

describe('two compactors', () => {
  for (const point of LOG_POINTS.filter((name) => name.startsWith('compact:'))) {
    it(`one doing more while the other waits at ${point}`, async () => {
      const other = await openFileLog<TestEvent>(dir);
      await fill(other, 1, 6);
      const slow = await openFileLog<TestEvent>(dir, {
        onPoint: at(point, async () => {
          await fill(other, 7, 9);
          await other.saveSnapshot(8, { from: 'other' });
        }),
      });
      await slow.saveSnapshot(4, { from: 'slow' });
      expect(await contents()).toEqual(filled(9));
      expect(looseFiles()).toEqual(['000000000009']);
      expect(await other.loadSnapshot()).toEqual({ seq: 8, state: { from: 'other' } });
    });

    it(`both doing the same while one waits at ${point}`, async () => {
      const other = await openFileLog<TestEvent>(dir);
      await fill(other, 1, 5);
      const slow = await openFileLog<TestEvent>(dir, { onPoint: at(point, () => other.saveSnapshot(5, {})) });
      await slow.saveSnapshot(5, {});
      expect(await contents()).toEqual(filled(5));
      expect(readdirSync(join(dir, 'packed')).filter((name) => name.startsWith('segment'))).toHaveLength(1);
      expect(temporaries()).toEqual([]);
    });
  }
});

describe('case 55: killed at a named point', () => {
  let built: Awaited<ReturnType<typeof buildLogChild>>;
  beforeAll(async () => {
    built = await buildLogChild();
  });
  afterAll(() => built.remove());

  for (const point of LOG_POINTS) {
    it(point, async () => {
      const log = await openFileLog<TestEvent>(dir);
      await fill(log, 1, 5);
      const command =
        point.startsWith('append') || point.startsWith('read') ? ['append', dir, 'b', '1'] : ['compact', dir, '5'];
      const child = startChild([process.execPath, built.file, ...command], {
        env: { ...process.env, LOG_TEST_DIE_AT: point },
      });
      expect(await child.ended).toBeNull();
      expect(child.lines()).toEqual([]);

      const after = await contents();
      const killedAfterLink = ['append:linked', 'append:listed', 'append:durable'].includes(point);
      expect(after).toEqual(killedAfterLink ? [...filled(5), '6:b0'] : filled(5));
      const again = await openFileLog<TestEvent>(dir);
      expect(await again.append(after.length, 'c', 1, [event('c', 0)])).toEqual({ ok: true, seq: after.length + 1 });
      await again.saveSnapshot(after.length + 1, {});
      expect(looseFiles()).toEqual([]);
      expect(await contents()).toEqual([...after, `${after.length + 1}:c0`]);
    });
  }

  it('a stale appender killed before it takes its link back changes nothing', async () => {
    const log = await openFileLog<TestEvent>(dir);
    await fill(log, 1, 4);
    await log.saveSnapshot(4, {});
    const elsewhere = mkdtempSync(join(tmpdir(), 'log-races-'));
    try {
      const strange = await openFileLog<TestEvent>(elsewhere);
      for (const seq of [1, 2, 3]) await strange.append(seq - 1, 'strange', 1, [event('strange', seq)]);
      copyFileSync(join(elsewhere, '000000000003'), join(dir, '000000000003'));
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
    expect(await contents()).toEqual(filled(4));
    const again = await openFileLog<TestEvent>(dir);
    await fill(again, 5, 6);
    await again.saveSnapshot(6, {});
    expect(looseFiles()).toEqual([]);
    expect(await contents()).toEqual(filled(6));
  });
});
