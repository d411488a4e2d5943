import { describe, expect, it } from 'vitest';
import { GREEN, key, LIMITS, RED, task, tellStory } from '../../test/sim/story.ts';
import type { Story } from '../../test/sim/story.ts';
import { hostId, loopId, sha } from './ids.ts';
import type { LoopId } from './ids.ts';
import type { LimitSettings } from './settings.ts';

function begun(limits: Partial<LimitSettings> = {}): { readonly story: Story; readonly a: LoopId } {
  const story = tellStory();
  story.join('h1', { limits: { ...LIMITS, ...limits } });
  story.read(task('a'));
  return { story, a: story.begin('a') };
}

describe('a loop begins', () => {
  it('once per task: a second claim changes nothing', () => {
    const { story, a } = begun();
    const claim = { type: 'task-claimed', task: key('a'), slot: 2, branch: 'ralph/other', onto: [] } as const;
    story.write({ ...claim, loop: loopId('other'), host: hostId('h1') });
    expect(Object.keys(story.state().loops)).toEqual([a]);
  });

  it('only for a host that is there and a task that is known', () => {
    const story = tellStory();
    story.join('h1');
    story.read(task('a'));
    const claim = { type: 'task-claimed', loop: loopId('x'), slot: 1, branch: 'ralph/x', onto: [] } as const;
    story.write({ ...claim, task: key('a'), host: hostId('nobody') });
    story.write({ ...claim, task: key('unknown'), host: hostId('h1') });
    expect(story.state().loops).toEqual({});
  });
});

describe('an iteration ends', () => {
  it('claimed with a change: the gates are next', () => {
    const { story, a } = begun();
    expect(story.iterate(a, 'claimed', 'new')).toMatchObject({
      phase: { at: 'gating', n: 1 },
      counted: 1,
      tree: 'new',
    });
  });

  it('claimed without a change from the start: not done, and idle', () => {
    const { story, a } = begun();
    expect(story.iterate(a, 'claimed')).toMatchObject({ phase: { at: 'iterating', n: 2 }, idleStreak: 1 });
  });

  it('claimed after an earlier change: done, though nothing was added', () => {
    const { story, a } = begun();
    story.iterate(a, 'worked', 'new');
    expect(story.iterate(a, 'claimed', 'new').phase).toEqual({ at: 'gating', n: 2 });
  });

  it('worked: another iteration, until the limit', () => {
    const { story, a } = begun({ iterations: 3 });
    story.iterate(a, 'worked', 'one');
    story.iterate(a, 'worked', 'two');
    expect(story.iterate(a, 'worked', 'three').phase).toMatchObject({ at: 'parked', reason: 'iterations' });
  });

  it('without progress: parked after that many in a row; a change starts the count again', () => {
    const { story, a } = begun({ noProgress: 2 });
    story.iterate(a, 'worked');
    story.iterate(a, 'worked', 'new');
    story.iterate(a, 'worked');
    expect(story.iterate(a, 'worked').phase).toMatchObject({ at: 'parked', reason: 'no-progress' });
  });

  it('failed or lost: parked after that many in a row; success starts the count again', () => {
    const { story, a } = begun({ consecutiveFailures: 2, noProgress: 9, iterations: 9 });
    story.iterate(a, 'failed');
    story.iterate(a, 'worked');
    story.iterate(a, 'failed');
    const parked = story.iterate(a, 'lost');
    expect(parked.phase).toMatchObject({
      at: 'parked',
      reason: 'failures',
      detail: '2 failures in a row; the agent exited with no code',
    });
    expect(parked.host).toBeNull();
  });

  it('timed out: parked at once, whatever else is left', () => {
    const { story, a } = begun();
    expect(story.iterate(a, 'timed-out', 'new').phase).toMatchObject({ at: 'parked', reason: 'runtime' });
  });

  it('over the runtime by little steps: parked', () => {
    const { story, a } = begun({ runtimeMs: 2500, noProgress: 9 });
    story.iterate(a, 'worked', 'x', 2000);
    expect(story.iterate(a, 'worked', 'y', 2000).phase).toMatchObject({ at: 'parked', reason: 'runtime' });
  });

  it('interrupted: counts for nothing but its time', () => {
    const { story, a } = begun({ iterations: 1, noProgress: 1, consecutiveFailures: 1 });
    const after = story.iterate(a, 'interrupted');
    expect(after).toMatchObject({
      phase: { at: 'iterating', n: 2 },
      counted: 0,
      idleStreak: 0,
      failureStreak: 0,
      usedMs: 1000,
    });
  });

  it('told by a stranger, or twice: nothing changes', () => {
    const { story, a } = begun();
    const before = story.loop(a);
    const fact = {
      type: 'iteration-ended',
      loop: a,
      n: 1,
      outcome: 'claimed',
      head: sha('h'),
      tree: sha('t'),
      said: '',
      exit: 0,
      durationMs: 1,
      swept: 0,
      odd: null,
    } as const;
    story.write({ ...fact, fence: before.fence - 1 });
    story.write({ ...fact, fence: before.fence, n: 2 });
    expect(story.loop(a)).toBe(before);
    story.write({ ...fact, fence: before.fence }, { ...fact, fence: before.fence });
    expect(story.loop(a)).toMatchObject({ counted: 1, phase: { at: 'gating', n: 1 } });
  });
});

