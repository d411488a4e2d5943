import { describe, expect, it } from 'vitest';
import { GREEN, LIMITS, RED, spent, task, tellTale, TRAIN } from '../../../test/sim/tale.ts';
import type { Tale } from '../../../test/sim/tale.ts';
import { hostId, sha } from '../model/ids.ts';
import type { LoopId } from '../model/ids.ts';
import { boarding } from './landing-queue.ts';
import type { HostPolicy, TrainPolicy } from '../model/model.ts';
import { conflictsToMend } from './rework.ts';

const ME = hostId('h1');

function scene(
  train: Partial<TrainPolicy> = {},
  policy: Partial<HostPolicy> = {},
): { readonly tale: Tale; readonly a: LoopId; readonly b: LoopId; readonly c: LoopId } {
  const tale = tellTale();
  tale.join('h1', { train: { ...TRAIN, onConflict: 'requeue', ...train }, ...policy });
  tale.read(task('a'), task('b'), task('c'));
  return { tale, a: tale.ready('a'), b: tale.ready('b'), c: tale.ready('c') };
}

/** A build in which each of these does not merge with main in these files. */
function clash(tale: Tale, ...clashes: readonly (readonly [LoopId, readonly string[]])[]): void {
  tale.startLanding();
  tale.build([], {
    clashes: clashes.map(([loop, paths]) => ({ loop, main: true, paths, with: [] })),
  });
}

/** A clash that is sent back, taken up again and has main brought in. */
function mend(tale: Tale, id: LoopId, conflicts: readonly string[] = ['x']): void {
  clash(tale, [id, ['x']]);
  tale.sendBack(id);
  tale.write({ type: 'loop-adopted', loop: id, host: ME, slot: 1 });
  tale.mergeMain(id, conflicts);
}

describe('work with a commit that git does not allow', () => {
  it('goes back with the reason, or to a person where nobody mends; the others ride on', () => {
    for (const onConflict of ['requeue', 'stop'] as const) {
      const { tale, a, b } = scene({ onConflict });
      tale.startLanding();
      tale.build([[b, 'c1']], { flawed: [{ loop: a, why: 'hasDotgit' }] });
      const { phase, lastGate, rework } = tale.loop(a);
      expect(lastGate).toMatchObject({ verdict: 'red', tail: expect.stringMatching(/^hasDotgit\n/) as string });
      expect(tale.state().landing?.cars).toHaveLength(1);
      if (onConflict === 'requeue') expect([phase.at, rework?.kind]).toEqual(['updating', 'red']);
      else expect(phase).toMatchObject({ at: 'parked', reason: 'red' });
    }
  });
});

