import { describe, expect, it } from 'vitest';
import { GREEN, key, LIMITS, task, tellTale } from '../../../test/sim/tale.ts';
import { hostId } from '../model/ids.ts';
import { describeWaiting } from '../views/describe-waiting.ts';
import { isSpent, schedule } from '../plan/schedule.ts';

const ME = hostId('h1');

function opened() {
  const tale = tellTale();
  tale.join('h1');
  tale.read(task('a'), task('b'));
  return tale;
}

describe('a full disk', () => {
  it('lets nothing begin, and is waited for', () => {
    const tale = opened();
    tale.write({ type: 'disk-low', freeMb: 10, floorMb: 100 });
    const { starts, waits } = schedule(tale.state(), ME);
    expect(starts).toEqual([]);
    expect(waits.map(({ waiting }) => describeWaiting(waiting))[0]).toBe(
      'waits for disk space: 10 MB free, 100 MB required',
    );
    expect(isSpent(tale.state(), ME)).toBe(false);
    tale.write({ type: 'disk-freed' });
    expect(schedule(tale.state(), ME).starts.map((start) => start.task)).toEqual([key('a'), key('b')]);
  });
});

describe('an agent that strayed', () => {
  it('is parked with what it did, whatever it says of itself', () => {
    const tale = opened();
    const a = tale.begin('a');
    const breach = { did: ['moved the branch main'], kept: ['refs/paralph/keep/a/1'], restored: ['main'] };
    tale.iterate(a, 'claimed', 'new', 1000, { breach });
    expect(tale.loop(a).phase).toEqual({
      at: 'parked',
      reason: 'tampered',
      detail: 'moved the branch main. put back: main. kept: refs/paralph/keep/a/1',
      paths: [],
    });
    expect(tale.loop(a)).toMatchObject({ head: 'head-new', iteration: 1 });
  });
});

describe('a task whose loop strayed or was thrown away', () => {
  it('begins again only when a person frees it', () => {
    const tale = tellTale();
    tale.join('h1', { limits: { ...LIMITS, attempts: 3 } });
    tale.read(task('a'), task('b'));
    const [a, b] = [tale.begin('a'), tale.begin('b', { slot: 2 })];
    tale.iterate(a, 'worked', 'new', 1000, { breach: { did: ['x'], kept: [], restored: [] } });
    tale.write({ type: 'loop-discarded', loop: b, kept: null });
    expect(schedule(tale.state(), ME).waits.map(({ waiting }) => waiting)).toEqual([
      { why: 'parked', loop: a },
      { why: 'parked', loop: b },
    ]);
    tale.write({ type: 'task-reset', task: key('a') }, { type: 'task-reset', task: key('b') });
    expect(schedule(tale.state(), ME).starts.map((start) => start.task)).toEqual([key('a'), key('b')]);
  });
});

describe('a loop that was thrown away', () => {
  it('leaves its worktree and any train, and can be had back', () => {
    const tale = opened();
    const a = tale.begin('a');
    tale.write({ type: 'loop-discarded', loop: a, kept: 'refs/paralph/keep/a/1' });
    expect(tale.loop(a)).toMatchObject({ worktree: null, worktreeState: 'none', host: null });
    expect(tale.loop(a).phase).toMatchObject({ reason: 'discarded' });
    tale.write({ type: 'loop-restored', loop: a, path: '/w/a' });
    expect(tale.loop(a)).toMatchObject({ worktree: '/w/a', worktreeState: 'kept', phase: { reason: 'stopped' } });
    const before = tale.loop(a);
    tale.write({ type: 'loop-restored', loop: a, path: '/elsewhere' });
    expect(tale.loop(a)).toEqual(before);
  });

  it('can be landed when it is had back, if its gates were green', () => {
    const tale = opened();
    const a = tale.begin('a');
    tale.iterate(a, 'claimed', 'done');
    tale.gate(a, GREEN);
    tale.write({ type: 'loop-discarded', loop: a, kept: 'refs/paralph/keep/a/1' });
    tale.write({ type: 'loop-restored', loop: a, path: '/w/a' });
    expect(tale.loop(a).phase).toMatchObject({ reason: 'ejected' });
  });
});
