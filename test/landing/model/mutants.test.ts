import { describe, expect, it } from 'vitest';
import { addWrongs, tooManyWronged } from './declare-workloads.ts';
import { MUTANTS } from './mutants.ts';
import { runWorkload } from './run-workload.ts';
import type { Parts, Property } from './sim.ts';

const SEEDS_MAX = 400;

describe('the properties have teeth: each of these is killed by name', () => {
  it('there are mutants for every property but those that only crashes and other properties can show', () => {
    const named = new Set(MUTANTS.flatMap((mutant) => mutant.caughtBy));
    expect(MUTANTS.length).toBeGreaterThanOrEqual(8);
    expect([...named].sort()).toEqual(['P1', 'P10', 'P11', 'P12', 'P2', 'P3', 'P4', 'P5', 'P6', 'P7', 'P9']);
  });

  it.each(MUTANTS)('$caughtBy: $name', async ({ parts, caughtBy }) => {
    const seed = await killedAt(parts, caughtBy);
    expect(seed, `${caughtBy.join(' or ')} did not speak up within ${SEEDS_MAX} workloads`).not.toBeNull();
  });
});

async function killedAt(parts: Parts, caughtBy: readonly Property[]): Promise<number | null> {
  const wrongs = new Map();
  for (let seed = 1; seed <= SEEDS_MAX; seed += 1) {
    const sim = await runWorkload(seed, parts);
    if (sim.violations.some(({ property }) => caughtBy.includes(property))) return seed;
    addWrongs(wrongs, sim);
    if (caughtBy.includes('P5') && tooManyWronged(wrongs).length > 0) return seed;
    if (!caughtBy.includes('P10')) continue;
    const again = await runWorkload(seed, parts);
    if (JSON.stringify(again.state) !== JSON.stringify(sim.state)) return seed;
  }
  return null;
}
