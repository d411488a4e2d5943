import { describe, expect, it } from 'vitest';
import { key, LIMITS, task, tellStory } from '../../test/sim/story.ts';
import type { Story } from '../../test/sim/story.ts';
import { hostId, sha } from './ids.ts';
import type { LoopId } from './ids.ts';
import { wishes } from './wishes.ts';

const H1 = hostId('h1');
const H2 = hostId('h2');
const types = (story: Story, host = H1) => wishes(story.state(), host).map((wish) => wish.type);

function land(story: Story, loop: LoopId, commit = 'c'): void {
  const fence = story.startLanding(loop);
  story.write({ type: 'candidate-contained', fence, commit: sha(commit), base: sha(commit) });
}

function two(publish: 'end' | 'each' | 'manual' = 'end'): Story {
  const story = tellStory();
  story.join('h1', { publish });
  story.join('h2', { publish });
  story.read(task('a'), task('b'));
  return story;
}

describe('wishes', () => {
  it('follow a loop through its phases, for its own host only', () => {
    const story = two();
    story.write({
      type: 'task-claimed',
      loop: 'a-1' as LoopId,
      task: key('a'),
      host: H1,
      slot: 1,
      branch: 'ralph/a-1',
      onto: [],
    });
    expect(types(story)).toEqual(['make-worktree']);
    expect(types(story, H2)).toEqual([]);
    const b = story.begin('b');
    expect(types(story)).toEqual(['make-worktree', 'run-iteration']);
    story.iterate(b, 'claimed', 'new');
    expect(types(story)).toEqual(['make-worktree', 'run-gates']);
  });

  it('carry the same key while nothing changed, and another after an adoption', () => {
    const story = two();
    const a = story.begin('a');
    const before = wishes(story.state(), H1);
    story.read(task('a'), task('b'), task('c'));
    expect(wishes(story.state(), H1)).toEqual(before);
    story.write({ type: 'host-lost', host: H1 });
    story.write({ type: 'loop-adopted', loop: a, host: H2, slot: 1 });
    expect(wishes(story.state(), H1)).toEqual([]);
    expect(wishes(story.state(), H2).map((wish) => wish.key)).not.toEqual(before.map((wish) => wish.key));
  });

  it('give an iteration the time that is left, and a pause that grows with each failure', () => {
    const story = tellStory();
    story.join('h1', { limits: { ...LIMITS, runtimeMs: 10_000, consecutiveFailures: 99, iterations: 99 } });
    story.read(task('a'));
    const a = story.begin('a');
    story.iterate(a, 'worked', 'x', 4000);
    expect(wishes(story.state(), H1)).toMatchObject([{ timeoutMs: 6000, delayMs: 0, n: 2 }]);
    const delays = [1, 2, 3].map(() => {
      story.iterate(a, 'failed', 'x', 1);
      return wishes(story.state(), H1).map((wish) => (wish.type === 'run-iteration' ? wish.delayMs : -1))[0];
    });
    expect(delays).toEqual([500, 1000, 2000]);
    for (let more = 0; more < 20; more += 1) story.iterate(a, 'failed', 'x', 1);
    expect(wishes(story.state(), H1)).toMatchObject([{ delayMs: 60_000 }]);
  });

  it('start a worktree from the heads it builds on that have not landed', () => {
    const story = tellStory();
    story.join('h1', { mergePolicy: 'manual' });
    story.read(task('a'), task('b'));
    const a = story.ready('a');
    story.write({
      type: 'task-claimed',
      loop: 'b-2' as LoopId,
      task: key('b'),
      host: H1,
      slot: 1,
      branch: 'ralph/b-2',
      onto: [a],
    });
    expect(wishes(story.state(), H1)).toMatchObject([{ type: 'make-worktree', onto: [story.loop(a).head] }]);
    story.write({ type: 'landing-requested', items: [{ loop: a, head: story.loop(a).head! }] });
    land(story, a);
    expect(wishes(story.state(), H1)[0]).toMatchObject({ type: 'make-worktree', onto: [] });
  });

  it('follow a landing through its stages, for the host that lands only', () => {
    const story = two();
    const a = story.ready('a');
    const fence = story.startLanding(a);
    expect(types(story)).toEqual(['build-candidate']);
    expect(types(story, H2)).toEqual([]);
    const candidate = {
      base: sha('b'),
      baseTree: sha('bt'),
      commit: sha('c'),
      tree: sha('ct'),
      upstream: false,
      members: [{ loop: a, commit: sha('c') }],
    };
    story.write({ type: 'candidate-built', fence, candidate });
    expect(wishes(story.state(), H1)).toMatchObject([{ type: 'test-candidate', commit: 'c', tree: 'ct' }]);
    const red = { verdict: 'red', failing: 'x', tail: '' } as const;
    story.write({ type: 'candidate-tested', fence, tree: sha('ct'), report: red, durationMs: 1 });
    expect(wishes(story.state(), H1)).toMatchObject([{ type: 'test-candidate', commit: 'b', tree: 'bt' }]);
  });

  it('retire the worktree of a landed loop, once, by one host', () => {
    const story = two('manual');
    const a = story.ready('a');
    land(story, a);
    expect(types(story)).toEqual(['retire-worktree']);
    expect(types(story, H2)).toEqual([]);
    story.write({ type: 'worktree-retired', loop: a });
    expect(types(story)).toEqual([]);
  });

  it('publish each landing, or all at the end, or never', () => {
    for (const [publish, atOnce, inTheEnd] of [
      ['each', 1, 1],
      ['end', 0, 1],
      ['manual', 0, 0],
    ] as const) {
      const story = two(publish);
      const a = story.ready('a');
      const b = story.begin('b');
      land(story, a);
      const published = () => types(story).filter((type) => type === 'publish').length;
      expect([publish, published()]).toEqual([publish, atOnce]);
      story.iterate(b, 'timed-out');
      expect([publish, published()]).toEqual([publish, inTheEnd]);
    }
  });

  it('do not publish what is published, blocked or has to be merged first', () => {
    const story = two('each');
    land(story, story.ready('a'));
    const wished = () => types(story).includes('publish');
    expect(wished()).toBe(true);
    story.write({ type: 'publish-blocked', to: sha('c'), why: 'dirty', paths: ['x'] });
    expect(wished()).toBe(false);
    story.write({ type: 'target-moved', head: sha('t') });
    expect(wished()).toBe(true);
    story.write({ type: 'publish-diverged', to: sha('c') });
    expect(wished()).toBe(false);
    story.write({ type: 'published', to: sha('c') });
    expect(wished()).toBe(false);
  });

  it('are none for a host that drains or is gone', () => {
    const story = two();
    story.begin('a');
    story.write({ type: 'host-draining', host: H1 });
    expect(types(story)).toEqual([]);
    story.write({ type: 'host-left', host: H1 });
    expect(types(story)).toEqual([]);
  });
});
