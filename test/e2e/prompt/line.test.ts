import { existsSync, mkdirSync, readFileSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { killHost } from '../harness/crash.ts';
import {
  foldersOf,
  promptFor,
  promptProject,
  PROMISE,
  readBook,
  tellAgents,
  writeAgent,
} from '../harness/prompt-project.ts';
import { processesOf } from '../harness/processes.ts';
import { ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const HELD = `echo "$name" >> "$BOOKS/order"
echo "made by $name" > "$name.txt"
hold "go-$name"
${PROMISE}`;

interface Lock {
  readonly pid: number;
  readonly startTime: string;
  readonly started: string;
  readonly loop: string;
  readonly prompt: string;
}
const lockOf = (one: Scratch): string => join(one.repo, '.ralph/loop.lock');
const readLock = (one: Scratch): Lock => JSON.parse(readFileSync(lockOf(one), 'utf8')) as Lock;
const isAtWork = (one: Scratch, name: string) => (): boolean => foldersOf(one, name).length > 0;

describe('a checkout one loop works in', () => {
  it('--exclusive: one after the other, each told whom it waits for; --wait gives up', async () => {
    const one = scratch();
    promptProject(one, HELD);
    const long = `${promptFor('holder')} ${'and more '.repeat(30)}`;
    const holder = startRalph(one, ['run', long]);
    await until('the holder at work', isAtWork(one, 'holder'));
    const lock = readLock(one);
    expect(lock).toMatchObject({ pid: holder.pid, loop: expect.stringMatching(/^make-holder-now-/) });
    expect(lock.prompt).toBe(long.slice(0, 100));
    expect(Date.parse(lock.started)).toBeGreaterThan(Date.now() - 60_000);
    const waiters = [];
    for (const name of ['one', 'two']) {
      const run = startRalph(one, ['run', '--exclusive', promptFor(name)]);
      await run.waitFor(/waiting for loop make-holder-now-/);
      waiters.push(run);
    }
    const impatient = await ralph(one, ['run', '--exclusive', '--wait', '100ms', '-P', '-'], {
      isCheckoutGuarded: false,
      prefix: ['sh', '-c', `echo ${promptFor('late')} | "$@"`, 'sh'],
    });
    expect([impatient.code, impatient.stderr]).toEqual([5, expect.stringContaining(`process ${holder.pid}`)]);
    expect(impatient.stderr).toMatch(/^fix: ralph run --worktree -P '-'$/m);
    const leaver = startRalph(one, ['run', '--exclusive', promptFor('leaver')]);
    await leaver.waitFor(/waiting for loop/);
    leaver.signal('SIGINT');
    expect((await leaver.ended).code).toBe(130);
    tellAgents(one, 'go-holder');
    const isNext = (): 'one' | 'two' | undefined => (['one', 'two'] as const).find((name) => isAtWork(one, name)());
    const next = await until('the next at work', isNext);
    const last = next === 'one' ? 'two' : 'one';
    await waiters[last === 'one' ? 0 : 1]?.waitFor(new RegExp(`waiting for loop make-${next}-now-`));
    tellAgents(one, `go-${next}`);
    await until('the last at work', isAtWork(one, last));
    tellAgents(one, `go-${last}`);
    const ended = await Promise.all([holder, ...waiters].map((run) => run.ended));
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(readBook(one, 'order').split('\n')).toEqual(['holder', next, last, '']);
    for (const name of ['holder', 'one', 'two']) expect(foldersOf(one, name)).toEqual([one.repo]);
    expect(foldersOf(one, 'late')).toEqual([]);
    expect(existsSync(lockOf(one))).toBe(false);
    expect(one.git('status', '--porcelain')).toBe('');
  });

  it('a lock of the dead, of another process with the same id, or of nobody does not keep anyone out', async () => {
    const one = scratch();
    promptProject(one, HELD);
    const victim = startRalph(one, ['run', promptFor('victim')]);
    await until('the victim at work', isAtWork(one, 'victim'));
    const left = readLock(one);
    await killHost(victim);
    expect(existsSync(lockOf(one))).toBe(true);
    const locks: Readonly<Record<string, string>> = {
      dead: JSON.stringify(left),
      reused: JSON.stringify({ ...left, pid: process.pid, startTime: '1' }),
      garbage: '{"pid": 1,',
    };
    // Its agent outlived it and still works there.
    tellAgents(one, 'go-beside');
    const beside = await ralph(one, ['run', promptFor('beside')], { isCheckoutGuarded: false });
    expect([beside.code, beside.stderr]).toEqual([0, expect.stringContaining(`loop ${left.loop}`)]);
    expect(foldersOf(one, 'beside')[0]).toContain('.ralph/worktrees/');
    tellAgents(one, 'go-victim');
    await until('its agent gone', () => processesOf(one.root).length === 0);
    rmSync(lockOf(one), { force: true });
    mkdirSync(lockOf(one));
    const inTheWay = await ralph(one, ['run', promptFor('folder')], { isCheckoutGuarded: false });
    expect([inTheWay.code, inTheWay.stderr]).toEqual([4, expect.stringContaining('E_STATE_UNWRITABLE')]);
    rmdirSync(lockOf(one));
    for (const [name, text] of Object.entries(locks)) {
      writeFileSync(lockOf(one), text);
      tellAgents(one, `go-${name}`);
      const { code, stderr } = await ralph(one, ['run', promptFor(name)], { isCheckoutGuarded: false });
      expect(code, stderr).toBe(0);
      expect(foldersOf(one, name), name).toEqual([one.repo]);
    }
    const resumed = await ralph(one, ['run', '--continue'], { isCheckoutGuarded: false });
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(one.git('show', 'main:victim.txt')).toBe('made by victim');
    expect(foldersOf(one, 'victim')).toEqual([one.repo]);
    expect(one.git('status', '--porcelain')).toBe('');
  });

  it('where it cannot land from, the loop works apart and says why; a feature worktree takes its commits', async () => {
    const one = scratch();
    promptProject(one);
    const elsewhere = async (name: string, why: RegExp): Promise<void> => {
      const before = [one.git('rev-parse', 'HEAD'), one.git('status', '--porcelain', '-b')];
      const { code, stderr } = await ralph(one, ['run', promptFor(name)]);
      expect([code, stderr]).toEqual([0, expect.stringMatching(why)]);
      expect(foldersOf(one, name)[0]).toContain('.ralph/worktrees/');
      expect(one.git('show', `main:${name}.txt`)).toBe(`made by ${name}`);
      expect([one.git('rev-parse', 'HEAD'), one.git('status', '--porcelain', '-b')]).toEqual(before);
    };
    one.git('checkout', '-q', '--detach');
    await elsewhere('detached', /HEAD is detached/);
    one.git('checkout', '-q', '-b', 'topic');
    await elsewhere('aside', /this checkout is on topic and loops land on main/);
    const feature = join(one.root, 'feature');
    one.git('worktree', 'add', '-q', '-b', 'feature/x', feature, 'main');
    writeFileSync(join(feature, 'README.md'), 'yours, not done yet\n');
    writeFileSync(join(feature, 'begun.txt'), 'yours\n');
    const yours = one.git('-C', feature, 'status', '--porcelain');
    // Each in the feature worktree; one commits nothing, one commits all there is.
    const scripts = {
      leaves: '',
      sweeps: 'git add -A; git commit -q -m "$name"',
    };
    for (const [name, script] of Object.entries(scripts)) {
      writeAgent(one, `echo "made by $name" > "$name.txt"\n${script}\n${PROMISE}`);
      const inside = await ralph(one, ['run', promptFor(name)], { cwd: feature });
      expect(inside.code, inside.stderr).toBe(0);
      expect(foldersOf(one, name)).toEqual([feature]);
      for (const branch of ['feature/x', 'main']) {
        expect(one.git('show', `${branch}:${name}.txt`)).toBe(`made by ${name}`);
        expect(one.git('log', '--format=%H', branch, '--', 'begun.txt'), name).toBe('');
      }
      expect(one.git('-C', feature, 'status', '--porcelain'), name).toBe(yours);
    }
    expect(existsSync(join(feature, '.ralph/loop.lock'))).toBe(false);
    // A merge that somebody is in the middle of.
    one.git('checkout', '-q', 'main');
    one.git('branch', '-q', 'other', 'main~1');
    writeFileSync(join(one.repo, '.git/MERGE_HEAD'), `${one.git('rev-parse', 'other')}\n`);
    const merging = await ralph(one, ['run', '--publish', 'manual', promptFor('merging')], {
      isCheckoutGuarded: false,
    });
    expect(merging.stderr).toMatch(/a merge is under way/);
    expect(foldersOf(one, 'merging')[0]).toContain('.ralph/worktrees/');
  });
});
