import fs, { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { findRepository } from '../../src/world/git/repository.ts';
import type { Repository } from '../../src/world/git/repository.ts';
import { isHeld, loopLockFile, takeLoopLock } from '../../src/world/loop-lock.ts';
import { waitInLine } from '../../src/world/wait-in-line.ts';
import { bundleChild, until } from './bundled-child.ts';
import { scratchRepo } from './scratch.ts';

let repo: Repository;
beforeEach(() => {
  const scratch = scratchRepo();
  onTestFinished(() => scratch.remove());
  repo = findRepository(scratch.dir);
});

describe('the lock on a checkout', () => {
  it('is taken past what another process of the same number had begun to write when it was killed', async () => {
    const draft = `${loopLockFile(repo.root)}.${process.pid}`;
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
      import { readLoopLock } from 'src/world/loop-lock.ts';
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

/** The next file that is written is looked at by others between its making and its first byte. */
function betweenOpenAndWrite(look: () => void): void {
  const { writeFileSync: write } = fs;
  const restore = (): void => {
    fs.writeFileSync = write;
    syncBuiltinESMExports();
  };
  fs.writeFileSync = (file, data, options) => {
    restore();
    const { flag = 'w', mode } = typeof options === 'object' && options !== null ? options : {};
    const fd = fs.openSync(file as string, flag, mode);
    look();
    write(fd, data);
    fs.closeSync(fd);
  };
  syncBuiltinESMExports();
  onTestFinished(restore);
}

describe('the line before a checkout', () => {
  it('keeps the place of one who is looked at while it enters', async () => {
    const stop = new AbortController();
    const places: number[] = [];
    const wait = (onPlace: (place: number) => void): Promise<unknown> =>
      waitInLine(repo, repo.root, { attempt: () => Promise.resolve(null), onPlace, signal: stop.signal });
    let second: Promise<unknown> = Promise.resolve();
    betweenOpenAndWrite(() => {
      for (const now = Date.now(); Date.now() === now;);
      second = wait((place) => places.push(place));
    });
    const first = wait(() => {});
    await until('the second is behind the first', () => places.at(-1) === 2);
    stop.abort();
    await Promise.all([first, second]);
    expect(
      readdirSync(join(repo.stateDir, 'waiting')).flatMap((n) => readdirSync(join(repo.stateDir, 'waiting', n))),
    ).toEqual([]);
  });
});
