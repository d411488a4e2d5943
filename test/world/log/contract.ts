import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Log, LogRecord } from '../../../src/world/contract/log.ts';
import type { TestEvent } from '../fixtures/log-child.ts';
import { buildLogChild, startChild } from '../fixtures/log-process.ts';
import type { Child } from '../fixtures/log-process.ts';

/** An engine under test. An address is one word that test/world/fixtures/log-child.ts can open too. */
export interface LogEngine {
  make(): Promise<string>;
  open(address: string): Promise<Log<TestEvent>>;
  drop(address: string): Promise<void>;
}

/** How many writers are killed, five at a time; `LOG_KILLED=50` for a long look. */
const KILLED = Number(process.env['LOG_KILLED'] ?? 20);

const event = (writer: string, index: number): TestEvent => ({ writer, index });
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** Every writer's events, in log order. */
function byWriter(records: readonly LogRecord<TestEvent>[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const { events } of records) {
    for (const { writer, index } of events) found.set(writer, [...(found.get(writer) ?? []), index]);
  }
  return found;
}

function expectContiguous(records: readonly LogRecord<TestEvent>[]): void {
  expect(records.map((record) => record.seq)).toEqual(numbers(1, records.length));
}

/** What every engine of the log must keep, alone and among processes. */
export function logContract(name: string, engine: LogEngine): void {
  let address = '';
  let built: Awaited<ReturnType<typeof buildLogChild>>;
  const children: Child[] = [];
  const start = (...args: string[]): Child => {
    const child = startChild([process.execPath, built.file, ...args]);
    children.push(child);
    return child;
  };

  beforeAll(async () => {
    built = await buildLogChild();
  });
  afterAll(() => built.remove());
  beforeEach(async () => {
    address = await engine.make();
  });
  afterEach(async () => {
    for (const child of children.splice(0)) {
      child.kill();
      await child.ended;
    }
    await engine.drop(address);
  });

  describe(`${name}: one process`, () => {
    it('starts empty', async () => {
      const log = await engine.open(address);
      expect(await log.read(0)).toEqual([]);
      expect(await log.loadSnapshot()).toBeNull();
    });

    it('reads back what was appended, in order, after any number', async () => {
      const log = await engine.open(address);
      expect(await log.append(0, 'a', 100, [event('a', 0), event('a', 1)])).toEqual({ ok: true, seq: 1 });
      expect(await log.append(1, 'b', 90, [event('b', 0)])).toEqual({ ok: true, seq: 2 });
      const all = [
        { seq: 1, at: 100, by: 'a', events: [event('a', 0), event('a', 1)] },
        { seq: 2, at: 90, by: 'b', events: [event('b', 0)] },
      ];
      expect(await log.read(0)).toEqual(all);
      expect(await log.read(1)).toEqual(all.slice(1));
      expect(await log.read(2)).toEqual([]);
    });

    it('keeps text of every kind byte for byte', async () => {
      const log = await engine.open(address);
      const padding = `line\nbreak \u2028 \u0001 "quoted" \\ 🐛 \uFFFD ${'x'.repeat(200_000)}`;
      await log.append(0, 'ä\n', 1, [{ writer: 'a', index: 0, padding }]);
      await log.saveSnapshot(1, { padding });
      expect(await (await engine.open(address)).read(0)).toEqual([
        { seq: 1, at: 1, by: 'ä\n', events: [{ writer: 'a', index: 0, padding }] },
      ]);
      expect(await log.loadSnapshot()).toEqual({ seq: 1, state: { padding } });
    });

    it('refuses a stale number and writes nothing', async () => {
      const log = await engine.open(address);
      await log.append(0, 'a', 1, [event('a', 0)]);
      expect(await log.append(0, 'b', 1, [event('b', 0)])).toEqual({ ok: false });
      await log.append(1, 'a', 1, [event('a', 1)]);
      await log.saveSnapshot(2, {});
      expect(await log.append(0, 'b', 1, [event('b', 0)])).toEqual({ ok: false });
      expect(await log.append(1, 'b', 1, [event('b', 0)])).toEqual({ ok: false });
      expect(byWriter(await log.read(0))).toEqual(new Map([['a', [0, 1]]]));
    });

    it('refuses to leave a gap', async () => {
      const log = await engine.open(address);
      await expect(log.append(5, 'a', 1, [event('a', 0)])).rejects.toMatchObject({ code: 'E_LOG_DAMAGED' });
      expect(await log.read(0)).toEqual([]);
    });

    it('lets exactly one of many at once have a number', async () => {
      const log = await engine.open(address);
      const all = await Promise.all(numbers(0, 19).map((index) => log.append(0, 'a', 1, [event('a', index)])));
      expect(all.filter((appended) => appended.ok)).toHaveLength(1);
      expect(await log.read(0)).toHaveLength(1);
    });

    it('is the same after it was opened again, compacted or not', async () => {
      const log = await engine.open(address);
      for (const index of numbers(0, 9)) await log.append(index, 'a', index, [event('a', index)]);
      const before = await log.read(0);
      expect(await (await engine.open(address)).read(0)).toEqual(before);
      await log.saveSnapshot(7, { sum: 28 });
      const again = await engine.open(address);
      expect(await again.loadSnapshot()).toEqual({ seq: 7, state: { sum: 28 } });
      expect(await again.read(0)).toEqual(before);
      expect(await again.read(3)).toEqual(before.slice(3));
      expect(await again.read(7)).toEqual(before.slice(7));
      expect(await again.append(10, 'a', 10, [event('a', 10)])).toEqual({ ok: true, seq: 11 });
    });

    it('loads the newest snapshot', async () => {
      const log = await engine.open(address);
      for (const index of numbers(0, 3)) {
        await log.append(index, 'a', 1, [event('a', index)]);
        await log.saveSnapshot(index + 1, { upTo: index + 1 });
      }
      expect(await log.loadSnapshot()).toEqual({ seq: 4, state: { upTo: 4 } });
    });

    it('calls a watcher back for what others append, until told to stop', async () => {
      const [log, other] = [await engine.open(address), await engine.open(address)];
      const stop = new AbortController();
      let calls = 0;
      let seen = 0;
      const caughtUp = new Promise<void>((resolve) => {
        const look = async (): Promise<void> => {
          calls++;
          seen += (await log.read(seen)).length;
          if (seen === 3) resolve();
        };
        log.watch(() => void look(), stop.signal);
      });
      for (const index of numbers(0, 2)) await other.append(index, 'b', 1, [event('b', index)]);
      await caughtUp;
      stop.abort();
      const before = calls;
      await other.append(3, 'b', 1, [event('b', 3)]);
      const witness = new AbortController();
      await new Promise<void>((resolve) => log.watch(resolve, witness.signal));
      witness.abort();
      expect(calls).toBe(before);
    });
  });

  describe(`${name}: many processes`, { timeout: 180_000 }, () => {
    it('case 71: 8 processes of 40 appends each lose, double and reorder nothing, and three readers beside them see every record once, in order', async () => {
      const readers = numbers(1, 3).map(() => start('follow', address, '320'));
      const writers = numbers(1, 8).map((n) => start('append', address, `w${n}`, '40'));
      expect(await Promise.all([...writers, ...readers].map((child) => child.ended))).toEqual(Array(11).fill(0));
      const records = await (await engine.open(address)).read(0);
      expect(records).toHaveLength(320);
      expectContiguous(records);
      const found = byWriter(records);
      for (const n of numbers(1, 8)) expect(found.get(`w${n}`)).toEqual(numbers(0, 39));
      const lines = records.map(({ seq, events }) => `${seq} ${events[0]?.writer} ${events[0]?.index}`);
      for (const reader of readers) expect(reader.lines()).toEqual(lines);
    });

    it('two compactors beside writers and a reader lose and double nothing', async () => {
      const follower = start('follow', address, '200');
      const compactors = [start('compact', address, '200'), start('compact', address, '200')];
      const writers = numbers(1, 4).map((n) => start('append', address, `w${n}`, '50'));
      const all = [...writers, ...compactors, follower];
      expect(await Promise.all(all.map((child) => child.ended))).toEqual(Array(7).fill(0));
      const log = await engine.open(address);
      const records = await log.read(0);
      expect(records).toHaveLength(200);
      expectContiguous(records);
      for (const n of numbers(1, 4)) expect(byWriter(records).get(`w${n}`)).toEqual(numbers(0, 49));
      expect(follower.lines().map((line) => Number(line.split(' ')[0]))).toEqual(numbers(1, 200));
      expect(await log.loadSnapshot()).toEqual({ seq: 200, state: { folded: 200 } });
    });

    it(`case 55: ${KILLED} writers killed at random moments lose nothing they were told is kept`, async () => {
      const promised = new Map<string, string>();
      const killed: Child[] = [];
      for (let wave = 0; wave < KILLED / 5; wave++) {
        const packer = start('compact', address, '1000000');
        const writers = numbers(1, 5).map((n) => start('append', address, `w${wave}-${n}`, '1000000'));
        for (const [n, writer] of writers.entries()) {
          await writer.said(1 + Math.floor(Math.random() * 8));
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
          writer.kill();
          expect(await writer.ended).toBeNull();
          for (const line of writer.lines())
            promised.set(line.split(' ')[0] ?? '', `w${wave}-${n + 1} ${line.split(' ')[1]}`);
          killed.push(writer);
        }
        packer.kill();
        await packer.ended;
      }
      const records = await (await engine.open(address)).read(0);
      expectContiguous(records);
      for (const { seq, events } of records) {
        const promise = promised.get(String(seq));
        if (promise !== undefined) expect(`${events[0]?.writer} ${events[0]?.index}`).toBe(promise);
        promised.delete(String(seq));
      }
      expect([...promised]).toEqual([]);
      expect(killed).toHaveLength(KILLED);
      for (const indexes of byWriter(records).values()) expect(indexes).toEqual(numbers(0, indexes.length - 1));
    });
  });
}
