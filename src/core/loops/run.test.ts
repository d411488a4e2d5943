import { describe, expect, it } from 'vitest';
import { LIMITS, spent, task, tellTale } from '../../../test/sim/tale.ts';
import type { Tale } from '../../../test/sim/tale.ts';
import { hostId } from '../model/ids.ts';
import type { LoopId } from '../model/ids.ts';

const BUDGET = { budget: { maxCostUsd: 2, maxTokens: null } };

function begun(more: Parameters<Tale['join']>[1] = BUDGET): { readonly tale: Tale; readonly a: LoopId } {
  const tale = tellTale();
  tale.join('h1', more);
  tale.read(task('a'), task('b'));
  return { tale, a: tale.begin('a') };
}

const cost = (tale: Tale) => tale.state().run.usage.costUsd;

describe('a run', () => {
  it('goes on through a crash and a stop, and what was spent still counts', () => {
    const { tale, a } = begun();
    tale.iterate(a, 'worked', 'one', 1, { usage: spent(1) });
    tale.write({ type: 'host-lost', host: hostId('h1') });
    tale.join('h2', BUDGET);
    expect(cost(tale)).toBe(1);
    tale.write({ type: 'host-draining', host: hostId('h2') }, { type: 'host-left', host: hostId('h2') });
    tale.join('h3', BUDGET);
    expect(cost(tale)).toBe(1);
  });

  it('is over when its last host leaves in order; the next one begins at nothing', () => {
    const { tale, a } = begun();
    tale.iterate(a, 'worked', 'one', 1, { usage: spent(1) });
    tale.join('h2', BUDGET);
    tale.join('lander', { slots: 0 });
    tale.write({ type: 'host-left', host: hostId('h1') });
    expect(tale.state().run.isOpen).toBe(true);
    tale.write({ type: 'host-left', host: hostId('h2') });
    expect(tale.state().run).toMatchObject({ isOpen: false, usage: { costUsd: 1 } });
    tale.join('h3', BUDGET);
    expect(tale.state().run).toMatchObject({ isOpen: true, usage: { costUsd: null }, overspent: null });
  });

  it('that has spent its budget gives its loops back when they are between two iterations', () => {
    const { tale, a } = begun();
    const b = tale.begin('b', { slot: 2 });
    tale.iterate(a, 'worked', 'one', 1, { usage: spent(2) });
    expect(tale.state().run.overspent).toBe('$2.00 of $2.00 spent');
    expect(tale.loop(a)).toMatchObject({ host: null, waitsFor: 'budget' });
    expect(tale.loop(b).host).toBe('h1');
    tale.iterate(b, 'claimed', 'two', 1);
    expect(tale.loop(b)).toMatchObject({ host: 'h1', phase: { at: 'gating' } });
  });

  it('has room again under a larger budget', () => {
    const { tale, a } = begun();
    tale.iterate(a, 'worked', 'one', 1, { usage: spent(2) });
    tale.write({ type: 'host-lost', host: hostId('h1') });
    tale.join('h2', { budget: { maxCostUsd: 5, maxTokens: null } });
    expect(tale.state().run.overspent).toBeNull();
  });
});

describe('the budget of a loop', () => {
  const limited = { limits: { ...LIMITS, maxCostUsd: 1 } };

  it('parks it, also after an iteration that counts for nothing', () => {
    for (const outcome of ['worked', 'failed', 'limited', 'interrupted'] as const) {
      const { tale, a } = begun(limited);
      expect(tale.iterate(a, outcome, 'one', 1, { usage: spent(1) }).phase).toMatchObject({ reason: 'budget' });
    }
  });

  it('does not keep finished work from the gates, but lets no lost worktree begin anew', () => {
    const { tale, a } = begun(limited);
    expect(tale.iterate(a, 'claimed', 'one', 1, { usage: spent(1) }).phase.at).toBe('gating');
    tale.write({ type: 'worktree-lost', loop: a });
    const at = { base: tale.loop(a).base!, baseTree: tale.loop(a).baseTree!, head: tale.loop(a).head! };
    tale.write({
      type: 'worktree-made',
      loop: a,
      fence: tale.loop(a).fence,
      path: '/w/again',
      ...at,
      tree: tale.loop(a).tree!,
      reused: false,
    });
    expect(tale.loop(a).phase).toMatchObject({ at: 'parked', reason: 'budget' });
  });
});
