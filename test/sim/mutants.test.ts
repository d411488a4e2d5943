import { describe, expect, it } from 'vitest';
import { runHost } from '../../src/engine/host.ts';
import type { World } from '../../src/world/contract/world.ts';
import { AGENT_MUTANTS } from './agent-mutants.ts';
import { BASE_MUTANTS } from './base-mutants.ts';
import { LANDING_MUTANTS } from './landing-mutants.ts';
import { MISHAP_MUTANTS } from './mishap-mutants.ts';
import { MUTANTS } from './mutants.ts';
import { WAITING_MUTANTS } from './waiting-mutants.ts';
import { runSeed } from './run-seed.ts';

const SEEDS_MAX = 1600;
const FEW = 5;
/** Worlds in which rare things happen; they are only asked before the others. */
const TELLING = [190, 184, 176, 161, 127, 96, 71, 65, 53, 45, 42, 39, 33, 22];
const FIRST = [...Array.from({ length: FEW }, (_, index) => index + 1), ...TELLING];
const SEEDS = new Set([...FIRST, ...Array.from({ length: SEEDS_MAX }, (_, index) => index + 1)]);

describe('the invariants have teeth', () => {
  it.each([...MUTANTS, ...AGENT_MUTANTS, ...LANDING_MUTANTS, ...MISHAP_MUTANTS, ...BASE_MUTANTS, ...WAITING_MUTANTS])(
    '$name',
    async ({ brain, caughtBy, world: seen = (world: World) => world }) => {
      for (const seed of SEEDS) {
        const { violation } = await runSeed(seed, (world, order) => runHost(seen(world), order, brain), brain);
        if (violation !== null && caughtBy.includes(violation.invariant)) return;
      }
      expect.fail(`${caughtBy.join(' or ')} did not speak up within ${SEEDS_MAX} seeds`);
    },
  );
});
