import { describe, expect, it } from 'vitest';
import { createCoverage } from './checks/coverage.ts';
import { declareSeeds } from './declare-seeds.ts';

describe('the engine in hostile worlds', () => {
  const coverage = createCoverage();
  declareSeeds(1, 1000, coverage.add);
  it.skipIf(process.env['SIM_SEED'] !== undefined)('meets everything that can happen', () => {
    expect(coverage.missing()).toEqual([]);
  });
});
