import { describe, expect, it } from 'vitest';
import { GREEN, key, LIMITS, RED, spent, task, tellTale } from '../../../test/sim/tale.ts';
import { hostId } from '../model/ids.ts';
import type { ParkReason } from '../model/model.ts';
import { park } from '../loops/loop.ts';
import { isSpent, schedule } from '../plan/schedule.ts';
import { resumeLoop, whyNotResumed } from './stop-loop.ts';
import { wishes } from '../plan/wishes.ts';

const ME = hostId('h1');

function opened(limits: Partial<typeof LIMITS> = {}) {
  const tale = tellTale();
  tale.join('h1', { limits: { ...LIMITS, ...limits } });
  tale.read(task('a'), task('b'));
  return tale;
}

describe('a loop that a person stops', () => {
  it('scenario 13: ends its iteration first, whatever comes of that, and its task does not begin again', () => {
    const tale = opened({ attempts: 3 });
    const a = tale.begin('a');
    tale.write({ type: 'loop-stopped', loop: a, now: false });
    expect(tale.loop(a)).toMatchObject({ phase: { at: 'iterating', n: 1 }, stopping: true });
    expect(wishes(tale.state(), ME).map((wish) => wish.type)).toEqual(['run-iteration']);
    tale.iterate(a, 'worked', 'new', 1000);
    expect(tale.loop(a)).toMatchObject({
      phase: { at: 'parked', reason: 'stopped' },
      stopping: false,
      iteration: 1,
      counted: 1,
      head: 'head-new',
    });
    expect(schedule(tale.state(), ME).waits[0]?.waiting).toEqual({ why: 'parked', loop: a });
  });

  it('is put aside for what its last iteration did rather than for the wish', () => {
    const tale = opened();
    const a = tale.begin('a');
    tale.write({ type: 'loop-stopped', loop: a, now: false });
    tale.iterate(a, 'worked', 'new', 1000, { breach: { did: ['x'], kept: [], restored: [] } });
    expect(tale.loop(a)).toMatchObject({ phase: { reason: 'tampered' }, stopping: false });
  });

  it('that said it was done goes on with its gates, and with nothing else', () => {
    const tale = opened();
    const [a, b] = [tale.begin('a'), tale.begin('b', { slot: 2 })];
    tale.write({ type: 'loop-stopped', loop: a, now: false });
    tale.iterate(a, 'claimed', 'new');
    tale.iterate(b, 'claimed', 'new');
    tale.write({ type: 'loop-stopped', loop: b, now: false });
    for (const id of [a, b]) {
      expect(tale.loop(id).phase).toMatchObject({ at: 'parked', reason: 'stopped' });
      tale.write({ type: 'loop-resumed', loop: id });
      expect(tale.loop(id)).toMatchObject({ phase: { at: 'gating', n: 1 }, host: null });
      tale.write({ type: 'loop-adopted', loop: id, host: ME, slot: id === a ? 1 : 2 });
    }
    tale.gate(a, GREEN);
    tale.gate(b, RED);
    expect(tale.loop(a).phase.at).toBe('ready');
    expect(tale.loop(b).phase).toEqual({ at: 'iterating', n: 2 });
  });

  it('at once is nobody’s at once, and what its agent cost and did elsewhere is told afterwards', () => {
    const tale = opened();
    const [a, b] = [tale.begin('a'), tale.begin('b', { slot: 2 })];
    for (const id of [a, b]) tale.write({ type: 'loop-stopped', loop: id, now: true });
    expect(tale.loop(a)).toMatchObject({ phase: { at: 'parked', reason: 'stopped' }, host: null });
    expect(wishes(tale.state(), ME)).toEqual([]);
    tale.iterate(a, 'interrupted', 'half', 1000, { usage: spent(2) });
    tale.iterate(b, 'interrupted', 'half', 1000, { breach: { did: ['moved main'], kept: [], restored: [] } });
    expect(tale.loop(a)).toMatchObject({ iteration: 1, counted: 0, head: 'head-half', usage: { costUsd: 2 } });
    expect(tale.state().run.usage.costUsd).toBe(2);
    expect(tale.loop(b).phase).toMatchObject({ at: 'parked', reason: 'tampered' });
    tale.iterate(a, 'interrupted', 'other', 1000, { n: 1, usage: spent(2) });
    expect(tale.loop(a).usage.costUsd, 'told twice, counted once').toBe(2);
  });

  it('before its agent began is given back, unless the person thought better of it', () => {
    const tale = opened();
    const a = tale.begin('a');
    const { fence } = tale.loop(a);
    tale.write({ type: 'loop-stopped', loop: a, now: false }, { type: 'loop-resumed', loop: a });
    tale.write({ type: 'loop-released', loop: a, fence, why: 'stopped' });
    expect(tale.loop(a)).toMatchObject({ phase: { at: 'iterating' }, host: ME });
    tale.write({ type: 'loop-stopped', loop: a, now: false });
    tale.write({ type: 'loop-released', loop: a, fence, why: 'stopped' });
    expect(tale.loop(a).phase).toMatchObject({ reason: 'stopped' });
  });

  it('that nobody holds, or whose worktree vanishes, does not wait for an end nobody sees', () => {
    const tale = opened();
    const [a, b] = [tale.begin('a'), tale.begin('b', { slot: 2 })];
    tale.write({ type: 'loop-stopped', loop: a, now: false }, { type: 'worktree-lost', loop: a });
    tale.write({ type: 'host-lost', host: ME });
    tale.write({ type: 'loop-stopped', loop: b, now: false });
    for (const id of [a, b]) expect(tale.loop(id).phase).toMatchObject({ at: 'parked', reason: 'stopped' });
  });
});

