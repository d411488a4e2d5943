import { describe, expect, it } from 'vitest';
import { GREEN, key, LIMITS, RED, task, tellTale } from '../../../test/sim/tale.ts';
import type { Tale } from '../../../test/sim/tale.ts';
import { hostId, loopId, sha } from '../model/ids.ts';
import type { LoopId } from '../model/ids.ts';
import type { LimitSettings } from '../model/settings.ts';
import { NO_USAGE } from '../model/usage.ts';

function begun(limits: Partial<LimitSettings> = {}): { readonly tale: Tale; readonly a: LoopId } {
  const tale = tellTale();
  tale.join('h1', { limits: { ...LIMITS, ...limits } });
  tale.read(task('a'));
  return { tale, a: tale.begin('a') };
}

describe('a loop begins', () => {
  it('once per task: a second claim changes nothing', () => {
    const { tale, a } = begun();
    const claim = { type: 'task-claimed', task: key('a'), slot: 2, branch: 'ralph/other', onto: [] } as const;
    tale.write({ ...claim, loop: loopId('other'), host: hostId('h1') });
    expect(Object.keys(tale.state().loops)).toEqual([a]);
  });

  it('only for a host that is there and a task that is known', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'));
    const claim = { type: 'task-claimed', loop: loopId('x'), slot: 1, branch: 'ralph/x', onto: [] } as const;
    tale.write({ ...claim, task: key('a'), host: hostId('nobody') });
    tale.write({ ...claim, task: key('unknown'), host: hostId('h1') });
    expect(tale.state().loops).toEqual({});
  });
});

describe('an iteration ends', () => {
  it('claimed with a change: the gates are next', () => {
    const { tale, a } = begun();
    expect(tale.iterate(a, 'claimed', 'new')).toMatchObject({
      phase: { at: 'gating', n: 1 },
      counted: 1,
      tree: 'new',
    });
  });

  it('claimed without a change from the start: not done, and idle', () => {
    const { tale, a } = begun();
    expect(tale.iterate(a, 'claimed')).toMatchObject({ phase: { at: 'iterating', n: 2 }, idleStreak: 1 });
  });

  it('claimed after an earlier change: done, though nothing was added', () => {
    const { tale, a } = begun();
    tale.iterate(a, 'worked', 'new');
    expect(tale.iterate(a, 'claimed', 'new').phase).toEqual({ at: 'gating', n: 2 });
  });

  it('worked: another iteration, until the limit', () => {
    const { tale, a } = begun({ iterations: 3 });
    tale.iterate(a, 'worked', 'one');
    tale.iterate(a, 'worked', 'two');
    expect(tale.iterate(a, 'worked', 'three').phase).toMatchObject({ at: 'parked', reason: 'iterations' });
  });

  it('without progress: parked after that many in a row; a change starts the count again', () => {
    const { tale, a } = begun({ noProgress: 2 });
    tale.iterate(a, 'worked');
    tale.iterate(a, 'worked', 'new');
    tale.iterate(a, 'worked');
    expect(tale.iterate(a, 'worked').phase).toMatchObject({ at: 'parked', reason: 'no-progress' });
  });

  it('failed or lost: parked after that many in a row; success starts the count again', () => {
    const { tale, a } = begun({ consecutiveFailures: 2, noProgress: 9, iterations: 9 });
    tale.iterate(a, 'failed');
    tale.iterate(a, 'worked');
    tale.iterate(a, 'failed');
    const parked = tale.iterate(a, 'lost');
    expect(parked.phase).toMatchObject({
      at: 'parked',
      reason: 'failures',
      detail: '2 failures in a row; scripted exited with no code',
    });
    expect(parked.host).toBeNull();
  });

  it('timed out: parked at once, whatever else is left', () => {
    const { tale, a } = begun();
    expect(tale.iterate(a, 'timed-out', 'new').phase).toMatchObject({ at: 'parked', reason: 'runtime' });
  });

  it('over the runtime by little steps: parked', () => {
    const { tale, a } = begun({ runtimeMs: 2500, noProgress: 9 });
    tale.iterate(a, 'worked', 'x', 2000);
    expect(tale.iterate(a, 'worked', 'y', 2000).phase).toMatchObject({ at: 'parked', reason: 'runtime' });
  });

  it('interrupted: counts for nothing but its time', () => {
    const { tale, a } = begun({ iterations: 1, noProgress: 1, consecutiveFailures: 1 });
    const after = tale.iterate(a, 'interrupted');
    expect(after).toMatchObject({
      phase: { at: 'iterating', n: 2 },
      counted: 0,
      idleStreak: 0,
      failureStreak: 0,
      usedMs: 1000,
    });
  });

  it('told by a stranger, or twice: nothing changes', () => {
    const { tale, a } = begun();
    const before = tale.loop(a);
    const fact = {
      type: 'iteration-ended',
      loop: a,
      n: 1,
      outcome: 'claimed',
      head: sha('h'),
      tree: sha('t'),
      said: '',
      exit: 0,
      agent: 'scripted',
      account: 'scripted',
      usage: NO_USAGE,
      failure: null,
      hold: null,
      guided: 0,
      durationMs: 1,
      swept: 0,
      odd: null,
      breach: null,
    } as const;
    tale.write({ ...fact, fence: before.fence - 1 });
    tale.write({ ...fact, fence: before.fence, n: 2 });
    expect(tale.loop(a)).toBe(before);
    tale.write({ ...fact, fence: before.fence }, { ...fact, fence: before.fence });
    expect(tale.loop(a)).toMatchObject({ counted: 1, phase: { at: 'gating', n: 1 } });
  });
});

