import { describe, expect, it } from 'vitest';
import { runHost } from '../../src/engine/host.ts';
import { AGENT_MUTANTS } from './agent-mutants.ts';
import { LANDING_MUTANTS } from './landing-mutants.ts';
import { MISHAP_MUTANTS } from './mishap-mutants.ts';
import { MUTANTS } from './mutants.ts';
import { runSeed } from './run-seed.ts';

const SEEDS_MAX = 400;

describe('the invariants have teeth', () => {
  it.each([...MUTANTS, ...AGENT_MUTANTS, ...LANDING_MUTANTS, ...MISHAP_MUTANTS])(
    '$name',
    async ({ brain, caughtBy }) => {
      for (let seed = 1; seed <= SEEDS_MAX; seed += 1) {
        const { violation } = await runSeed(seed, (world, order) => runHost(world, order, brain), brain);
        if (violation !== null && caughtBy.includes(violation.invariant)) return;
      }
      expect.fail(`${caughtBy.join(' or ')} did not speak up within ${SEEDS_MAX} seeds`);
    },
  );
});
