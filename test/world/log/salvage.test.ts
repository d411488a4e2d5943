import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { armFailpoints } from '../../../src/world/os/failpoint.ts';
import { openFileLog, readLogOnly } from '../../../src/world/log/file-log.ts';
import { loosePath, segmentPath, snapshotPath } from '../../../src/world/log/log-files.ts';
import { inspectLog } from '../../../src/world/log/salvage-inspect.ts';
import { isUsable, lossNote, salvageLog } from '../../../src/world/log/salvage.ts';
import type { Salvaged } from '../../../src/world/log/salvage.ts';
import { identityOf, ownIdentity } from '../../../src/world/processes/identity.ts';
import { justBefore } from '../fixtures/just-before.ts';
import { startChild } from '../fixtures/log-process.ts';

let parent = '';
let dir = '';
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'salvage-'));
  dir = join(parent, 'log');
});
afterEach(() => {
  armFailpoints('');
  rmSync(parent, { recursive: true, force: true });
});

const upTo = (end: number): number[] => Array.from({ length: end }, (_, index) => index + 1);

/** Records 1..count, each with its number as its one event; `snapshots` are taken when the log was that long. */
async function make(count: number, snapshots: readonly number[] = []): Promise<void> {
  const log = await openFileLog<number>(dir);
  for (const seq of upTo(count)) {
    await log.append(seq - 1, 'a', 1, [seq]);
    if (snapshots.includes(seq)) await log.saveSnapshot(seq, upTo(seq));
  }
}

/** What a start makes of the log: the numbers it knows of, in order. */
async function folded(): Promise<readonly number[]> {
  const reader = readLogOnly<number>(dir);
  const snapshot = await reader.loadSnapshot();
  const rest = await reader.read(snapshot?.seq ?? 0);
  return [...((snapshot?.state as number[] | undefined) ?? []), ...rest.flatMap((record) => record.events)];
}

async function salvaged(): Promise<Salvaged> {
  const done = await salvageLog(dir, Date.now());
  if (done === null) throw new Error('nothing was salvaged');
  return done;
}

const files = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length), readFileSync(path, 'latin1')]),
  );

function flip(path: string, byte: number): void {
  const bytes = readFileSync(path);
  bytes[byte % bytes.length] = (bytes[byte % bytes.length] ?? 0) ^ 4;
  writeFileSync(path, bytes);
}