describe('gates end', () => {
  it('green: ready, queued where landing is automatic, held by nobody', () => {
    for (const mergePolicy of ['auto_merge', 'manual'] as const) {
      const story = tellStory();
      story.join('h1', { mergePolicy });
      story.read(task('a'));
      const a = story.ready('a');
      expect(story.loop(a)).toMatchObject({ host: null, phase: { at: 'ready', queued: mergePolicy === 'auto_merge' } });
    }
  });

  it('red: the failure is what the next iteration is about, until the limit', () => {
    const { story, a } = begun({ iterations: 2 });
    story.iterate(a, 'claimed', 'one');
    expect(story.gate(a, RED)).toMatchObject({ phase: { at: 'iterating', n: 2 }, lastGate: RED });
    story.iterate(a, 'claimed', 'two');
    expect(story.gate(a, RED).phase).toMatchObject({
      at: 'parked',
      detail: 'not done after 2 iterations; gate still fails: npm test',
    });
  });

  it('speak of what they tested: a commit made since the agent ended is part of the loop', () => {
    const { story, a } = begun();
    const { fence } = story.iterate(a, 'claimed', 'one');
    story.write({
      type: 'gates-ended',
      loop: a,
      fence,
      n: 1,
      head: sha('later'),
      tree: sha('later-tree'),
      report: GREEN,
      durationMs: 1,
    });
    expect(story.loop(a)).toMatchObject({ head: 'later', tree: 'later-tree', phase: { at: 'ready' } });
    expect(story.state().verdicts).toEqual([{ key: 'g:later-tree', verdict: 'green' }]);
  });
});

describe('a worktree is lost', () => {
  it('while the loop works: it is made again and the counters stay', () => {
    const { story, a } = begun();
    story.iterate(a, 'worked', 'one');
    story.write({ type: 'worktree-lost', loop: a });
    expect(story.loop(a)).toMatchObject({
      phase: { at: 'preparing' },
      worktree: null,
      counted: 1,
      tree: 'one',
      base: 'base',
    });
  });

  it('and made again: what counts as a change is still measured from the first base', () => {
    const { story, a } = begun();
    story.iterate(a, 'worked', 'one');
    story.write({ type: 'worktree-lost', loop: a });
    const { fence } = story.loop(a);
    const later = { base: sha('later'), baseTree: sha('later-tree'), head: sha('head-one'), tree: sha('one') };
    story.write({ type: 'worktree-made', loop: a, fence, path: '/w/other', ...later, reused: true });
    expect(story.loop(a)).toMatchObject({
      base: 'base',
      baseTree: 'base-tree',
      worktree: '/w/other',
      phase: { at: 'iterating', n: 2 },
    });
  });

  it('after the loop ended: nothing changes', () => {
    const { story, a } = begun();
    story.iterate(a, 'timed-out');
    const before = story.loop(a);
    story.write({ type: 'worktree-lost', loop: a });
    expect(story.loop(a)).toBe(before);
  });
});

describe('hosts and loops', () => {
  it('a lost host frees its loops; whoever adopts one gets a new fence and the same counters', () => {
    const { story, a } = begun();
    story.iterate(a, 'worked', 'one');
    const { fence } = story.loop(a);
    story.write({ type: 'host-lost', host: hostId('h1') });
    expect(story.loop(a)).toMatchObject({ host: null, phase: { at: 'iterating', n: 2 } });
    story.join('h2');
    story.write({ type: 'loop-adopted', loop: a, host: hostId('h2'), slot: 2 });
    expect(story.loop(a)).toMatchObject({ host: 'h2', slot: 2, counted: 1 });
    expect(story.loop(a).fence).toBeGreaterThan(fence);
    story.write({ type: 'loop-adopted', loop: a, host: hostId('h3'), slot: 1 });
    expect(story.loop(a).host).toBe('h2');
  });

  it('a reset ends the loop, forgets the attempts and the landing', () => {
    const { story, a } = begun();
    story.write({ type: 'task-reset', task: key('a') });
    expect(story.loop(a).phase).toMatchObject({ at: 'parked', reason: 'reset' });
    expect(story.state().attempts).toEqual({});
    const again = story.ready('a');
    story.startLanding(again);
    story.write({ type: 'task-reset', task: key('a') });
    expect(story.state().landing).toBeNull();
  });

  it('a failed command parks its loop, and only its own', () => {
    const { story, a } = begun();
    const { fence } = story.loop(a);
    const failed = { type: 'command-failed', command: 'run-iteration', code: 'E_GIT', message: 'git broke' } as const;
    story.write({ ...failed, loop: a, fence: fence - 1 });
    expect(story.loop(a).phase.at).toBe('iterating');
    story.write({ ...failed, loop: a, fence });
    expect(story.loop(a).phase).toMatchObject({ at: 'parked', reason: 'broken', detail: 'git broke' });
  });

  it('a failed command of a loop leaves a landing begun in the same record alone', () => {
    const story = tellStory();
    story.join('h1');
    story.read(task('a'), task('b'));
    const a = story.ready('a');
    const b = loopId('b-9');
    story.write(
      { type: 'task-claimed', loop: b, task: key('b'), host: hostId('h1'), slot: 1, branch: 'ralph/b-9', onto: [] },
      { type: 'landing-started', item: a, host: hostId('h1') },
    );
    const { fence } = story.loop(b);
    expect(story.state().landing?.fence).toBe(fence);
    story.write({ type: 'task-reset', task: key('b') });
    story.write({ type: 'command-failed', command: 'make-worktree', loop: b, fence, code: 'E_GIT', message: 'late' });
    expect(story.state().landing?.item).toBe(a);
    expect(story.loop(a).phase.at).toBe('ready');
  });
});
