import { describe, expect, it } from 'vitest';
import { key, LIMITS, RED, task, tellTale, TRAIN } from '../../../test/sim/tale.ts';
import type { Tale } from '../../../test/sim/tale.ts';
import { hostId, sha } from '../model/ids.ts';
import type { LoopId } from '../model/ids.ts';
import { wishes } from './wishes.ts';

const H1 = hostId('h1');
const H2 = hostId('h2');
const types = (tale: Tale, host = H1) => wishes(tale.state(), host).map((wish) => wish.type);

function two(publish: 'end' | 'each' | 'manual' = 'end'): Tale {
  const tale = tellTale();
  tale.join('h1', { publish });
  tale.join('h2', { publish });
  tale.read(task('a'), task('b'));
  return tale;
}

describe('wishes', () => {
  it('follow a loop through its phases, for its own host only', () => {
    const tale = two();
    tale.write({
      type: 'task-claimed',
      loop: 'a-1' as LoopId,
      task: key('a'),
      host: H1,
      slot: 1,
      branch: 'ralph/a-1',
      onto: [],
    });
    expect(types(tale)).toEqual(['make-worktree']);
    expect(types(tale, H2)).toEqual([]);
    const b = tale.begin('b');
    expect(types(tale)).toEqual(['make-worktree', 'run-iteration']);
    tale.iterate(b, 'claimed', 'new');
    expect(types(tale)).toEqual(['make-worktree', 'run-gates']);
  });

  it('carry the same key while nothing changed, and another after an adoption', () => {
    const tale = two();
    const a = tale.begin('a');
    const before = wishes(tale.state(), H1);
    tale.read(task('a'), task('b'), task('c'));
    expect(wishes(tale.state(), H1)).toEqual(before);
    tale.write({ type: 'host-lost', host: H1 });
    tale.write({ type: 'loop-adopted', loop: a, host: H2, slot: 1 });
    expect(wishes(tale.state(), H1)).toEqual([]);
    expect(wishes(tale.state(), H2).map((wish) => wish.key)).not.toEqual(before.map((wish) => wish.key));
  });

  it('give an iteration the time that is left, and a pause that grows with each failure', () => {
    const tale = tellTale();
    tale.join('h1', { limits: { ...LIMITS, runtimeMs: 10_000, consecutiveFailures: 99, iterations: 99 } });
    tale.read(task('a'));
    const a = tale.begin('a');
    tale.iterate(a, 'worked', 'x', 4000);
    expect(wishes(tale.state(), H1)).toMatchObject([{ timeoutMs: 6000, delayMs: 0, n: 2 }]);
    const delays = [1, 2, 3].map(() => {
      tale.iterate(a, 'failed', 'x', 1);
      return wishes(tale.state(), H1).map((wish) => (wish.type === 'run-iteration' ? wish.delayMs : -1))[0];
    });
    expect(delays).toEqual([500, 1000, 2000]);
    for (let more = 0; more < 20; more += 1) tale.iterate(a, 'failed', 'x', 1);
    expect(wishes(tale.state(), H1)).toMatchObject([{ delayMs: 60_000 }]);
  });

  it('start a worktree from the heads it builds on that have not landed', () => {
    const tale = tellTale();
    tale.join('h1', { mergePolicy: 'manual' });
    tale.read(task('a'), task('b'));
    const a = tale.ready('a');
    tale.write({
      type: 'task-claimed',
      loop: 'b-2' as LoopId,
      task: key('b'),
      host: H1,
      slot: 1,
      branch: 'ralph/b-2',
      onto: [a],
    });
    expect(wishes(tale.state(), H1)).toMatchObject([{ type: 'make-worktree', onto: [tale.loop(a).head] }]);
    tale.write({ type: 'landing-requested', items: [{ loop: a, head: tale.loop(a).head! }] });
    tale.land(a);
    expect(wishes(tale.state(), H1)[0]).toMatchObject({ type: 'make-worktree', onto: [] });
  });

  it('follow a train through its stages, for the host that lands only', () => {
    const tale = two();
    const a = tale.ready('a');
    const b = tale.ready('b');
    const fence = tale.startLanding();
    expect(wishes(tale.state(), H1)).toMatchObject([{ type: 'build-train', fence, build: 1, items: [a, b], keep: [] }]);
    expect(types(tale, H2)).toEqual([]);
    tale.build([
      [a, 'c1'],
      [b, 'c2'],
    ]);
    expect(wishes(tale.state(), H1)).toMatchObject([
      { type: 'test-candidate', commit: 'c2', tree: 'c2-tree', again: 0, timeoutMs: null },
    ]);
    tale.test('c2-tree', RED);
    expect(wishes(tale.state(), H1)).toMatchObject([{ type: 'test-candidate', commit: 'c1', tree: 'c1-tree' }]);
    tale.test('c1-tree');
    expect(wishes(tale.state(), H1)).toMatchObject([{ type: 'advance-integration', fence, from: 'main', to: 'c1' }]);
    tale.advance('c1');
    expect(tale.loop(b).phase).toMatchObject({ at: 'parked', reason: 'red' });
    expect(types(tale)).toEqual(['retire-worktree', 'publish']);
  });

  it('run the gates of a train again under another key, and with a time limit from past runs where that is wanted', () => {
    const tale = tellTale();
    tale.join('h1', { gateTimeoutAuto: true, train: { ...TRAIN, flakeRetries: 1 } });
    tale.read(task('a'), task('b'));
    const a = tale.ready('a');
    tale.startLanding();
    tale.build([[a, 'c']]);
    const [first] = wishes(tale.state(), H1);
    tale.test('c-tree', RED);
    const [second] = wishes(tale.state(), H1);
    expect([first?.type, second?.type]).toEqual(['test-candidate', 'test-candidate']);
    expect(second?.key).not.toBe(first?.key);
    expect(second).toMatchObject({ timeoutMs: null });
    const known = { ...tale.state(), pace: { aloneMs: [50_000, 70_000], besideMs: [] } };
    expect(wishes(known, H1)).toMatchObject([{ timeoutMs: 210_000 }]);
  });

  it('bring main into the worktree of a loop that was sent back, before its next iteration', () => {
    const tale = tellTale();
    tale.join('h1', { train: { ...TRAIN, onConflict: 'requeue' } });
    tale.read(task('a'));
    const a = tale.ready('a');
    tale.startLanding();
    tale.build([], { clashes: [{ loop: a, main: true, paths: ['x'], with: [] }] });
    tale.sendBack(a);
    expect(types(tale)).toEqual([]);
    tale.write({ type: 'loop-adopted', loop: a, host: H1, slot: 1 });
    expect(wishes(tale.state(), H1)).toMatchObject([{ type: 'update-worktree', loop: a, n: 2 }]);
    tale.mergeMain(a, ['x']);
    expect(wishes(tale.state(), H1)).toMatchObject([{ type: 'run-iteration', loop: a, n: 2 }]);
  });

  it('retire the worktree of a landed loop, once, by one host', () => {
    const tale = two('manual');
    const a = tale.ready('a');
    tale.land(a);
    expect(types(tale)).toEqual(['retire-worktree']);
    expect(types(tale, H2)).toEqual([]);
    tale.write({ type: 'worktree-retired', loop: a });
    expect(types(tale)).toEqual([]);
  });

  it('publish each landing, or all at the end, or never', () => {
    for (const [publish, atOnce, inTheEnd] of [
      ['each', 1, 1],
      ['end', 0, 1],
      ['manual', 0, 0],
    ] as const) {
      const tale = two(publish);
      const a = tale.ready('a');
      const b = tale.begin('b');
      tale.land(a);
      const published = () => types(tale).filter((type) => type === 'publish').length;
      expect([publish, published()]).toEqual([publish, atOnce]);
      tale.iterate(b, 'timed-out');
      expect([publish, published()]).toEqual([publish, inTheEnd]);
    }
  });

  it('do not publish what is published, blocked or has to be merged first', () => {
    const tale = two('each');
    tale.land(tale.ready('a'));
    const wished = () => types(tale).includes('publish');
    expect(wished()).toBe(true);
    tale.write({ type: 'publish-blocked', to: sha('c'), why: 'dirty', paths: ['x'] });
    expect(wished()).toBe(false);
    tale.write({ type: 'target-moved', head: sha('t') });
    expect(wished()).toBe(true);
    tale.write({ type: 'publish-diverged', to: sha('c') });
    expect(wished()).toBe(false);
    tale.write({ type: 'published', to: sha('c') });
    expect(wished()).toBe(false);
  });

  it('are none for a host that drains or is gone', () => {
    const tale = two();
    tale.begin('a');
    tale.write({ type: 'host-draining', host: H1 });
    expect(types(tale)).toEqual([]);
    tale.write({ type: 'host-left', host: H1 });
    expect(types(tale)).toEqual([]);
  });
});
