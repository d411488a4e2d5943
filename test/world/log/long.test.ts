import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openFileLog } from '../../../src/world/log/file-log.ts';
import { packedDir, segmentPath } from '../../../src/world/log/log-files.ts';
import { encodeRecord } from '../../../src/world/log/record-line.ts';

const RECORDS = 100_000;
const SEGMENT = 256;
const parent = mkdtempSync(join(tmpdir(), 'log-long-'));
const dir = join(parent, 'log');
afterAll(() => rmSync(parent, { recursive: true, force: true }));

it('case 72: a log of 100,000 records is read whole, and from its snapshot only what came after', async () => {
  mkdirSync(packedDir(dir), { recursive: true });
  for (let from = 1; from <= RECORDS; from += SEGMENT) {
    const to = Math.min(RECORDS, from + SEGMENT - 1);
    const lines = Array.from({ length: to - from + 1 }, (_, at) =>
      encodeRecord({ seq: from + at, at: from + at, by: 'a', events: [{ index: from + at }] }, `id-${from + at}`),
    );
    writeFileSync(segmentPath(dir, { from, to }), lines.join(''));
  }
  const log = await openFileLog<{ readonly index: number }>(dir);
  const all = await log.read(0);
  expect([all.length, all[0]?.seq, all.at(-1)?.events]).toEqual([RECORDS, 1, [{ index: RECORDS }]]);
  await log.saveSnapshot(RECORDS, { folded: RECORDS });
  expect(await log.append(RECORDS, 'b', 1, [{ index: 0 }])).toEqual({ ok: true, seq: RECORDS + 1 });
  const again = await openFileLog<{ readonly index: number }>(dir);
  expect(await again.loadSnapshot()).toEqual({ seq: RECORDS, state: { folded: RECORDS } });
  expect((await again.read(RECORDS)).map((record) => record.by)).toEqual(['b']);
});
