import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runHost } from '../../src/engine/host.ts';
import { createBrainHost } from './brain-host.ts';
import { REAL_BRAIN } from './model/brain.ts';
import { MUTANTS } from './mutants.ts';
import { runSeed } from './run-seed.ts';

const SEEDS_MAX = 150;

describe('the invariants have teeth', () => {
  it.each(MUTANTS)('$name', async ({ brain, caughtBy }) => {
    for (let seed = 1; seed <= SEEDS_MAX; seed += 1) {
      const { violation } = await runSeed(seed, createBrainHost(brain), brain);
      if (violation !== null && caughtBy.includes(violation.invariant)) return;
    }
    expect.fail(`${caughtBy.join(' or ')} did not speak up within ${SEEDS_MAX} seeds`);
  });
});

describe('the host that mutants are planted in', () => {
  it('writes the same log as the engine does', async () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const real = await runSeed(seed, runHost);
      const same = await runSeed(seed, createBrainHost(REAL_BRAIN));
      const differ = real.log.findIndex((record, index) => !isDeepStrictEqual(record, same.log[index]));
      expect({ seed, differ, records: same.log.length }).toEqual({ seed, differ: -1, records: real.log.length });
    }
  });
});
