import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openFileLog, readLogOnly } from '../../../src/world/log/file-log.ts';
import { unfitFilesystem } from '../../../src/world/log/prepare-directory.ts';
import { loosePath, segmentPath, snapshotPath } from '../../../src/world/log/log-files.ts';
import type { TestEvent } from '../fixtures/log-child.ts';
import { buildLogChild, startChild } from '../fixtures/log-process.ts';

let parent = '';
let dir = '';
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'log-damage-'));
  dir = join(parent, 'log');
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

/** A log of `count` records, of which the first `packed` are in a segment. */
async function make(count: number, packed = 0): Promise<void> {
  const log = await openFileLog<TestEvent>(dir);
  for (let seq = 1; seq <= count; seq++) await log.append(seq - 1, 'a', 1, [{ writer: 'a', index: seq }]);
  if (packed > 0) await log.saveSnapshot(packed, { folded: packed });
}

const readAll = async (): Promise<number> => (await readLogOnly<TestEvent>(dir).read(0)).length;
const withChecksum = (json: string): string => `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`;
const damagedAt = (where: string): object => ({
  code: 'E_LOG_DAMAGED',
  remedy: 'ralph doctor --fix',
  message: expect.stringContaining(where) as string,
});

describe('a damaged record', () => {
  it('case 56: a loose record cut at any byte is named', async () => {
    await make(3);
    const path = loosePath(dir, 2);
    const whole = readFileSync(path);
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(path, whole.subarray(0, length));
      await expect(readAll()).rejects.toMatchObject(damagedAt(`${path}:1`));
    }
    writeFileSync(path, whole);
    expect(await readAll()).toBe(3);
  });

  it('case 56: a segment cut at any byte is named with the line', async () => {
    await make(3, 3);
    const path = segmentPath(dir, { from: 1, to: 3 });
    const whole = readFileSync(path);
    for (let length = 0; length < whole.length; length++) {
      const line = whole.subarray(0, length).toString().split('\n').length;
      writeFileSync(path, whole.subarray(0, length));
      await expect(readAll()).rejects.toMatchObject(damagedAt(`${path}:${line}`));
    }
  });

  it('case 57: any flipped bit is found, loose or packed', async () => {
    await make(4, 3);
    const secondLine = (bytes: Buffer): number => bytes.indexOf(0x0a) + 1;
    const places = [
      { path: loosePath(dir, 4), start: () => 0 },
      { path: segmentPath(dir, { from: 1, to: 3 }), start: secondLine },
    ];
    for (const { path, start } of places) {
      const whole = readFileSync(path);
      const first = start(whole);
      for (let bit = first * 8; bit <= whole.indexOf(0x0a, first) * 8 + 7; bit++) {
        const flipped = Buffer.from(whole);
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        writeFileSync(path, flipped);
        await expect(readAll()).rejects.toMatchObject(damagedAt(path));
      }
      writeFileSync(path, whole);
    }
    expect(await readAll()).toBe(4);
  });

  it('case 57: a log whose last record is damaged cannot be opened to write', async () => {
    await make(3);
    truncateSync(loosePath(dir, 3), 20);
    await expect(openFileLog(dir)).rejects.toMatchObject(damagedAt(loosePath(dir, 3)));
    expect(readdirSync(dir)).toContain('000000000003');
  });

  it('is not packed', async () => {
    await make(3);
    const log = await openFileLog<TestEvent>(dir);
    appendFileSync(loosePath(dir, 2), 'more');
    await expect(log.saveSnapshot(3, {})).rejects.toMatchObject(damagedAt(loosePath(dir, 2)));
    expect(readdirSync(join(dir, 'packed'))).toEqual([]);
    expect(existsSync(loosePath(dir, 1))).toBe(true);
  });

  it('is also one that stands at the wrong number, or goes on after its end', async () => {
    await make(3, 2);
    renameSync(loosePath(dir, 3), join(parent, 'kept'));
    writeFileSync(loosePath(dir, 3), readFileSync(segmentPath(dir, { from: 1, to: 2 })).subarray(0, 200));
    await expect(readAll()).rejects.toMatchObject(damagedAt(loosePath(dir, 3)));
    writeFileSync(loosePath(dir, 3), withChecksum(JSON.stringify({ v: 1, seq: 2, at: 1, by: 'a', events: [] })));
    await expect(readAll()).rejects.toMatchObject(damagedAt(loosePath(dir, 3)));
    renameSync(join(parent, 'kept'), loosePath(dir, 3));
    appendFileSync(segmentPath(dir, { from: 1, to: 2 }), 'more');
    await expect(readAll()).rejects.toMatchObject(damagedAt(segmentPath(dir, { from: 1, to: 2 })));
  });
});

