import { describe, expect, it } from 'vitest';
import { GREEN, RED, task, tellTale } from '../../../test/sim/tale.ts';
import type { Tale } from '../../../test/sim/tale.ts';
import type { LoopId } from '../model/ids.ts';
import { PROPOSALS_MAX } from '../model/model.ts';

function begun(mergePolicy: 'auto_merge' | 'manual' = 'auto_merge'): { readonly tale: Tale; readonly a: LoopId } {
  const tale = tellTale();
  tale.join('h1', { mergePolicy });
  tale.read(task('a'));
  return { tale, a: tale.begin('a') };
}

describe('the words of an agent', () => {
  it('of an iteration that is over, or not begun, change nothing', () => {
    const { tale, a } = begun();
    const before = tale.loop(a);
    for (const n of [0, 2]) {
      tale.write({ type: 'loop-progressed', loop: a, n, text: 'so' });
      tale.write({ type: 'loop-blocked', loop: a, n, why: 'so' });
      tale.write({ type: 'loop-done', loop: a, n, summary: 'so' });
    }
    expect(tale.loop(a)).toBe(before);
  });

  it('tell how far it is, until the iteration ends', () => {
    const { tale, a } = begun();
    tale.write({ type: 'loop-progressed', loop: a, n: 1, text: 'half' });
    expect(tale.loop(a).progress).toBe('half');
    expect(tale.iterate(a, 'worked', 'one').progress).toBeNull();
  });

  it('done: the gates decide, as after the signal; a failure is still one', () => {
    const done = begun();
    done.tale.write({ type: 'loop-done', loop: done.a, n: 1, summary: '' });
    expect(done.tale.iterate(done.a, 'worked', 'one').phase.at).toBe('gating');
    const failed = begun();
    failed.tale.write({ type: 'loop-done', loop: failed.a, n: 1, summary: '' });
    expect(failed.tale.iterate(failed.a, 'failed', 'one')).toMatchObject({ phase: { n: 2 }, failureStreak: 1 });
  });

  it('blocked: parked with the reason given, unless it was done after all', () => {
    const { tale, a } = begun();
    tale.write({ type: 'loop-blocked', loop: a, n: 1, why: 'who pays?' });
    expect(tale.iterate(a, 'worked', 'one').phase).toMatchObject({ reason: 'blocked', detail: 'who pays?' });
    const other = begun();
    other.tale.write({ type: 'loop-blocked', loop: other.a, n: 1, why: 'who pays?' });
    expect(other.tale.iterate(other.a, 'claimed', 'one').phase.at).toBe('gating');
    other.tale.gate(other.a, RED);
    expect(other.tale.iterate(other.a, 'worked', 'two').phase.at).toBe('iterating');
  });
});

describe('the words of a person', () => {
  it('stay until an agent that could work was told', () => {
    const { tale, a } = begun();
    const { seq } = tale.write({ type: 'loop-steered', loop: a, text: 'first' });
    tale.iterate(a, 'limited', 'one', 1, { guided: seq });
    tale.iterate(a, 'failed', 'one', 1, { guided: seq });
    tale.write({ type: 'loop-steered', loop: a, text: 'second' });
    expect(tale.loop(a).guidance.map(({ text }) => text)).toEqual(['first', 'second']);
    expect(tale.iterate(a, 'worked', 'two', 1, { guided: seq }).guidance).toMatchObject([{ text: 'second' }]);
  });

  it('to a loop that has ended are said to nobody', () => {
    const { tale, a } = begun();
    tale.iterate(a, 'timed-out');
    tale.write({ type: 'loop-steered', loop: a, text: 'late' });
    expect(tale.loop(a).guidance).toEqual([]);
  });
});

describe('protected paths', () => {
  it('wait for a person where landing is automatic, and land when asked for', () => {
    const { tale, a } = begun();
    tale.iterate(a, 'claimed', 'one');
    expect(tale.gate(a, GREEN, ['AGENTS.md']).phase).toMatchObject({ reason: 'protected', paths: ['AGENTS.md'] });
    tale.write({ type: 'landing-requested', items: [{ loop: a, head: tale.loop(a).head! }] });
    expect(tale.loop(a).phase).toMatchObject({ at: 'ready', queued: true });
  });

  it('wait for a person who names it also where a person lands anyway', () => {
    const { tale, a } = begun('manual');
    tale.iterate(a, 'claimed', 'one');
    expect(tale.gate(a, GREEN, ['AGENTS.md']).phase).toMatchObject({ at: 'parked', reason: 'protected' });
  });
});

describe('files left out of the commit', () => {
  const omitted = 'files were left out of the commit: dist/ (2 files, made by tools)';

  it('are told once before the gates believe that it is done', () => {
    const { tale, a } = begun();
    expect(tale.iterate(a, 'claimed', 'one', 1, { omitted })).toMatchObject({
      phase: { at: 'iterating', n: 2 },
      omitted,
    });
    expect(tale.iterate(a, 'claimed', 'one', 1, { omitted }).phase).toEqual({ at: 'gating', n: 2 });
  });
});

describe('proposals', () => {
  it('are kept in order, the newest when there are too many', () => {
    const { tale, a } = begun();
    for (let n = 0; n <= PROPOSALS_MAX; n += 1)
      tale.write({ type: 'task-proposed', loop: a, title: `t${n}`, body: '' });
    const titles = tale.state().proposals.map(({ title }) => title);
    expect([titles.length, titles[0], titles.at(-1)]).toEqual([PROPOSALS_MAX, 't1', `t${PROPOSALS_MAX}`]);
  });

  it('keeps a loop from landing until it was heard', () => {
    const tale = tellTale();
    tale.join('h1');
    tale.read(task('a'));
    const a = tale.begin('a');
    const { seq } = tale.write({ type: 'loop-steered', loop: a, text: 'in blue' });
    expect(tale.iterate(a, 'claimed', 'one').phase).toEqual({ at: 'iterating', n: 2 });
    expect(tale.iterate(a, 'claimed', 'two', 1, { guided: seq }).phase).toEqual({ at: 'gating', n: 2 });
    tale.write({ type: 'loop-steered', loop: a, text: 'in green' });
    expect(tale.gate(a, GREEN).phase).toEqual({ at: 'iterating', n: 3 });
  });
});