const GOES_ON: Readonly<Record<ParkReason, string | null>> = {
  stopped: null,
  iterations: null,
  runtime: null,
  'no-progress': null,
  failures: null,
  budget: null,
  blocked: null,
  broken: null,
  conflict: null,
  red: null,
  ejected: null,
  replaced: null,
  'pull-request': null,
  'base-parked': 'done',
  protected: 'done',
  'too-large': 'done',
  duplicate: 'done',
  tampered: 'tampered',
  discarded: 'discarded',
  reset: 'reset',
};

describe('a host that goes on with one loop', () => {
  it('takes up that one, begins no other, and does not wait for what others do', () => {
    const tale = opened({ attempts: 3 });
    const [a, b] = [tale.begin('a'), tale.begin('b', { slot: 2 })];
    tale.write({ type: 'loop-stopped', loop: a, now: true }, { type: 'loop-resumed', loop: a });
    tale.join('h2', { slots: 1, only: b });
    expect(schedule(tale.state(), hostId('h2'))).toEqual({ starts: [], adopts: [], waits: [], over: [] });
    expect(isSpent(tale.state(), hostId('h2')), 'the loops of others are not its business').toBe(true);
    tale.write({ type: 'loop-stopped', loop: b, now: true }, { type: 'loop-resumed', loop: b });
    expect(schedule(tale.state(), hostId('h2'))).toEqual({
      starts: [],
      adopts: [{ loop: b, slot: 1 }],
      waits: [],
      over: [],
    });
    expect(isSpent(tale.state(), hostId('h2'))).toBe(false);
    expect(schedule(tale.state(), ME).adopts.map(({ loop }) => loop)).toEqual([a, b]);
  });
});

describe('a loop that a person lets go on', () => {
  it.each(Object.entries(GOES_ON) as [ParkReason, string | null][])('parked for %s: %s', (reason, refusal) => {
    const tale = opened();
    const a = tale.begin('a');
    tale.iterate(a, 'worked', 'new');
    const stamp = { seq: 99, at: 99, by: 'cli' };
    const loop = park({ ...tale.loop(a), rework: null }, reason, 'why', stamp, ['f']);
    const state = { ...tale.state(), loops: { [a]: loop } };
    expect(whyNotResumed(state, loop)).toBe(refusal);
    const after = resumeLoop(state, loop, stamp);
    if (refusal !== null) return expect(after).toBe(loop);
    expect(after).toMatchObject({ host: null, phase: { at: 'preparing' }, worktree: null, idleStreak: 0 });
    expect(after.rework?.kind ?? null).toBe(reason === 'conflict' || reason === 'red' ? reason : null);
  });

  it('gets every limit once more, and what it cost is counted on', () => {
    const tale = opened({ iterations: 2, maxCostUsd: 5, runtimeMs: 100_000, noProgress: 9 });
    const a = tale.begin('a');
    const goOn = (): void => {
      tale.write({ type: 'loop-resumed', loop: a }, { type: 'loop-adopted', loop: a, host: ME, slot: 1 });
      const { fence, head, tree, base, baseTree } = tale.loop(a);
      const facts = { head: head!, tree: tree!, base: base!, baseTree: baseTree! };
      tale.write({ type: 'worktree-made', loop: a, fence, path: '/w/a', ...facts, reused: true });
    };
    tale.iterate(a, 'worked', 'one', 60_000, { usage: spent(1) });
    tale.iterate(a, 'worked', 'two', 20_000, { usage: spent(1) });
    expect(tale.loop(a).phase).toMatchObject({ reason: 'iterations' });
    goOn();
    expect(wishes(tale.state(), ME)[0]).toMatchObject({ type: 'run-iteration', n: 3, timeoutMs: 100_000 });
    tale.iterate(a, 'worked', 'three', 1000, { usage: spent(6) });
    expect(tale.loop(a).phase).toMatchObject({ reason: 'budget', detail: '$6.00 of $5.00 spent' });
    goOn();
    expect(tale.loop(a)).toMatchObject({ phase: { at: 'iterating', n: 4 }, usage: { costUsd: 8 }, counted: 3 });
    tale.write({ type: 'loop-stopped', loop: a, now: false });
    tale.iterate(a, 'worked', 'four', 1000, { usage: spent(1) });
    goOn();
    tale.iterate(a, 'worked', 'five', 1000, { usage: spent(1) });
    expect(tale.loop(a).phase, 'a stop is no new allowance').toMatchObject({ reason: 'iterations' });
  });

  it('stays where it is if somebody else took the task up meanwhile', () => {
    const tale = opened({ attempts: 2, consecutiveFailures: 1 });
    const a = tale.begin('a');
    tale.iterate(a, 'failed');
    tale.begin('a');
    expect(whyNotResumed(tale.state(), tale.loop(a))).toBe('taken');
    tale.write({ type: 'loop-resumed', loop: a });
    expect(tale.loop(a).phase).toMatchObject({ reason: 'failures' });
    expect(tale.state().loops[a]?.task).toBe(key('a'));
  });
});