describe('case 57: a damaged log is salvaged', () => {
  it('whatever was cut, flipped or removed: a prefix stays, no number comes again, the damage lies aside', async () => {
    const damage = fc.record({ file: fc.nat(), how: fc.constantFrom('cut', 'flip', 'remove'), at: fc.nat() });
    const shape = fc.record({
      count: fc.integer({ min: 1, max: 14 }),
      snapshots: fc.uniqueArray(fc.integer({ min: 1, max: 14 }), { maxLength: 3 }),
      damages: fc.array(damage, { minLength: 1, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ count, snapshots, damages }) => {
        rmSync(parent, { recursive: true, force: true });
        await make(count, snapshots);
        for (const { file, how, at } of damages) {
          const names = Object.keys(files(dir));
          const path = dir + (names[file % names.length] ?? '');
          if (names.length === 0) continue;
          if (how === 'remove') rmSync(path);
          else if (how === 'flip') flip(path, at);
          else truncateSync(path, at % readFileSync(path).length);
          if (how === 'cut' && readFileSync(path).length === 0) rmSync(path);
        }
        const before = files(dir);
        const done = await salvageLog(dir, Date.now());
        const known = await folded();
        expect(known).toEqual(upTo(known.length));
        expect(await isUsable(dir)).toBe(true);
        expect(await salvageLog(dir, Date.now())).toBeNull();
        const end = (await readLogOnly(dir).read((await readLogOnly(dir).loadSnapshot())?.seq ?? 0)).at(-1)?.seq ?? 0;
        if (done === null) {
          expect(files(dir)).toEqual(before);
          return;
        }
        expect(files(join(done.aside, 'log'))).toEqual(before);
        expect(end).toBeGreaterThan(known.length);
        expect(done.lost === null).toBe(known.length === end - 1);
        expect(existsSync(lossNote(parent))).toBe(done.lost !== null);
        expect(await (await openFileLog<number>(dir)).append(end, 'b', 1, [])).toEqual({ ok: true, seq: end + 1 });
      }),
      { numRuns: 30 },
    );
  });

  it('case 56: the last record cut anywhere: the ones before stay, and its number does not come again', async () => {
    await make(3);
    const whole = readFileSync(loosePath(dir, 3));
    cpSync(dir, join(parent, 'before'), { recursive: true });
    for (let length = 0; length < whole.length; length += 5) {
      rmSync(dir, { recursive: true });
      cpSync(join(parent, 'before'), dir, { recursive: true });
      writeFileSync(loosePath(dir, 3), whole.subarray(0, length));
      expect(await salvaged()).toMatchObject({ lost: { from: 3, to: 3 } });
      expect(await folded()).toEqual([1, 2]);
      expect((await readLogOnly(dir).read(0)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    }
  });

  it('records that a later snapshot holds are not lost; without that snapshot they are, and it is noticed', async () => {
    await make(9, [4, 7]);
    flip(segmentPath(dir, { from: 5, to: 7 }), 30);
    expect(await folded()).toEqual(upTo(9));
    const done = await salvaged();
    expect(done).toMatchObject({ base: 7, lost: null });
    expect(done.damage).toEqual([
      {
        where: `${segmentPath(dir, { from: 5, to: 7 })}:1`,
        what: expect.stringMatching(/record 5.*checksum/) as string,
      },
    ]);
    expect(await folded()).toEqual(upTo(9));
    const log = await openFileLog<number>(dir);
    await log.append(10, 'b', 1, [10]);
    await log.saveSnapshot(11, upTo(10));
    expect(await folded()).toEqual(upTo(10));
    rmSync(snapshotPath(dir, 11));
    rmSync(snapshotPath(dir, 7));
    await expect(folded()).rejects.toMatchObject({ code: 'E_LOG_DAMAGED', remedy: 'ralph doctor --fix' });
    expect(await salvaged()).toMatchObject({ base: null, lost: { from: 5, to: 11 } });
    expect(await folded()).toEqual(upTo(4));
  });

  it('case 61: a damaged snapshot goes aside, one from beyond the end of the records stands for them', async () => {
    await make(6, [3, 6]);
    flip(snapshotPath(dir, 6), 40);
    expect(await salvaged()).toMatchObject({ base: null, lost: null });
    expect(await folded()).toEqual(upTo(6));
    rmSync(dir, { recursive: true });
    await make(6, [3, 6]);
    for (const segment of [
      { from: 1, to: 3 },
      { from: 4, to: 6 },
    ])
      rmSync(segmentPath(dir, segment));
    expect(await isUsable(dir)).toBe(false);
    expect(await salvaged()).toMatchObject({ base: 6, lost: null });
    expect(await folded()).toEqual(upTo(6));
  });

  it('case 64: what a newer version wrote is left as it is', async () => {
    await make(3);
    const json = JSON.stringify({ v: 2, seq: 4, shape: 'unknown' });
    writeFileSync(loosePath(dir, 4), `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`);
    flip(loosePath(dir, 2), 30);
    const before = files(dir);
    await expect(salvageLog(dir, Date.now())).rejects.toMatchObject({ code: 'E_LOG_NEWER' });
    expect(files(dir)).toEqual(before);
    expect(existsSync(join(parent, 'damaged'))).toBe(false);
  });

  it('not while another host lives, even if its joining is the damaged record', async () => {
    const child = startChild(['sleep', '60']);
    const mark = identityOf(child.pid);
    const log = await openFileLog<object>(dir);
    await log.append(0, 'a', 1, [{ type: 'host-joined', mark: ownIdentity() }]);
    await log.append(1, 'a', 1, [{ type: 'host-joined', mark }]);
    truncateSync(loosePath(dir, 2), readFileSync(loosePath(dir, 2)).length - 2);
    const before = files(dir);
    await expect(salvageLog(dir, Date.now())).rejects.toMatchObject({
      code: 'E_BUSY',
      remedy: expect.stringContaining(String(child.pid)) as string,
    });
    expect(files(dir)).toEqual(before);
    process.kill(child.pid, 'SIGKILL');
    await child.ended;
    expect(await salvaged()).toMatchObject({ lost: { from: 2, to: 2 } });
  });

  it.each(['repair.begun', 'repair.rebuilt', 'repair.aside'])(
    'ended at %s, the next one brings it to its end',
    async (point) => {
      await make(8, [3]);
      flip(loosePath(dir, 6), 30);
      cpSync(dir, join(parent, 'before'), { recursive: true });
      armFailpoints(`${point}=throw`);
      await expect(salvageLog(dir, Date.now())).rejects.toThrow(point);
      armFailpoints('');
      expect(await isUsable(dir)).toBe(false);
      // Nobody begins a new log in the place of the one that waits to be swapped in.
      if (point !== 'repair.begun') await expect(openFileLog(dir)).rejects.toMatchObject({ code: 'E_LOG_DAMAGED' });
      await salvageLog(dir, Date.now() + 1);
      expect(await folded()).toEqual(upTo(5));
      expect(await salvageLog(dir, Date.now() + 2)).toBeNull();
      expect(existsSync(lossNote(parent))).toBe(true);
      const aside = readdirSync(join(parent, 'damaged')).map((name) => join(parent, 'damaged', name, 'log'));
      const whole = aside.filter((path) => existsSync(path)).map((path) => files(path));
      expect(whole).toContainEqual(files(join(parent, 'before')));
      renameSync(join(parent, 'damaged'), join(parent, 'away'));
    },
  );
});

describe('a log that others write', () => {
  const isLog = (path: string): boolean => path === dir;
  const isSnapshot = (path: string): boolean => path === snapshotPath(dir, 2);
  const isRecord = (path: string): boolean => path === loosePath(dir, 5);
  it.each([
    ['readdirSync', 'its records are listed', isLog],
    ['readFileSync', 'a record is read', isRecord],
    ['readFileSync', 'a snapshot is read', isSnapshot],
  ] as const)('is whole, though it is packed just before %s: %s', async (call, _when, fits) => {
    await make(6, [2, 4]);
    const packed = join(parent, 'packed');
    cpSync(dir, packed, { recursive: true });
    const other = await openFileLog<number>(packed);
    await other.saveSnapshot(6, upTo(6));
    justBefore(call, fits, () => {
      cpSync(packed, dir, { recursive: true });
      for (const seq of [5, 6]) rmSync(loosePath(dir, seq));
      rmSync(snapshotPath(dir, 2));
    });
    expect(inspectLog(dir).damage).toEqual([]);
    expect(await folded()).toEqual(upTo(6));
  });

  it('loses no number that was given while it was looked at', async () => {
    await make(6);
    const record = readFileSync(loosePath(dir, 6), 'utf8');
    rmSync(loosePath(dir, 6));
    flip(loosePath(dir, 3), 30);
    const isForLiving = (path: string, options: unknown): boolean => isLog(path) && typeof options === 'object';
    justBefore('readdirSync', isForLiving, () => writeFileSync(loosePath(dir, 6), record));
    expect(await salvaged()).toMatchObject({ lost: { from: 3, to: 6 } });
  });
});
