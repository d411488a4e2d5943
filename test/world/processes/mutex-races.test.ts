import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownIdentity } from '../../../src/world/processes/identity.ts';
import { type Bundled, bundleChild } from '../bundled-child.ts';

const ROUNDS = 1000;
const AT_ONCE = 100;

describe('a dead owner’s mutex', () => {
  let dir = '';
  let program: Bundled;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'paralph-races-'));
    program = await bundleChild(`
      import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
      import { setTimeout as sleep } from 'node:timers/promises';
      import { withMutex } from 'src/world/processes/mutex.ts';
      const [dir, rounds, atOnce, me, other] = process.argv.slice(2);
      const at = (name) => dir + '/' + name;
      const race = (round) => withMutex(at('locks-' + round + '/it'), async () => {
        // Fails when the other one is inside.
        writeFileSync(at('inside-' + round), me, { flag: 'wx' });
        await new Promise((resolve) => setImmediate(resolve));
        appendFileSync(at('log-' + round), me);
        rmSync(at('inside-' + round));
      });
      for (let first = 0; first < Number(rounds); first += Number(atOnce)) {
        writeFileSync(at('ready-' + first + me), '');
        while (!existsSync(at('ready-' + first + other))) await sleep(1);
        await Promise.all(Array.from({ length: Number(atOnce) }, (_, more) => race(first + more)));
      }
    `);
  });
  afterAll(() => {
    program.remove();
    rmSync(dir, { recursive: true, force: true });
  });

  it(`case 67: two race for it ${ROUNDS} times: one wins each time, the other comes after`, async () => {
    const dead = JSON.stringify({ ...ownIdentity(), startTime: '1', nonce: 'dead' });
    // A folder for each: so many locks beside each other would only be in each other's way.
    const folders = Array.from({ length: ROUNDS }, (_, round) => join(dir, `locks-${round}`));
    for (const folder of folders) mkdirSync(folder);
    for (const folder of folders) writeFileSync(join(folder, 'it'), dead);
    const start = (me: string, other: string) => program.start(dir, `${ROUNDS}`, `${AT_ONCE}`, me, other).output;
    await Promise.all([start('a', 'b'), start('b', 'a')]);
    const orders = Array.from({ length: ROUNDS }, (_, round) => readFileSync(join(dir, `log-${round}`), 'utf8'));
    // Where only one of them gets a processor it may win every time.
    expect(orders.filter((order) => order !== 'ab' && order !== 'ba')).toEqual([]);
    expect(folders.flatMap((folder) => readdirSync(folder))).toEqual([]);
  }, 120_000);
});
