import { mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFileLog, readLogOnly } from '../../../src/world/log/file-log.ts';

let parent = '';
let stop = new AbortController();
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'log-watch-'));
  stop = new AbortController();
});
afterEach(() => {
  stop.abort();
  rmSync(parent, { recursive: true, force: true });
});

/** Watches `dir` and resolves once it was called back that often. */
function watch(dir: string, pollMs: number): { calls: () => number; called: (times: number) => Promise<void> } {
  let calls = 0;
  let wake = (): void => {};
  readLogOnly(dir, { pollMs }).watch(() => {
    calls++;
    wake();
  }, stop.signal);
  return {
    calls: () => calls,
    async called(times) {
      while (calls < times) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}

/** Long ago, so that its last change counts as settled. */
function settled(dir: string): void {
  utimesSync(dir, new Date(1_000_000_000_000), new Date(1_000_000_000_000));
}

describe('a watched folder', () => {
  it('calls back at first, and no more while nothing changes', async () => {
    const [quiet, busy] = [join(parent, 'quiet'), join(parent, 'busy')];
    for (const dir of [quiet, busy]) mkdirSync(dir);
    settled(quiet);
    // Young for as long as this takes.
    utimesSync(busy, new Date(4_000_000_000_000), new Date(4_000_000_000_000));
    const watched = watch(quiet, 2);
    const witness = watch(busy, 2);
    await witness.called(20);
    expect(watched.calls()).toBe(1);
  });

  it('is noticed when it appears, changes, goes and comes again', async () => {
    const dir = join(parent, 'log');
    const watched = watch(dir, 2);
    await watched.called(1);
    for (let round = 0; round < 2; round++) {
      const before = watched.calls();
      const log = await openFileLog<number>(dir);
      await watched.called(before + 1);
      const beforeAppend = watched.calls();
      await log.append(0, 'a', 1, []);
      await watched.called(beforeAppend + 1);
      const beforeRemoval = watched.calls();
      rmSync(dir, { recursive: true });
      await watched.called(beforeRemoval + 1);
    }
  });

  it('tells by the kernel long before the poll', async () => {
    const log = await openFileLog<number>(parent);
    const watched = watch(parent, 1_000_000);
    await watched.called(1);
    await log.append(0, 'a', 1, []);
    await watched.called(2);
  });

  it('tells by the poll where only the time of change tells', async () => {
    settled(parent);
    const watched = watch(parent, 2);
    await watched.called(1);
    utimesSync(parent, new Date(1_100_000_000_000), new Date(1_100_000_000_000));
    await watched.called(2);
  });

  it('is left alone once the signal aborts, even before the first call', async () => {
    const watched = watch(parent, 2);
    stop.abort();
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    expect(watched.calls()).toBe(0);
  });
});
