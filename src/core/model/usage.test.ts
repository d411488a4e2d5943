import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Usage } from './usage.ts';
import { addUsage, dollarsLeft, NO_USAGE, overspent, tokensOf } from './usage.ts';

/** Costs in quarters, so that sums are exact. */
const usages: fc.Arbitrary<Usage> = fc
  .record({
    inputTokens: fc.nat(1000),
    cachedTokens: fc.nat(1000),
    outputTokens: fc.nat(1000),
    quarters: fc.option(fc.nat(40)),
    costKind: fc.constantFrom('billed', 'estimated'),
    turns: fc.nat(10),
  })
  .map(({ quarters, costKind, ...rest }) => ({
    ...rest,
    costUsd: quarters === null ? null : quarters / 4,
    costKind: quarters === null ? null : (costKind as 'billed' | 'estimated'),
    model: null,
  }));

describe('addUsage', () => {
  it('adds in any order to the same, and nothing changes nothing', () => {
    fc.assert(
      fc.property(usages, usages, usages, (a, b, c) => {
        expect(addUsage(a, b)).toEqual(addUsage(b, a));
        expect(addUsage(addUsage(a, b), c)).toEqual(addUsage(a, addUsage(b, c)));
        expect(addUsage(a, NO_USAGE)).toEqual(a);
      }),
    );
  });

  it('is billed only if every part that cost something was, and keeps the newest model', () => {
    const billed: Usage = { ...NO_USAGE, costUsd: 1, costKind: 'billed', model: 'old' };
    const estimated: Usage = { ...NO_USAGE, costUsd: 1, costKind: 'estimated', model: 'new' };
    expect(addUsage(billed, estimated)).toMatchObject({ costUsd: 2, costKind: 'estimated', model: 'new' });
    expect(addUsage(billed, NO_USAGE)).toMatchObject({ costUsd: 1, costKind: 'billed', model: 'old' });
  });
});

describe('overspent', () => {
  it('speaks up at the bound, of the bound', () => {
    const usage: Usage = { ...NO_USAGE, inputTokens: 60, outputTokens: 40, cachedTokens: 50, costUsd: 1.5 };
    expect(tokensOf(usage)).toBe(100);
    expect(overspent(usage, { maxCostUsd: null, maxTokens: null })).toBeNull();
    expect(overspent(usage, { maxCostUsd: 1.5, maxTokens: null })).toBe('$1.50 of $1.50 spent');
    expect(overspent(usage, { maxCostUsd: 1.75, maxTokens: 100 })).toBe('100 of 100 tokens used');
    expect(overspent(usage, { maxCostUsd: 1.75, maxTokens: 101 })).toBeNull();
  });

  it('and dollarsLeft agree about when the dollars are gone', () => {
    fc.assert(
      fc.property(usages, fc.integer({ min: 1, max: 40 }), (usage, quarters) => {
        const budget = { maxCostUsd: quarters / 4, maxTokens: null };
        expect(dollarsLeft([{ usage, budget }]) === 0).toBe(overspent(usage, budget) !== null);
      }),
    );
  });
});

describe('dollarsLeft', () => {
  it('is the least of what is left, and unbounded only without any bound', () => {
    const usage: Usage = { ...NO_USAGE, costUsd: 1 };
    const under = (maxCostUsd: number | null) => ({ usage, budget: { maxCostUsd, maxTokens: 1 } });
    expect(dollarsLeft([under(3), under(2), under(null)])).toBe(1);
    expect(dollarsLeft([under(null)])).toBeNull();
  });
});