describe('work that does not merge with main', () => {
  it('stays in the queue until one of those that conflict in the same files is sent back', () => {
    const { tale, a, b, c } = scene();
    clash(tale, [a, ['x']], [b, ['x', 'y']], [c, ['z']]);
    expect(boarding(tale.state(), 9)).toEqual([]);
    expect(conflictsToMend(tale.state(), ME)).toEqual([a, c]);
    tale.sendBack(a);
    expect(conflictsToMend(tale.state(), ME)).toEqual([c]);
    expect(tale.loop(a)).toMatchObject({
      host: null,
      clash: null,
      phase: { at: 'updating', n: 2 },
      rework: { kind: 'conflict', times: 1, by: 'owner', paths: ['x'], before: null, merged: null },
    });
    expect(tale.loop(b).phase.at).toBe('ready');
  });

  it('waits for who is about to land the same files, but not for who waits for it', () => {
    const tale = tellTale();
    tale.join('h1', { train: { ...TRAIN, onConflict: 'requeue' } });
    tale.read(task('a'), task('b'));
    const a = tale.ready('a');
    const b = tale.begin('b');
    tale.iterate(b, 'claimed', 'tree-of-b');
    tale.gate(b, GREEN, [], ['x']);
    tale.startLanding();
    tale.build([[b, 'c1']], { clashes: [{ loop: a, main: true, paths: ['x'], with: [] }] });
    expect(conflictsToMend(tale.state(), ME)).toEqual([]);
    tale.write({ type: 'queue-paused' }, { type: 'queue-resumed' });
    tale.startLanding();
    const implied = [{ loop: b, onto: [a] }];
    tale.build([], { implied, clashes: [{ loop: a, main: true, paths: ['x'], with: [] }] });
    expect(conflictsToMend(tale.state(), ME)).toEqual([a]);
  });

  it('may ride again as soon as integration is another one', () => {
    const { tale, a, b, c } = scene();
    clash(tale, [a, ['x']], [b, ['x']], [c, ['x']]);
    tale.write({ type: 'integration-moved', head: sha('other') });
    expect(boarding(tale.state(), 9)).toEqual([a, b, c]);
    expect(conflictsToMend(tale.state(), ME)).toEqual([]);
  });

  it('is sent back once: a second word changes nothing, and who did not clash is not sent', () => {
    const { tale, a, b, c } = scene();
    clash(tale, [a, ['x']], [b, ['y']], [c, ['z']]);
    tale.sendBack(a);
    const once = tale.loop(a);
    expect(tale.sendBack(a)).toBe(once);
    tale.write({ type: 'integration-moved', head: sha('other') });
    tale.startLanding();
    tale.build([[b, 'c1']]);
    expect(tale.sendBack(b).phase.at).toBe('ready');
  });

  it('is put aside at once where nobody shall mend it, or after that many times', () => {
    const stop = scene({ onConflict: 'stop' });
    clash(stop.tale, [stop.a, ['x']]);
    expect(stop.tale.loop(stop.a).phase).toMatchObject({ at: 'parked', reason: 'conflict', paths: ['x'] });
    const { tale, a } = scene({ maxAttempts: 1 });
    mend(tale, a);
    tale.iterate(a, 'claimed', 'mended');
    tale.gate(a, GREEN);
    expect(tale.loop(a)).toMatchObject({ phase: { at: 'ready' }, rework: { times: 1 } });
    clash(tale, [a, ['x']]);
    expect(tale.loop(a).phase).toMatchObject({ at: 'parked', reason: 'conflict' });
  });

  it('that no host may mend any more does not stay in the queue for ever', () => {
    const { tale, a } = scene();
    clash(tale, [a, ['x']]);
    tale.write({ type: 'host-lost', host: ME });
    tale.join('h2', { train: { ...TRAIN, onConflict: 'stop' } });
    const h2 = hostId('h2');
    expect(conflictsToMend(tale.state(), h2)).toEqual([a]);
    expect(tale.sendBack(a, 'h2').phase).toMatchObject({ at: 'parked', reason: 'conflict', paths: ['x'] });
  });

  it('goes to the agent for conflicts where there is one', () => {
    const { tale, a } = scene({ onConflict: 'ai_resolve' });
    clash(tale, [a, ['x']]);
    expect(tale.sendBack(a).rework?.by).toBe('resolver');
  });
});