describe('a missing record', () => {
  it('among loose ones is found by the reader and at open', async () => {
    await make(5);
    rmSync(loosePath(dir, 3));
    await expect(readAll()).rejects.toMatchObject(damagedAt('record 3'));
    await expect(readLogOnly(dir).read(4)).rejects.toMatchObject(damagedAt('record 3'));
    await expect(openFileLog(dir)).rejects.toMatchObject(damagedAt('record 3'));
  });

  it('is found when a whole segment is gone', async () => {
    await make(5, 4);
    rmSync(segmentPath(dir, { from: 1, to: 4 }));
    await expect(readAll()).rejects.toMatchObject(damagedAt('record 1'));
    await expect(openFileLog(dir)).rejects.toMatchObject(damagedAt('record 1'));
  });

  it('case 62: the folder removed while in use stops reads and appends', async () => {
    await make(3);
    const log = await openFileLog<TestEvent>(dir);
    await log.read(0);
    rmSync(dir, { recursive: true });
    const removed = { ...damagedAt('record 3 is missing: the log was removed'), remedy: 'ralph run --parallel' };
    await expect(log.read(3)).rejects.toMatchObject(removed);
    await expect(log.append(3, 'a', 1, [])).rejects.toMatchObject(removed);
    expect(existsSync(dir)).toBe(false);
  });
});

describe('case 61: a snapshot', () => {
  it('that is damaged gives way to the one before', async () => {
    await make(4, 2);
    const log = await openFileLog<TestEvent>(dir);
    await log.saveSnapshot(4, { folded: 4 });
    truncateSync(snapshotPath(dir, 4), 15);
    expect(await log.loadSnapshot()).toEqual({ seq: 2, state: { folded: 2 } });
    rmSync(snapshotPath(dir, 2));
    expect(await log.loadSnapshot()).toBeNull();
    expect(await readAll()).toBe(4);
    await log.saveSnapshot(4, { folded: 4 });
    expect(await log.loadSnapshot()).toEqual({ seq: 4, state: { folded: 4 } });
  });

  it('that is missing costs nothing but time', async () => {
    await make(4, 3);
    rmSync(snapshotPath(dir, 3));
    expect(await readLogOnly(dir).loadSnapshot()).toBeNull();
    expect(await readAll()).toBe(4);
  });

  it('that is newer than the log means lost records', async () => {
    await make(4, 3);
    rmSync(segmentPath(dir, { from: 1, to: 3 }));
    rmSync(loosePath(dir, 4));
    await expect(readLogOnly(dir).loadSnapshot()).rejects.toMatchObject(damagedAt(snapshotPath(dir, 3)));
  });

  it('cannot be made of records that are not there', async () => {
    await make(2);
    const log = await openFileLog(dir);
    await expect(log.saveSnapshot(3, {})).rejects.toMatchObject({ code: 'E_LOG_DAMAGED' });
    expect(await log.loadSnapshot()).toBeNull();
  });

  it('has at most one older beside it', async () => {
    await make(5);
    const log = await openFileLog(dir);
    for (let seq = 1; seq <= 5; seq++) await log.saveSnapshot(seq, {});
    expect(readdirSync(join(dir, 'packed')).filter((name) => name.startsWith('snapshot'))).toEqual([
      'snapshot-000000000004.json',
      'snapshot-000000000005.json',
    ]);
  });
});

describe('case 64: a newer version', () => {
  it('of a record is refused by reader and writer, and left as it is', async () => {
    await make(2);
    const newer = withChecksum(JSON.stringify({ v: 2, seq: 3, shape: 'unknown' }));
    writeFileSync(loosePath(dir, 3), newer);
    await expect(readAll()).rejects.toMatchObject({ code: 'E_LOG_NEWER' });
    await expect(openFileLog(dir)).rejects.toMatchObject({ code: 'E_LOG_NEWER' });
    expect(readFileSync(loosePath(dir, 3), 'utf8')).toBe(newer);
  });

  it('of a snapshot is refused', async () => {
    await make(2);
    writeFileSync(snapshotPath(dir, 2), withChecksum(JSON.stringify({ v: 2, seq: 2, state: {} })));
    await expect(readLogOnly(dir).loadSnapshot()).rejects.toMatchObject({ code: 'E_LOG_NEWER' });
  });
});

