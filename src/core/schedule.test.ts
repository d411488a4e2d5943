import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { key, task, tellStory } from '../../test/sim/story.ts';
import { hostId } from './ids.ts';
import { schedule, isSpent } from './schedule.ts';
import type { Story } from '../../test/sim/story.ts';

const ME = hostId('h1');
const starts = (story: Story, host = ME) => schedule(story.state(), host).starts.map((start) => start.task);
const waits = (story: Story) =>
  Object.fromEntries(schedule(story.state(), ME).waits.map(({ task: one, waiting }) => [one.id, waiting]));

describe('schedule', () => {
  it('fills every free slot at once and says that the rest waits for one', () => {
    const story = tellStory();
    story.join('h1', { slots: 2 });
    story.read(task('a'), task('b'), task('c'));
    expect(schedule(story.state(), ME).starts).toEqual([
      { task: key('a'), slot: 1, onto: [] },
      { task: key('b'), slot: 2, onto: [] },
    ]);
    expect(waits(story)).toEqual({ c: { why: 'slots' } });
    story.begin('a', { slot: 1 });
    expect(schedule(story.state(), ME).starts).toEqual([{ task: key('b'), slot: 2, onto: [] }]);
  });

  it('takes low priority numbers first, then the order of the file, then what has none', () => {
    const story = tellStory();
    story.join('h1', { slots: 9 });
    story.read(
      task('plain'),
      task('two', { priority: 2 }),
      task('one', { priority: 1 }),
      task('also', { priority: 2 }),
    );
    expect(starts(story)).toEqual([key('one'), key('two'), key('also'), key('plain')]);
  });

  it('never runs two tasks of a group at once, also within one plan', () => {
    const story = tellStory();
    story.join('h1', { slots: 9 });
    story.read(task('a', { group: 'auth' }), task('b', { group: 'auth' }), task('ui', { group: 'ui' }));
    expect(starts(story)).toEqual([key('a'), key('ui')]);
    expect(waits(story)['b']).toEqual({ why: 'group', group: 'auth', behind: 'a' });
    const a = story.ready('a');
    expect(waits(story)['b']).toEqual({ why: 'group', group: 'auth', behind: 'a' });
    story.write({ type: 'landing-started', item: a, host: ME });
    story.write({
      type: 'candidate-contained',
      fence: story.state().seq,
      commit: story.loop(a).head!,
      base: story.loop(a).head!,
    });
    expect(starts(story)).toEqual([key('b'), key('ui')]);
  });

  it('keeps a group busy when the task was taken out of the file or moved to another group', () => {
    const story = tellStory();
    story.join('h1', { slots: 9 });
    story.read(task('a', { group: 'auth' }), task('b', { group: 'auth' }));
    story.begin('a');
    story.read(task('b', { group: 'auth' }));
    expect(starts(story)).toEqual([]);
    story.read(task('a', { group: 'ui' }), task('b', { group: 'auth' }), task('c', { group: 'ui' }));
    expect(starts(story)).toEqual([]);
  });

  it('treats tasks without a group as one group under strategy group only', () => {
    for (const [strategy, count] of [
      ['queue', 2],
      ['group', 1],
    ] as const) {
      const story = tellStory();
      story.join('h1', { slots: 9, strategy });
      story.read(task('a'), task('b'));
      expect(starts(story)).toHaveLength(count);
    }
  });

  it('starts a task when its dependencies have landed or are done in the file', () => {
    const story = tellStory();
    story.join('h1', { slots: 9 });
    story.read(task('a'), task('done', { status: 'done' }), task('b', { deps: ['a', 'done', 'nowhere'] }));
    expect(waits(story)['b']).toEqual({ why: 'dependency', on: ['a', 'nowhere'] });
    const a = story.ready('a');
    story.read(task('a'), task('b', { deps: ['a'] }));
    expect(waits(story)['b']).toEqual({ why: 'dependency', on: ['a'] });
    const fence = story.startLanding(a);
    story.write({ type: 'candidate-contained', fence, commit: story.loop(a).head!, base: story.loop(a).head! });
    expect(starts(story)).toEqual([key('b')]);
  });

  it('starts from the ready branches it builds on where a person lands by hand', () => {
    const story = tellStory();
    story.join('h1', { slots: 9, mergePolicy: 'manual' });
    story.read(
      task('dep'),
      task('first', { group: 'g' }),
      task('second', { group: 'g' }),
      task('b', { deps: ['dep'], group: 'g' }),
    );
    const dep = story.ready('dep');
    const first = story.ready('first');
    const second = story.ready('second', { onto: [first] });
    expect(schedule(story.state(), ME).starts).toEqual([{ task: key('b'), slot: 1, onto: [dep, second] }]);
  });

  it('says why each task waits', () => {
    const story = tellStory();
    story.join('h1', { slots: 3, mergePolicy: 'manual' });
    story.read(
      task('held'),
      task('ready'),
      task('parked'),
      task('blocked', { status: 'blocked', blockedReason: 'asks' }),
      task('ticked', { status: 'done' }),
    );
    const held = story.begin('held', { slot: 1 });
    const ready = story.ready('ready', { slot: 2 });
    const parked = story.begin('parked', { slot: 2 });
    story.iterate(parked, 'timed-out');
    expect(waits(story)).toEqual({
      held: { why: 'held', loop: held },
      ready: { why: 'ready', loop: ready },
      parked: { why: 'parked', loop: parked },
      blocked: { why: 'blocked', reason: 'asks' },
      ticked: { why: 'done' },
    });
  });

  it('tries a parked task again while attempts are left, and after a reset', () => {
    const story = tellStory();
    story.join('h1', { limits: { ...story.join('h1').hosts[ME]!.policy.limits, attempts: 2 } });
    story.read(task('a'));
    story.iterate(story.begin('a'), 'timed-out');
    expect(starts(story)).toEqual([key('a')]);
    story.iterate(story.begin('a'), 'timed-out');
    expect(starts(story)).toEqual([]);
    story.write({ type: 'task-reset', task: key('a') });
    expect(starts(story)).toEqual([key('a')]);
  });

  it('goes by the order of the log when a clock went back', () => {
    const story = tellStory();
    story.join('h1', { limits: { ...story.join('h1').hosts[ME]!.policy.limits, attempts: 3 } });
    story.read(task('a'));
    story.iterate(story.begin('a'), 'timed-out');
    const second = story.begin('a');
    const state = story.state();
    const early = { ...state, loops: { ...state.loops, [second]: { ...story.loop(second), claimedAt: 1 } } };
    expect(schedule(early, ME).starts).toEqual([]);
  });

  it('adopts what nobody holds before it starts anything new', () => {
    const story = tellStory();
    story.join('h2');
    story.read(task('a'), task('b'));
    const a = story.begin('a', { host: 'h2', slot: 2 });
    story.write({ type: 'host-lost', host: hostId('h2') });
    story.join('h1', { slots: 1 });
    expect(schedule(story.state(), ME)).toMatchObject({ adopts: [{ loop: a, slot: 1 }], starts: [] });
    expect(isSpent(story.state(), ME)).toBe(false);
  });

  it('gives nothing to a host that drains, is unknown or has no slot', () => {
    const story = tellStory();
    story.join('h1');
    story.join('lander', { slots: 0 });
    story.read(task('a'));
    expect(starts(story, hostId('lander'))).toEqual([]);
    expect(starts(story, hostId('nobody'))).toEqual([]);
    story.write({ type: 'host-draining', host: ME });
    expect(starts(story)).toEqual([]);
  });

  it('keeps to slots, groups and dependencies whatever the tasks', () => {
    const tasks = fc.array(
      fc.record({
        group: fc.constantFrom(null, 'x', 'y'),
        deps: fc.array(fc.nat(9), { maxLength: 2 }),
        priority: fc.option(fc.nat(3)),
        done: fc.boolean(),
      }),
      { maxLength: 10 },
    );
    fc.assert(
      fc.property(
        tasks,
        fc.integer({ min: 0, max: 4 }),
        fc.constantFrom('queue', 'group'),
        (drafts, slots, strategy) => {
          const story = tellStory();
          story.join('h1', { slots, strategy: strategy as 'queue' | 'group' });
          const all = drafts.map(({ group, deps, priority, done }, index) =>
            task(`t${index}`, { group, priority, status: done ? 'done' : 'open', deps: deps.map((dep) => `t${dep}`) }),
          );
          story.read(...all);
          const plan = schedule(story.state(), ME);
          const begun = all.filter((one) => plan.starts.some((start) => start.task === key(one.id)));
          const groups = begun.map((one) => one.group ?? (strategy === 'group' ? '' : one.id));
          expect(new Set(groups).size).toBe(groups.length);
          expect(
            begun.every((one) =>
              one.deps.every((dep) => all.some((other) => other.id === dep && other.status === 'done')),
            ),
          ).toBe(true);
          expect(plan.starts.length).toBeLessThanOrEqual(slots);
          expect(plan.starts.length + plan.waits.length).toBe(all.length);
          const isFull = plan.starts.length === slots;
          expect(isFull || plan.waits.every(({ waiting }) => waiting.why !== 'slots')).toBe(true);
        },
      ),
    );
  });
});

describe('isSpent', () => {
  it('waits for the loops of others, for the landing and for the queue', () => {
    const story = tellStory();
    story.join('h1');
    story.join('h2');
    story.read(task('a'));
    const a = story.begin('a', { host: 'h2' });
    expect(isSpent(story.state(), ME)).toBe(false);
    story.iterate(a, 'claimed', 'tree');
    story.gate(a, { verdict: 'green', failing: null, tail: '' });
    expect(isSpent(story.state(), ME)).toBe(false);
    const fence = story.startLanding(a, 'h2');
    expect(isSpent(story.state(), ME)).toBe(false);
    story.write({ type: 'candidate-contained', fence, commit: story.loop(a).head!, base: story.loop(a).head! });
    expect(isSpent(story.state(), ME)).toBe(true);
  });

  it('does not wait for what only a person can change', () => {
    const story = tellStory();
    story.join('h1');
    story.read(task('a'));
    const a = story.ready('a');
    const fence = story.startLanding(a);
    story.write({ type: 'candidate-conflicted', fence, upstream: true, base: story.loop(a).head!, paths: ['x'] });
    expect(isSpent(story.state(), ME)).toBe(true);
    expect(isSpent(story.state(), hostId('gone'))).toBe(true);
  });
});
