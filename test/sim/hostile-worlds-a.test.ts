import { describe, expect, it } from 'vitest';
import { createCoverage } from './checks/coverage.ts';
import { declareSeeds, ONLY_SEED } from './declare-seeds.ts';

describe('the engine in hostile worlds', () => {
  const coverage = createCoverage();
  declareSeeds(1, 800, coverage.add);
  if (ONLY_SEED === null) it('meets everything that can happen', () => expect(coverage.missing()).toEqual([]));
});