describe('the folder', () => {
  it('is made for its owner alone, and absent is empty to a reader', async () => {
    expect(await readAll()).toBe(0);
    expect(await readLogOnly(dir).loadSnapshot()).toBeNull();
    expect(existsSync(dir)).toBe(false);
    await make(1);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    expect(statSync(loosePath(dir, 1)).mode & 0o777).toBe(0o600);
  });

  it('case 63: refuses a place where no folder can be', async () => {
    writeFileSync(join(parent, 'file'), '');
    await expect(openFileLog(join(parent, 'file', 'log'))).rejects.toMatchObject({ code: 'E_STATE_UNWRITABLE' });
  });

  it('case 63: knows filesystems where others are seen late', () => {
    expect(unfitFilesystem(0x6969, '6.1.0')).toBe('NFS');
    expect(unfitFilesystem(0xff534d42 | 0, '6.1.0')).toBe('CIFS');
    expect(unfitFilesystem(0x01021997, '5.15.0-microsoft-standard-WSL2')).toBe('a Windows drive');
    expect(unfitFilesystem(0x01021997, '6.1.0')).toBeNull();
    expect(unfitFilesystem(0xef53, '6.1.0')).toBeNull();
  });

  it('loses temporaries of dead processes, but only old ones', async () => {
    mkdirSync(dir);
    const child = startChild([process.execPath, '-e', '']);
    await child.ended;
    const old = new Date(Date.now() - 11 * 60 * 1000);
    for (const name of [`.tmp-${child.pid}-old`, `.tmp-${child.pid}-new`, `.tmp-${process.pid}-old`]) {
      writeFileSync(join(dir, name), '');
      if (name.endsWith('-old')) utimesSync(join(dir, name), old, old);
    }
    await openFileLog(dir);
    expect(readdirSync(dir).filter((name) => name.startsWith('.tmp-'))).toEqual(
      [`.tmp-${child.pid}-new`, `.tmp-${process.pid}-old`].sort(),
    );
  });
});

describe('a disk that fails', () => {
  const failure = (code: string): Error => Object.assign(new Error(code), { code });

  it('before the record has its number: nothing is written, and the next append works', async () => {
    let full = true;
    const log = await openFileLog<TestEvent>(dir, {
      onPoint: async (point) => {
        if (full && point === 'append:synced') throw failure('ENOSPC');
      },
    });
    await expect(log.append(0, 'a', 1, [])).rejects.toMatchObject({ code: 'E_DISK' });
    expect(readdirSync(dir)).toEqual(['packed']);
    full = false;
    expect(await log.append(0, 'a', 1, [])).toEqual({ ok: true, seq: 1 });
  });

  it('case 59: after the record has its number: not acknowledged, and this writer writes no more', async () => {
    let failing = true;
    const log = await openFileLog<TestEvent>(dir, {
      onPoint: async (point) => {
        if (failing && point === 'append:listed') throw failure('EIO');
      },
    });
    await expect(log.append(0, 'a', 1, [])).rejects.toMatchObject({ code: 'E_DISK' });
    failing = false;
    await expect(log.append(1, 'a', 1, [])).rejects.toMatchObject({ code: 'E_DISK' });
    expect(await log.read(0)).toHaveLength(1);
    expect(await (await openFileLog<TestEvent>(dir)).append(1, 'a', 1, [])).toEqual({ ok: true, seq: 2 });
  });

  it('while packing: every record stays', async () => {
    await make(3);
    const log = await openFileLog<TestEvent>(dir, {
      onPoint: async (point) => {
        if (point === 'compact:synced') throw failure('ENOSPC');
      },
    });
    await expect(log.saveSnapshot(3, {})).rejects.toMatchObject({ code: 'E_DISK' });
    expect(await readAll()).toBe(3);
    expect(readdirSync(dir).filter((name) => name.startsWith('.tmp-'))).toEqual([]);
  });
});

describe('other processes', () => {
  let built: Awaited<ReturnType<typeof buildLogChild>>;
  beforeAll(async () => {
    built = await buildLogChild();
    chmodSync(built.dir, 0o755);
  });
  afterAll(() => built.remove());

  it('case 58: a short write is not acknowledged and leaves nothing; a smaller one then works', async () => {
    const script = 'ulimit -f 8; exec "$@"';
    const child = startChild(['sh', '-c', script, 'sh', process.execPath, built.file, 'large', dir, '20000']);
    expect(await child.ended).toBe(0);
    expect(child.lines()).toEqual(['E_DISK', '{"ok":true,"seq":1}', 'E_DISK']);
    expect(readdirSync(dir)).toEqual(['packed']);
    expect(await readLogOnly(dir).loadSnapshot()).toBeNull();
    expect(await readAll()).toBe(1);
  });

  it('case 63: a folder that may only be read can be read, not opened', async () => {
    await make(2, 1);
    const root = process.getuid?.() === 0;
    const nobody = 65534;
    // Root may write anywhere, so the child runs as somebody else.
    chmodSync(parent, 0o755);
    for (const path of [dir, join(dir, 'packed')]) chmodSync(path, 0o555);
    if (root)
      for (const path of [loosePath(dir, 2), segmentPath(dir, { from: 1, to: 1 })]) chownSync(path, nobody, nobody);
    const child = startChild([process.execPath, built.file, 'open', dir], root ? { uid: nobody, gid: nobody } : {});
    expect(await child.ended).toBe(0);
    expect(child.lines()).toEqual(['E_STATE_UNWRITABLE', 'read 2']);
    for (const path of [dir, join(dir, 'packed')]) chmodSync(path, 0o755);
  });
});