describe('gates end', () => {
  it('green: ready, queued where landing is automatic, held by nobody', () => {
    for (const mergePolicy of ['auto_merge', 'manual'] as const) {
      const tale = tellTale();
      tale.join('h1', { mergePolicy });
      tale.read(task('a'));
      const a = tale.ready('a');
      expect(tale.loop(a)).toMatchObject({ host: null, phase: { at: 'ready', queued: mergePolicy === 'auto_merge' } });
    }
  });

  it('red: the failure is what the next iteration is about, until the limit', () => {
    const { tale, a } = begun({ iterations: 2 });
    tale.iterate(a, 'claimed', 'one');
    expect(tale.gate(a, RED)).toMatchObject({ phase: { at: 'iterating', n: 2 }, lastGate: RED });
    tale.iterate(a, 'claimed', 'two');
    expect(tale.gate(a, RED).phase).toMatchObject({
      at: 'parked',
      detail: 'not done after 2 iterations; gate still fails: npm test: one failed',
    });
  });

  it('speak of what they tested: a commit made since the agent ended is part of the loop', () => {
    const { tale, a } = begun();
    const { fence } = tale.iterate(a, 'claimed', 'one');
    tale.write({
      type: 'gates-ended',
      loop: a,
      fence,
      n: 1,
      head: sha('later'),
      tree: sha('later-tree'),
      tested: sha('later-tree-ticked'),
      report: GREEN,
      durationMs: 1,
      protected: [],
      changed: [],
    });
    expect(tale.loop(a)).toMatchObject({ head: 'later', tree: 'later-tree', phase: { at: 'ready' } });
    expect(tale.state().verdicts).toEqual([{ key: 'g:later-tree-ticked', verdict: 'green' }]);
  });
});

