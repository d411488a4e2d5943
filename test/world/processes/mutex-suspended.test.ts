import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withMutex } from '../../../src/world/processes/mutex.ts';
import { hearWaits } from '../../../src/world/processes/mutex-waits.ts';
import { bundleChild, until } from '../bundled-child.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'paralph-mutex-'));
});
afterEach(() => {
  hearWaits({ tell: () => {} });
  rmSync(dir, { recursive: true, force: true });
});

describe('a mutex whose holder is suspended', () => {
  it('is waited for with a word, given up when asked to stop, and free at once when its holder is killed', async () => {
    const file = join(dir, 'locks', 'it');
    const program = await bundleChild(`
      import { writeFileSync } from 'node:fs';
      import { setTimeout as sleep } from 'node:timers/promises';
      import { withMutex } from 'src/world/processes/mutex.ts';
      const [file, inside] = process.argv.slice(2);
      await withMutex(file, async () => { writeFileSync(inside, ''); await sleep(600_000); });
    `);
    const { child, output } = program.start(file, join(dir, 'inside'));
    try {
      await until('the child is inside', () => existsSync(join(dir, 'inside')));
      const [drain, force] = [new AbortController(), new AbortController()];
      const told: string[] = [];
      hearWaits({ tell: (text) => told.push(text), drain: drain.signal, force: force.signal });
      const given = withMutex(file, () => Promise.reject(new Error('entered'))).catch((error: unknown) => error);
      // Whoever holds it may be about to give it back, so only one that is suspended is not waited for.
      drain.abort('SIGTERM');
      child.kill('SIGSTOP');
      expect(await given).toMatchObject({ code: 'E_TERMINATED', remedy: `kill -CONT ${child.pid}` });
      hearWaits({ tell: (text) => told.push(text) });
      const mine = withMutex(file, () => Promise.resolve('mine'));
      await until('it is told', () => told.length > 0);
      expect(told[0]).toMatch(
        new RegExp(`process ${child.pid}, which is suspended, holds ${file} since 2.*kill -CONT`),
      );
      child.kill('SIGCONT');
      force.abort();
      hearWaits({ tell: (text) => told.push(text), force: force.signal });
      await expect(mine).rejects.toMatchObject({ code: 'E_INTERRUPTED' });
      hearWaits({ tell: (text) => told.push(text) });
      const last = withMutex(file, () => Promise.resolve('mine'));
      child.kill('SIGKILL');
      expect(await last).toBe('mine');
    } finally {
      child.kill('SIGKILL');
      await output.catch(() => {});
      program.remove();
    }
  });
});
