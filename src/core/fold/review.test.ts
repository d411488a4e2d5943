import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GREEN, key, RED, task, tellTale } from '../../../test/sim/tale.ts';
import type { Tale } from '../../../test/sim/tale.ts';
import { queued, tests, train } from '../../../test/sim/train-scene.ts';
import { hostId, sha } from '../model/ids.ts';
import type { LoopId } from '../model/ids.ts';
import type { ReviewComment } from '../model/model.ts';
import { boarding } from '../loops/landing-queue.ts';
import { isWorking } from '../model/model.ts';
import { schedule } from '../plan/schedule.ts';
import { whyNotReviewed } from './review.ts';

const COMMENT: ReviewComment = {
  text: 'use the constant',
  on: { path: 'src/a.ts', side: 'new', first: 3, last: 4, code: 'const a = 1;\nconst b = 2;' },
};

function opened(): Tale {
  const tale = tellTale();
  tale.join('h1', { mergePolicy: 'manual' });
  tale.read(task('a'), task('b'));
  return tale;
}

const headOf = (tale: Tale, loop: LoopId) => tale.loop(loop).head ?? sha('');
const approve = (tale: Tale, loop: LoopId, head = headOf(tale, loop)) =>
  tale.write({ type: 'loop-reviewed', loop, head, verdict: 'approved', comments: [] });
const sendBack = (tale: Tale, loop: LoopId, ...comments: readonly ReviewComment[]) =>
  tale.write({ type: 'loop-reviewed', loop, head: headOf(tale, loop), verdict: 'changes', comments });

describe('approved', () => {
  it('queues exactly that head, and lands it', () => {
    const tale = opened();
    const a = tale.ready('a');
    approve(tale, a, sha('by-hand'));
    expect(tale.loop(a)).toMatchObject({ head: 'by-hand', phase: { at: 'ready', queued: true } });
    expect(tale.loop(a).reviewed).toMatchObject({ head: 'by-hand', verdict: 'approved' });
    expect(boarding(tale.state(), 9)).toEqual([a]);
  });

  it('takes another head of it off the train, and leaves the same one there', () => {
    const { tale, loops } = train();
    const [, b] = loops;
    const before = tale.state().landing;
    approve(tale, b);
    expect(tale.state().landing).toBe(before);
    approve(tale, b, sha('newer'));
    expect(tale.state().landing).toBeNull();
    expect(tale.loop(b)).toMatchObject({ head: 'newer', phase: { queued: true } });
  });

  it('says nothing of a loop that works, was put aside undone, was thrown away or has landed', () => {
    const tale = opened();
    const a = tale.begin('a');
    const was = tale.loop(a);
    approve(tale, a);
    expect(tale.loop(a)).toEqual(was);
    tale.write({ type: 'loop-stopped', loop: a, now: true });
    approve(tale, a);
    expect(tale.loop(a).phase).toMatchObject({ at: 'parked', reason: 'stopped' });
    tale.write({ type: 'loop-discarded', loop: a, kept: null });
    expect(whyNotReviewed(tale.state(), tale.loop(a), 'approved')).toBe('discarded');
    expect(whyNotReviewed(tale.state(), tale.loop(a), 'changes')).toBe('discarded');
  });

  it('is gone once the work went back, and the next green waits for a person again', () => {
    const tale = opened();
    tale.join('h1', {
      mergePolicy: 'manual',
      train: { ...tale.state().hosts[hostId('h1')]!.policy.train, onConflict: 'ai_resolve' },
    });
    const a = tale.ready('a');
    approve(tale, a);
    tale.startLanding();
    tale.build([[a, 'c1']]);
    tale.test('c1-tree', RED);
    tale.test('main-tree', GREEN);
    expect(isWorking(tale.loop(a))).toBe(true);
    tale.write({ type: 'loop-adopted', loop: a, host: hostId('h1'), slot: 1 });
    tale.mergeMain(a);
    tale.iterate(a, 'claimed', 'mended');
    tale.gate(a, GREEN);
    expect(tale.loop(a).phase).toMatchObject({ at: 'ready', queued: false });
    expect(boarding(tale.state(), 9)).toEqual([]);
  });
});

