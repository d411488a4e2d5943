import { describe, expect, it } from 'vitest';
import { GREEN, task, tellTale } from '../../test/sim/tale.ts';
import { AppError } from '../core/model/errors.ts';
import { hostId } from '../core/model/ids.ts';
import type { Claims, NotHeld, Tracker } from '../world/contract/tracker.ts';
import { createTrackerFollower } from './follow-tracker.ts';

const ME = hostId('h1');

/** A tracker outside the tree that writes down what it is told. */
function scene(answer: (said: string) => NotHeld | null = () => null) {
  const said: string[] = [];
  const say = (text: string): NotHeld | null => {
    said.push(text);
    return answer(text);
  };
  const claims: Claims = {
    quietMsMax: 300_000,
    claim: async ({ task: id }) => say(`claim ${id}`),
    phase: async ({ task: id }, phase) => say(`${id} ${phase}`),
    check: async () => new Map(),
    release: async ({ task: id }, why) => void say(`release ${id}: ${why}`),
    note: async (found) => void say(`note ${found.map((one) => one.title).join(', ')}`),
    reopened: async () => [],
  };
  const tracker: Tracker = {
    path: 'PRD.md',
    look: async () => null,
    tick: async () => null,
    close: async (landed) => {
      say(`close ${landed.map(({ hold }) => `${hold.task} by ${hold.actor}`).join(', ')}`);
      return true;
    },
    claims,
  };
  const clock = { awakeMs: 0 };
  const warned: string[] = [];
  const world = { tracker, clock: { ...NO_CLOCK, awakeMs: () => clock.awakeMs } };
  const follower = createTrackerFollower(
    world,
    (text) => warned.push(text),
    () => undefined,
  );
  const tale = tellTale();
  tale.read(task('a'), task('b'));
  tale.join('h1');
  const follow = async (): Promise<readonly string[]> => {
    said.length = 0;
    follower.follow(tale.state(), ME);
    await follower.stop();
    return [...said];
  };
  return { tale, follow, follower, warned, clock };
}

const NO_CLOCK = { nowMs: () => 0, today: () => '2026-01-01', sleep: async () => undefined };

describe('a tracker outside the tree', () => {
  it('is told each phase once, that the loop lives, and the end', async () => {
    const { tale, follow, follower, clock } = scene();
    const a = tale.begin('a');
    expect(await follow()).toEqual(['a working']);
    expect(await follow()).toEqual([]);
    clock.awakeMs += 100_000;
    expect(await follow()).toEqual(['a working']);
    tale.iterate(a, 'claimed', 'tree');
    tale.gate(a, GREEN);
    expect(await follow()).toEqual(['a committed']);
    tale.land(a);
    expect(follower.isIdle(tale.state(), ME)).toBe(false);
    const { run } = tale.loop(a);
    expect(await follow()).toEqual([`close a by ${run}/${a}`]);
    // What a person does with it from now on is obeyed: that must not be lost with this process.
    expect(follower.isIdle(tale.state(), ME)).toBe(false);
    tale.write(...follower.take());
    expect(await follow()).toEqual([]);
    expect(follower.isIdle(tale.state(), ME)).toBe(true);
  });

  it('that gives a task to another stops its loop', async () => {
    const { tale, follow, follower } = scene((said) =>
      said.startsWith('a') ? { why: 'bob has it', isFree: false } : null,
    );
    const a = tale.begin('a');
    await follow();
    const { fence } = tale.loop(a);
    expect(follower.take()).toEqual([{ type: 'claim-lost', loop: a, fence, why: 'bob has it', isFree: false }]);
    expect(follower.take()).toEqual([]);
  });

  it('gets back what nobody goes on with, and what loops found', async () => {
    const { tale, follow } = scene();
    const a = tale.begin('a');
    await follow();
    tale.write({ type: 'task-proposed', loop: a, title: 'More', body: '' });
    expect(await follow()).toEqual(['note More']);
    tale.write({ type: 'loop-stopped', loop: a, now: true });
    expect(await follow()).toEqual([expect.stringMatching(/^release a: stopped: /)]);
    expect(await follow()).toEqual([]);
  });

  it('that does not answer is asked a few times, told once, and keeps nobody from leaving', async () => {
    const { tale, follow, follower, warned, clock } = scene(() => {
      throw new AppError('E_TASKS', 'bd does not answer', {});
    });
    tale.begin('a');
    for (let tries = 0; tries < 3; tries += 1) {
      expect(follower.isIdle(tale.state(), ME)).toBe(false);
      expect(await follow()).toEqual(['a working']);
      expect(await follow()).toEqual([]);
      clock.awakeMs += 5000;
    }
    expect(warned).toEqual(['bd does not answer']);
    expect(follower.isIdle(tale.state(), ME)).toBe(true);
  });
});