describe('a worktree is lost', () => {
  it('while the loop works: it is made again and the counters stay', () => {
    const { tale, a } = begun();
    tale.iterate(a, 'worked', 'one');
    tale.write({ type: 'worktree-lost', loop: a });
    expect(tale.loop(a)).toMatchObject({
      phase: { at: 'preparing' },
      worktree: null,
      counted: 1,
      tree: 'one',
      base: 'base',
    });
  });

  it('that is a checkout of a person: it is theirs to make again, and the loop is put aside', () => {
    const tale = tellTale();
    tale.join('h1', { place: { at: 'checkout', path: '/c', branch: 'topic' } });
    tale.read(task('a'));
    const a = tale.begin('a');
    tale.write({ type: 'worktree-lost', loop: a });
    expect(tale.loop(a).phase).toMatchObject({ at: 'parked', reason: 'broken', detail: 'its checkout /c is gone' });
  });

  it('and made again: what counts as a change is still measured from the first base', () => {
    const { tale, a } = begun();
    tale.iterate(a, 'worked', 'one');
    tale.write({ type: 'worktree-lost', loop: a });
    const { fence } = tale.loop(a);
    const later = { base: sha('later'), baseTree: sha('later-tree'), head: sha('head-one'), tree: sha('one') };
    tale.write({ type: 'worktree-made', loop: a, fence, path: '/w/other', ...later, reused: true });
    expect(tale.loop(a)).toMatchObject({
      base: 'base',
      baseTree: 'base-tree',
      worktree: '/w/other',
      phase: { at: 'iterating', n: 2 },
    });
  });

  it('after the loop ended: nothing changes', () => {
    const { tale, a } = begun();
    tale.iterate(a, 'timed-out');
    const before = tale.loop(a);
    tale.write({ type: 'worktree-lost', loop: a });
    expect(tale.loop(a)).toBe(before);
  });
});

describe('hosts and loops', () => {
  it('a lost host frees its loops; whoever adopts one gets a new fence and the same counters', () => {
    const { tale, a } = begun();
    tale.iterate(a, 'worked', 'one');
    const { fence } = tale.loop(a);
    tale.write({ type: 'host-lost', host: hostId('h1') });
    expect(tale.loop(a)).toMatchObject({ host: null, phase: { at: 'iterating', n: 2 } });
    tale.join('h2');
    tale.write({ type: 'loop-adopted', loop: a, host: hostId('h2'), slot: 2 });
    expect(tale.loop(a)).toMatchObject({ host: 'h2', slot: 2, counted: 1 });
    expect(tale.loop(a).fence).toBeGreaterThan(fence);
    tale.write({ type: 'loop-adopted', loop: a, host: hostId('h3'), slot: 1 });
    expect(tale.loop(a).host).toBe('h2');
  });

  it('a reset ends the loop, forgets the attempts and the landing', () => {
    const { tale, a } = begun();
    tale.write({ type: 'task-reset', task: key('a') });
    expect(tale.loop(a).phase).toMatchObject({ at: 'parked', reason: 'reset' });
    expect(tale.state().attempts).toEqual({});
    const again = tale.ready('a');
    tale.startLanding();
    tale.build([[again, 'c']]);
    tale.write({ type: 'task-reset', task: key('a') });
    expect(tale.state().landing).toBeNull();
  });

  it('a failed command parks its loop, and only its own', () => {
    const { tale, a } = begun();
    const { fence } = tale.loop(a);
    const failed = { type: 'command-failed', command: 'run-iteration', code: 'E_GIT', message: 'git broke' } as const;
    tale.write({ ...failed, loop: a, fence: fence - 1 });
    expect(tale.loop(a).phase.at).toBe('iterating');
    tale.write({ ...failed, loop: a, fence });
    expect(tale.loop(a).phase).toMatchObject({ at: 'parked', reason: 'broken', detail: 'git broke' });
  });

  it('a failed command of a loop leaves a landing begun in the same record alone', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'), task('b'));
    const a = tale.ready('a');
    const b = loopId('b-9');
    tale.write(
      { type: 'task-claimed', loop: b, task: key('b'), host: hostId('h1'), slot: 1, branch: 'ralph/b-9', onto: [] },
      { type: 'landing-started', host: hostId('h1') },
    );
    const { fence } = tale.loop(b);
    expect(tale.state().landing?.fence).toBe(fence);
    tale.write({ type: 'task-reset', task: key('b') });
    tale.write({ type: 'command-failed', command: 'make-worktree', loop: b, fence, code: 'E_GIT', message: 'late' });
    expect(tale.state().landing?.fence).toBe(fence);
    expect(tale.loop(a).phase.at).toBe('ready');
  });
});