describe('a review that asks for changes', () => {
  it('sends ready work back, told path, lines, code and text in every iteration until it is ready again', () => {
    const tale = opened();
    const a = tale.ready('a');
    sendBack(tale, a, COMMENT, { text: 'and a test' });
    const text = 'src/a.ts, lines 3 to 4:\n    const a = 1;\n    const b = 2;\nuse the constant\n\nand a test';
    expect(tale.loop(a)).toMatchObject({
      phase: { at: 'preparing' },
      host: null,
      guidance: [{ text }],
      rework: { kind: 'review', times: 1, asked: [text] },
      reviewed: { verdict: 'changes', head: 'head-tree-of-a-1' },
    });
    expect(schedule(tale.state(), hostId('h1')).adopts.map(({ loop }) => loop)).toEqual([a]);
  });

  it('has an allowance of its own, and merges no main in', () => {
    const tale = opened();
    const a = tale.ready('a');
    const { counted } = tale.loop(a);
    sendBack(tale, a, COMMENT);
    expect(tale.loop(a)).toMatchObject({ rework: { countedBefore: counted }, granted: { counted } });
    tale.write({ type: 'loop-adopted', loop: a, host: hostId('h1'), slot: 1 });
    const { fence, head, tree, base, baseTree } = tale.loop(a);
    const made = { head: head!, tree: tree!, base: base!, baseTree: baseTree! };
    tale.write({ type: 'worktree-made', loop: a, fence, path: '/w/a', ...made, reused: true });
    expect(tale.loop(a).phase).toEqual({ at: 'iterating', n: 2 });
  });

  it('takes it off the train, and the others are built without it', () => {
    const { tale, loops } = train();
    const [, b] = loops;
    sendBack(tale, b, COMMENT);
    expect(tale.state().landing).toBeNull();
    expect(boarding(tale.state(), 9)).toEqual([loops[0], loops[2]]);
  });

  it('comes too late for what integration moves past at that moment', () => {
    const scene = train();
    const { tale, loops } = scene;
    expect(tests(scene)).toEqual(['c3']);
    tale.test('c3-tree');
    const before = tale.state();
    expect(whyNotReviewed(before, tale.loop(loops[0]), 'changes')).toBe('landing');
    sendBack(tale, loops[0], COMMENT);
    expect({ ...tale.state(), seq: 0 }).toEqual({ ...before, seq: 0 });
  });

  it('is guidance for the next iteration of a loop at work', () => {
    const tale = opened();
    const a = tale.begin('a');
    sendBack(tale, a, { text: 'mind the tests' });
    expect(tale.loop(a)).toMatchObject({ phase: { at: 'iterating', n: 1 }, rework: null });
    expect(tale.loop(a).guidance.map(({ text }) => text)).toEqual(['mind the tests']);
  });

  it('leaves what did not merge to be merged as well', () => {
    const { tale, loops } = queued();
    const [a] = loops;
    tale.startLanding();
    tale.build([], { clashes: [{ loop: a, main: true, paths: ['x'], with: [] }] });
    expect(tale.loop(a).phase).toMatchObject({ at: 'parked', reason: 'conflict' });
    sendBack(tale, a, COMMENT);
    expect(tale.loop(a)).toMatchObject({ phase: { at: 'updating' }, rework: { kind: 'conflict', paths: ['x'] } });
    expect(tale.loop(a).rework?.asked).toHaveLength(1);
  });

  it('lets it be put aside for what became of it, with the review told', () => {
    const tale = opened();
    const a = tale.ready('a');
    sendBack(tale, a, { text: 'no' });
    tale.write({ type: 'loop-adopted', loop: a, host: hostId('h1'), slot: 1 });
    const { fence, head, tree, base, baseTree } = tale.loop(a);
    const made = { head: head!, tree: tree!, base: base!, baseTree: baseTree! };
    tale.write({ type: 'worktree-made', loop: a, fence, path: '/w/a', ...made, reused: true });
    tale.iterate(a, 'worked');
    tale.iterate(a, 'worked');
    expect(tale.loop(a).phase).toMatchObject({ at: 'parked', reason: 'no-progress' });
    expect(tale.loop(a).phase).toMatchObject({ detail: expect.stringContaining('a review asks for changes: no') });
  });
});

/** What may happen to one ready loop, as a person and a host may do it in any order. */
const ACTS = ['approve', 'stale', 'back', 'work', 'land', 'eject', 'stop'] as const;

it('whatever happens in between, what rides was approved since it was last at work', () => {
  const acts = fc.array(fc.constantFrom(...ACTS), { maxLength: 12 });
  fc.assert(
    fc.property(acts, (chosen) => {
      const tale = opened();
      const a = tale.ready('a');
      const approved = new Set<string>();
      let round = 0;
      for (const act of chosen) {
        const before = tale.loop(a);
        if (act === 'approve' || act === 'stale') {
          const head = act === 'stale' ? sha('seen-long-ago') : headOf(tale, a);
          approve(tale, a, head);
          if (tale.loop(a) !== before) approved.add(head);
        } else if (act === 'back') sendBack(tale, a, COMMENT);
        else if (act === 'land') {
          const head = headOf(tale, a);
          tale.write({ type: 'landing-requested', items: [{ loop: a, head }] });
          if (tale.loop(a) !== before) approved.add(head);
        } else if (act === 'eject') tale.write({ type: 'loop-ejected', loop: a });
        else if (act === 'stop') tale.write({ type: 'loop-stopped', loop: a, now: true });
        else if (isWorking(before)) {
          round += 1;
          tale.write({ type: 'loop-adopted', loop: a, host: hostId('h1'), slot: 1 });
          const { fence, head, tree, base, baseTree } = tale.loop(a);
          const made = { head: head!, tree: tree!, base: base!, baseTree: baseTree! };
          tale.write({ type: 'worktree-made', loop: a, fence, path: '/w/a', ...made, reused: true });
          tale.iterate(a, 'claimed', `round-${round}`, 1, { guided: tale.state().seq });
          tale.gate(a, GREEN);
        }
        const now = tale.loop(a);
        if (isWorking(now)) approved.clear();
        for (const id of boarding(tale.state(), 9)) expect(approved).toContain(headOf(tale, id));
        if (act === 'back' && !isWorking(before)) expect(whyNotReviewed(tale.state(), now, 'approved')).not.toBeNull();
      }
      expect(tale.state().landed[key('a')]).toBeUndefined();
    }),
  );
});
