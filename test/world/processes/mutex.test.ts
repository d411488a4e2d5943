import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { withMutex, withOneMutexOf } from '../../../src/world/processes/mutex.ts';
import { ownIdentity } from '../../../src/world/processes/identity.ts';
import { type Bundled, bundleChild, until } from '../bundled-child.ts';

let dir = '';
let file = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'paralph-mutex-'));
  file = join(dir, 'locks', 'it');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('withMutex in one process', () => {
  it('lets callers in one at a time, first come first served', async () => {
    const seen: string[] = [];
    const enter = (name: string) =>
      withMutex(file, async () => {
        seen.push(`${name} in`);
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(`${name} out`);
        return name;
      });
    expect(await Promise.all(['a', 'b', 'c'].map(enter))).toEqual(['a', 'b', 'c']);
    expect(seen).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
  });

  it('is free again after a failure, and leaves no file', async () => {
    await expect(withMutex(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withMutex(file, () => Promise.resolve(7))).toBe(7);
    expect(readdirSync(join(dir, 'locks'))).toEqual([]);
  });

  it('says that the folder cannot be written, and leaves nothing half-written', async () => {
    writeFileSync(join(dir, 'locks'), '');
    const act = (): Promise<void> => Promise.reject(new Error('not reached'));
    await expect(withMutex(file, act)).rejects.toMatchObject({ code: 'E_STATE_UNWRITABLE' });
  });

  it('takes the lock of a pid that started at another time: the pid came around again', async () => {
    await withMutex(file, () => Promise.resolve());
    writeFileSync(file, JSON.stringify({ ...ownIdentity(), startTime: '1', nonce: 'x' }));
    expect(await withMutex(file, () => Promise.resolve('mine'))).toBe('mine');
  });

  it('takes a lock that a power cut left empty', async () => {
    await withMutex(file, () => Promise.resolve());
    writeFileSync(file, '');
    expect(await withMutex(file, () => Promise.resolve('mine'))).toBe('mine');
    expect(readdirSync(join(dir, 'locks'))).toEqual([]);
  });

  it('waits for a living holder', async () => {
    await withMutex(file, () => Promise.resolve());
    writeFileSync(file, JSON.stringify({ ...ownIdentity(), nonce: 'x' }));
    let entered = false;
    const mine = withMutex(file, () => Promise.resolve((entered = true)));
    await until('prepared its own lock', () => readdirSync(join(dir, 'locks')).length === 2);
    expect(entered).toBe(false);
    rmSync(file);
    expect(await mine).toBe(true);
  });

  it('does not remove the lock of another who took it when ours was deleted by hand', async () => {
    await withMutex(file, () => {
      writeFileSync(file, JSON.stringify({ ...ownIdentity(), nonce: 'theirs' }));
      return Promise.resolve();
    });
    expect(readFileSync(file, 'utf8')).toContain('theirs');
  });
});

describe('withOneMutexOf', () => {
  const never = new AbortController().signal;
  const files = (): string[] => [`${file}-1`, `${file}-2`];
  const opener = (): { readonly wait: Promise<void>; open: () => void } => {
    let open = (): void => {};
    const wait = new Promise<void>((resolve) => (open = resolve));
    return { wait, open: () => open() };
  };

  it('lets as many in as there are files, and the others in the order they came', async () => {
    const seen: string[] = [];
    const doors = { a: opener(), b: opener(), c: opener(), d: opener() };
    const enter = (name: keyof typeof doors) =>
      withOneMutexOf(files(), never, async () => {
        seen.push(name);
        await doors[name].wait;
        return name;
      });
    const all = Promise.all((['a', 'b', 'c', 'd'] as const).map(enter));
    await until('two are inside', () => seen.length === 2);
    expect(seen).toEqual(['a', 'b']);
    doors.b.open();
    await until('the third is inside', () => seen.length === 3);
    doors.c.open();
    await until('the fourth is inside', () => seen.length === 4);
    doors.a.open();
    doors.d.open();
    expect(await all).toEqual(['a', 'b', 'c', 'd'].map((value) => ({ value })));
    expect(seen).toEqual(['a', 'b', 'c', 'd']);
    expect(readdirSync(join(dir, 'locks'))).toEqual([]);
  });

  it('gives up when aborted, first in line or behind, and takes nothing with it', async () => {
    const door = opener();
    let entered = false;
    const holder = withOneMutexOf([file], never, () => ((entered = true), door.wait));
    await until('the holder is inside', () => entered);
    const stops = [new AbortController(), new AbortController()];
    const waiting = stops.map((stop) =>
      withOneMutexOf([file], stop.signal, () => Promise.reject(new Error('entered'))),
    );
    for (const stop of stops.reverse()) stop.abort();
    expect(await Promise.all(waiting)).toEqual([null, null]);
    const last = withOneMutexOf([file], never, () => Promise.resolve('mine'));
    door.open();
    await holder;
    expect(await last).toEqual({ value: 'mine' });
    expect(readdirSync(join(dir, 'locks'))).toEqual([]);
  });

  it('takes the place of a dead process, and is free again after a failure', async () => {
    await withMutex(file, () => Promise.resolve());
    writeFileSync(file, JSON.stringify({ ...ownIdentity(), startTime: '1', nonce: 'x' }));
    await expect(withOneMutexOf([file], never, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withOneMutexOf([file], never, (path) => Promise.resolve(path))).toEqual({ value: file });
  });
});

describe('withMutex between processes', () => {
  let program: Bundled;
  beforeAll(async () => {
    program = await bundleChild(`
      import { appendFileSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
      import { setTimeout as sleep } from 'node:timers/promises';
      import { withMutex, withOneMutexOf } from 'src/world/processes/mutex.ts';
      const [file, room, count, mode] = process.argv.slice(2);
      for (let i = 0; i < Number(count); i += 1) {
        await withMutex(file, async () => {
          mkdirSync(room); // fails when somebody is inside
          if (mode === 'stay') { writeFileSync(room + '.inside', ''); await sleep(600_000); }
          if (mode === 'die' && i === 2) { rmdirSync(room); process.kill(process.pid, 'SIGKILL'); await sleep(1000); }
          await sleep(Math.random() * 2);
          appendFileSync(room + '.log', 'x');
          rmdirSync(room);
        });
      }
    `);
  });
  afterAll(() => program.remove());

  it('never lets two in: 8 processes, 50 times each', async () => {
    const room = join(dir, 'room');
    await Promise.all(Array.from({ length: 8 }, () => program.start(file, room, '50').output));
    expect(readFileSync(`${room}.log`, 'utf8')).toHaveLength(400);
    expect(readdirSync(join(dir, 'locks'))).toEqual([]);
  });

  it('never lets two in while holders are killed inside', async () => {
    const room = join(dir, 'room');
    const dying = Array.from({ length: 12 }, () => program.start(file, room, '3', 'die').output.catch(() => 'died'));
    const living = Array.from({ length: 4 }, () => program.start(file, room, '20').output);
    await Promise.all(living);
    expect(await Promise.all(dying)).toEqual(Array.from({ length: 12 }, () => 'died'));
    expect(readFileSync(`${room}.log`, 'utf8')).toHaveLength(4 * 20 + 12 * 2);
    await withMutex(file, () => Promise.resolve());
    expect(readdirSync(join(dir, 'locks'))).toEqual([]);
  });

  it('is free at once when its holder is killed', async () => {
    const room = join(dir, 'room');
    const { child, output } = program.start(file, room, '1', 'stay');
    await until('the child is inside', () => existsSync(`${room}.inside`));
    expect(existsSync(file)).toBe(true);
    child.kill('SIGKILL');
    await output.catch(() => {});
    expect(await withMutex(file, () => Promise.resolve('mine'))).toBe('mine');
  });

  it('is let go of by somebody who has no file handle left', async () => {
    const starved = await bundleChild(`
      import { closeSync, existsSync, openSync } from 'node:fs';
      import { spawnSync } from 'node:child_process';
      import { withMutex } from 'src/world/processes/mutex.ts';
      const [file, isFew] = process.argv.slice(2);
      if (isFew === undefined) {
        const again = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, process.argv[1], file, 'few'];
        process.exit(spawnSync('sh', again, { stdio: 'inherit' }).status);
      }
      const taken = [];
      const takeAll = async () => { for (;;) taken.push(openSync('/dev/null')); };
      const why = await withMutex(file, takeAll).catch((error) => error.code);
      for (const fd of taken) closeSync(fd);
      console.log(why, existsSync(file));
    `);
    onTestFinished(() => starved.remove());
    expect(await starved.start(file).output).toBe('EMFILE false\n');
  });
});
