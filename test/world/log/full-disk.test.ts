import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Event } from '../../../src/core/model/events.ts';
import { fold } from '../../../src/core/fold/fold.ts';
import { createDiskWait } from '../../../src/engine/disk-wait.ts';
import type { DiskWait } from '../../../src/engine/disk-wait.ts';
import { openJournal } from '../../../src/engine/journal.ts';
import { realClock } from '../../../src/world/os/clock.ts';
import { openFileLog } from '../../../src/world/log/file-log.ts';
import type { LogPoint } from '../../../src/world/os/failpoint.ts';
import { itMounts, smallDisk } from '../../small-disk.ts';

const disk = smallDisk(4);
const FACTS: readonly Event[] = [{ type: 'queue-paused' }];
const MORE: readonly Event[] = [{ type: 'queue-resumed' }];

/** A journal on a real log, whose waiting for the disk is in the test's hands. */
async function stage(onPoint?: (point: LogPoint) => void) {
  const dir = mkdtempSync(join(tmpdir(), 'paralph-journal-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const log = await openFileLog<Event>(dir, onPoint === undefined ? {} : { onPoint: async (point) => onPoint(point) });
  const pauses: ((goOn: boolean) => void)[] = [];
  const errors: unknown[] = [];
  let over = 0;
  const wait: Pick<DiskWait, 'pause' | 'over'> = {
    pause: (error) => {
      errors.push(error);
      return new Promise((resolve) => pauses.push(resolve));
    },
    over: () => void (over += 1),
  };
  const journal = await openJournal(log, fold, () => undefined, wait);
  const paused = async (): Promise<(goOn: boolean) => void> => {
    for (;;) {
      const next = pauses.shift();
      if (next !== undefined) return next;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { dir, log, journal, paused, errors, over: () => over };
}

const failure = (code: string): Error => Object.assign(new Error(code), { code });

describe('a journal on a disk without room', () => {
  itMounts('case 58: writes the same facts once there is some, and nothing by half before', async () => {
    const { dir, log, journal, paused, errors, over } = await stage();
    expect(await journal.append('h1', 1, FACTS)).toBe(true);
    disk.fill();
    onTestFinished(() => disk.free());
    const written = journal.append('h1', 2, MORE);
    (await paused())(true);
    const again = await paused();
    expect(errors).toMatchObject([{ code: 'E_DISK' }, { code: 'E_DISK' }]);
    expect(readdirSync(dir).filter((name) => name !== 'packed')).toHaveLength(1);
    expect(journal.state().seq).toBe(1);
    disk.free();
    again(true);
    expect(await written).toBe(true);
    expect(over()).toBe(1);
    expect((await log.read(0)).map(({ events }) => events)).toEqual([FACTS, MORE]);
    expect(journal.state()).toMatchObject({ seq: 2, queuePaused: false });
  });

  it('that is told to stop says what could not be written, and gives up', async () => {
    const { journal, paused, log } = await stage((point) => {
      if (point === 'append:synced') throw failure('EDQUOT');
    });
    const written = journal.append('h1', 1, FACTS);
    (await paused())(false);
    await expect(written).rejects.toMatchObject({ code: 'E_DISK' });
    expect(await log.read(0)).toEqual([]);
  });

  it('finds that somebody else took the number meanwhile', async () => {
    let isFull = true;
    const { journal, paused, dir } = await stage((point) => {
      if (isFull && point === 'append:synced') throw failure('ENOSPC');
    });
    const written = journal.append('h1', 1, FACTS);
    const goOn = await paused();
    await (await openFileLog<Event>(dir)).append(0, 'h2', 1, FACTS);
    isFull = false;
    goOn(true);
    expect(await written).toBe(false);
    expect(journal.state()).toMatchObject({ seq: 1, queuePaused: true });
  });

  it('does not wait where waiting helps nobody', async () => {
    const { journal } = await stage((point) => {
      if (point === 'append:synced') throw failure('EACCES');
    });
    await expect(journal.append('h1', 1, FACTS)).rejects.toMatchObject({ code: 'E_STATE_UNWRITABLE' });
  });
});

describe('case 59: a flush that fails after others can see the record', () => {
  it('is not taken for written before the log was read again, and then told once', async () => {
    let failing = 2;
    const { journal, paused, log, over } = await stage((point) => {
      if (point === 'append:listed' && failing > 0) throw failure('EIO');
      if (point === 'append:start') failing -= 1;
    });
    const written = journal.append('h1', 1, FACTS);
    const goOn = await paused();
    expect(journal.state().seq).toBe(0);
    // Whoever writes without having looked is refused.
    await expect(log.append(1, 'h1', 2, MORE)).rejects.toMatchObject({ code: 'E_DISK' });
    goOn(true);
    expect(await written).toBe(true);
    expect(over()).toBe(1);
    expect(await journal.append('h1', 3, MORE)).toBe(true);
    expect((await log.read(0)).map(({ events }) => events)).toEqual([FACTS, MORE]);
  });
});

describe('waiting for the disk', () => {
  it('is told once until it is over, and ends when the run is stopped', async () => {
    const said: string[] = [];
    const drain = new AbortController();
    const { pause, tell, over } = createDiskWait(realClock, drain.signal, (text) => said.push(text));
    const error = failure('ENOSPC');
    tell(error);
    const waiting = pause(error);
    drain.abort();
    expect(await waiting).toBe(false);
    expect(said).toHaveLength(1);
    over();
    over();
    expect(said).toHaveLength(2);
    tell(error);
    expect(said).toHaveLength(3);
  });
});