describe('a loop that was sent back', () => {
  it('iterates where main left markers, and is gated at once where it merged by itself', () => {
    const { tale, a } = scene();
    mend(tale, a);
    expect(tale.loop(a)).toMatchObject({
      phase: { at: 'iterating', n: 2 },
      base: 'main',
      baseTree: 'main-tree',
      head: `merged-${a}`,
      rework: { paths: ['x'], before: 'head-tree-of-a-1', merged: `merged-${a}` },
    });
    const other = scene();
    mend(other.tale, other.a, []);
    expect(other.tale.loop(other.a).phase).toEqual({ at: 'gating', n: 1 });
    expect(other.tale.gate(other.a, RED).phase).toEqual({ at: 'iterating', n: 2 });
  });

  it('has iterations of its own, and what is told when they are used up is what was wrong', () => {
    const { tale, a } = scene({}, { limits: { ...LIMITS, iterations: 2 } });
    mend(tale, a);
    tale.iterate(a, 'worked', 'one');
    expect(tale.loop(a).phase).toEqual({ at: 'iterating', n: 3 });
    tale.iterate(a, 'worked', 'two');
    expect(tale.loop(a).phase).toMatchObject({ at: 'parked', reason: 'conflict', paths: ['x'] });
  });

  it('gets no further iteration when its budget is spent', () => {
    const tale = tellTale();
    tale.join('h1', { train: { ...TRAIN, onConflict: 'requeue' }, limits: { ...LIMITS, maxCostUsd: 1 } });
    tale.read(task('a'));
    const a = tale.begin('a');
    tale.iterate(a, 'claimed', 'one', 1, { usage: spent(1) });
    tale.gate(a, GREEN);
    mend(tale, a);
    expect(tale.loop(a).phase).toMatchObject({ at: 'parked', reason: 'budget' });
  });

  it('starts with no streak of idleness or failures', () => {
    const { tale, a } = scene({}, { limits: { ...LIMITS, noProgress: 2 } });
    mend(tale, a);
    expect(tale.loop(a)).toMatchObject({ idleStreak: 0, failureStreak: 0 });
    tale.iterate(a, 'worked');
    expect(tale.loop(a).phase.at).toBe('iterating');
  });

  it('brings main in after its worktree was lost and made again, once', () => {
    const { tale, a } = scene();
    clash(tale, [a, ['x']]);
    tale.sendBack(a);
    tale.write({ type: 'loop-adopted', loop: a, host: ME, slot: 1 });
    const make = (): void => {
      tale.write({ type: 'worktree-lost', loop: a });
      const { fence, head, tree } = tale.loop(a);
      const made = { base: sha('b'), baseTree: sha('bt'), head: head!, tree: tree!, path: '/w/again' };
      tale.write({ type: 'worktree-made', loop: a, fence, ...made, reused: false });
    };
    make();
    expect(tale.loop(a).phase).toEqual({ at: 'updating', n: 2 });
    tale.mergeMain(a, ['x']);
    make();
    expect(tale.loop(a).phase).toEqual({ at: 'iterating', n: 2 });
  });

  it('is not changed by a stranger’s merge of main', () => {
    const { tale, a } = scene();
    clash(tale, [a, ['x']]);
    tale.sendBack(a);
    tale.mergeMain(a);
    expect(tale.loop(a).phase.at).toBe('updating');
    const { fence } = tale.loop(a);
    tale.write({ type: 'loop-adopted', loop: a, host: ME, slot: 1 });
    const merged = { base: sha('m'), baseTree: sha('mt'), before: sha('x'), head: sha('h'), tree: sha('t') };
    tale.write({ type: 'main-merged', loop: a, fence, n: 2, ...merged, conflicts: [] });
    expect(tale.loop(a).phase.at).toBe('updating');
  });

  it('because it is red with main hears of the gate and of who landed meanwhile', () => {
    const { tale, a, b, c } = scene();
    tale.land(c, 'landed');
    tale.startLanding();
    tale.build([
      [a, 'c1'],
      [b, 'c2'],
    ]);
    tale.test('c2-tree', RED);
    tale.test('c1-tree', RED);
    tale.test('main-tree');
    expect(tale.loop(a)).toMatchObject({
      host: null,
      phase: { at: 'updating', n: 2 },
      lastGate: RED,
      rework: { kind: 'red', by: 'owner', times: 1, with: [c] },
    });
    tale.write({ type: 'loop-adopted', loop: a, host: ME, slot: 1 });
    expect(tale.mergeMain(a).phase).toEqual({ at: 'iterating', n: 2 });
  });

  it('keeps what builds on it waiting, not put aside', () => {
    const tale = tellTale();
    tale.join('h1', { train: { ...TRAIN, onConflict: 'requeue' } });
    tale.read(task('a'), task('b'));
    const a = tale.ready('a');
    const b = tale.ready('b', { onto: [a] });
    clash(tale, [a, ['x']]);
    tale.sendBack(a);
    expect(tale.loop(b).phase.at).toBe('ready');
    expect(boarding(tale.state(), 9)).toEqual([]);
  });
});

