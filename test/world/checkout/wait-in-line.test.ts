import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import type { Repository } from '../../../src/world/git/run/repository.ts';
import { isHeld, loopLockFile, takeLoopLock } from '../../../src/world/checkout/loop-lock.ts';
import { bundleChild } from '../bundled-child.ts';
import { scratchRepo } from '../scratch.ts';

let repo: Repository;
beforeEach(() => {
  const scratch = scratchRepo();
  onTestFinished(() => scratch.remove());
  repo = findRepository(scratch.dir);
});

describe('the lock on a checkout', () => {
  it('is taken past what another process of the same number had begun to write when it was killed', async () => {
    const draft = `${loopLockFile(repo.root)}.${process.pid}.tmp`;
    mkdirSync(join(repo.root, '.ralph'));
    writeFileSync(draft, '{"pid":');
    const held = await takeLoopLock(repo, repo.root, { loop: 'a-1', prompt: 'work' });
    expect(isHeld(held)).toBe(true);
    expect(JSON.parse(readFileSync(loopLockFile(repo.root), 'utf8'))).toMatchObject({ loop: 'a-1' });
    expect(existsSync(draft)).toBe(false);
  });

  it('is not taken for free by somebody who has no file handle left to read it with', async () => {
    const starved = await bundleChild(`
      import { closeSync, openSync } from 'node:fs';
      import { spawnSync } from 'node:child_process';
      import { readLoopLock } from 'src/world/checkout/loop-lock.ts';
      const [checkout, isFew] = process.argv.slice(2);
      if (isFew === undefined) {
        const again = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, process.argv[1], checkout, 'few'];
        process.exit(spawnSync('sh', again, { stdio: 'inherit' }).status);
      }
      const taken = [];
      try { for (;;) taken.push(openSync('/dev/null')); } catch {}
      const seen = [];
      for (let left = 0; left < 3; left += 1) {
        try { seen.push(readLoopLock(checkout)?.isAlive ?? null); } catch (error) { seen.push(error.code); }
        closeSync(taken.pop());
      }
      console.log(...seen);
    `);
    onTestFinished(() => starved.remove());
    await takeLoopLock(repo, repo.root, { loop: 'a-1', prompt: 'work' });
    expect(await starved.start(repo.root).output).toBe('E_PROCESS true true\n');
  });
});
