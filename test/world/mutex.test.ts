import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from 'vitest';
import { withMutex } from '../../src/world/mutex.ts';
import { ownIdentity } from '../../src/world/processes/identity.ts';
import { type Bundled, bundleChild, until } from './bundled-child.ts';

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

describe('withMutex between processes', () => {
  let program: Bundled;
  beforeAll(async () => {
    program = await bundleChild(`
      import { appendFileSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
      import { setTimeout as sleep } from 'node:timers/promises';
      import { withMutex } from 'src/world/mutex.ts';
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
});