describe('a conflict that is foreseen', () => {
  const foresee = (tale: Tale, loop: LoopId, other: LoopId | null): void => {
    tale.write({ type: 'conflicts-foreseen', found: { [loop]: [{ with: other, paths: ['x'] }] } });
  };

  it('with main brings main in before the next iteration, and is forgotten then', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'));
    const a = tale.begin('a');
    foresee(tale, a, null);
    expect(tale.loop(a).phase.at).toBe('iterating');
    tale.iterate(a, 'worked', 'one');
    expect(tale.loop(a).phase).toEqual({ at: 'updating', n: 2 });
    expect(tale.mergeMain(a, ['x'])).toMatchObject({
      phase: { at: 'iterating', n: 2 },
      rework: { kind: 'conflict', times: 0, paths: ['x'] },
    });
    expect(tale.state().foreseen).toEqual({});
    tale.iterate(a, 'worked', 'two');
    expect(tale.loop(a).phase).toEqual({ at: 'iterating', n: 3 });
  });

  it('that merged after all leaves nothing to mend', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'));
    const a = tale.begin('a');
    foresee(tale, a, null);
    tale.iterate(a, 'worked', 'one');
    expect(tale.mergeMain(a)).toMatchObject({ phase: { at: 'iterating', n: 2 }, rework: null });
  });

  it('a second time leaves the first conflict to be mended too', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'));
    const a = tale.begin('a');
    foresee(tale, a, null);
    tale.iterate(a, 'worked', 'one');
    tale.mergeMain(a, ['x']);
    foresee(tale, a, null);
    tale.iterate(a, 'worked', 'two');
    expect(tale.mergeMain(a, [])).toMatchObject({ phase: { at: 'iterating', n: 3 }, rework: { paths: ['x'] } });
    foresee(tale, a, null);
    tale.iterate(a, 'worked', 'three');
    expect(tale.mergeMain(a, ['y']).rework?.paths).toEqual(['x', 'y']);
  });

  it("merges nothing into a person's checkout", () => {
    const tale = tellTale();
    tale.join('h1', { place: { at: 'checkout', path: '/somewhere/repo', branch: null } });
    tale.read(task('a'));
    const a = tale.begin('a');
    foresee(tale, a, null);
    tale.iterate(a, 'worked', 'one');
    expect(tale.loop(a).phase.at).toBe('iterating');
  });

  it('with another loop, or of a loop that is done, changes nothing', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'), task('b'));
    const a = tale.begin('a');
    const b = tale.begin('b', { slot: 2 });
    foresee(tale, a, b);
    tale.iterate(a, 'worked', 'one');
    expect(tale.loop(a).phase.at).toBe('iterating');
    foresee(tale, a, null);
    tale.iterate(a, 'claimed', 'two');
    expect(tale.loop(a).phase.at).toBe('gating');
    tale.gate(a, GREEN);
    expect(tale.loop(a).phase.at).toBe('ready');
  });
});

describe('work that was thrown away and had back as a branch alone', () => {
  it('gets a worktree before main comes in', () => {
    const { tale, a } = scene();
    const { head } = tale.loop(a);
    tale.write(
      { type: 'loop-discarded', loop: a, kept: 'refs/paralph/keep/a/1' },
      { type: 'loop-restored', loop: a, path: null },
      { type: 'landing-requested', items: [{ loop: a, head: head ?? sha('none') }] },
    );
    clash(tale, [a, ['x']]);
    tale.sendBack(a);
    expect(tale.loop(a)).toMatchObject({ worktree: null, phase: { at: 'preparing' }, rework: { kind: 'conflict' } });
  });
});

describe("work of a loop in a person's checkout", () => {
  const inPlace = (branch: string | null) => ({ place: { at: 'checkout', path: '/somewhere/repo', branch } }) as const;

  it('goes on in a worktree of its own when it does not merge, and main comes in there', () => {
    const { tale, a } = scene({}, inPlace(null));
    clash(tale, [a, ['x']]);
    tale.sendBack(a);
    expect(tale.loop(a)).toMatchObject({
      place: { at: 'worktree' },
      worktree: null,
      phase: { at: 'preparing' },
      rework: { kind: 'conflict', paths: ['x'] },
    });
    expect(conflictsToMend(tale.state(), ME)).toEqual([]);
  });

  it('is put aside where its branch stands in that checkout', () => {
    const { tale, a } = scene({}, inPlace('feature/x'));
    clash(tale, [a, ['x']]);
    expect(tale.loop(a)).toMatchObject({ phase: { at: 'parked', reason: 'conflict', paths: ['x'] } });
  });
});
