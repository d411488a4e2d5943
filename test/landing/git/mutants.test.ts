import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { World } from '../../../src/world/contract/world.ts';
import type { Lander } from './lander.ts';
import { bundleLander } from './lander.ts';
import { runGitWorkload } from './run-git-workload.ts';

const SEEDS_MAX = 20;

interface GitMutant {
  readonly name: string;
  readonly caughtBy: readonly string[];
  readonly change: (world: World) => World;
}

const withIntegration = (world: World, some: Partial<World['integration']>): World => ({
  ...world,
  integration: { ...world.integration, ...some },
});

/** The repository a world stands in, as its gates see it. */
const moveTarget = (dir: string, to: string): void => {
  execFileSync('git', ['update-ref', 'refs/heads/main', to], { cwd: dir });
};

const MUTANTS: readonly GitMutant[] = [
  {
    name: 'the gates are always green',
    caughtBy: ['P1'],
    change: (world) => ({
      ...world,
      gates: {
        ...world.gates,
        run: async () => ({ report: { verdict: 'green', failing: null, tail: '' }, durationMs: 1 }),
      },
    }),
  },
  {
    name: 'each car is merged with the base instead of the car before it',
    caughtBy: ['P2', 'P3', 'P7', 'P11'],
    change: (world) =>
      withIntegration(world, { build: (options) => world.integration.build({ ...options, base: options.under }) }),
  },
  {
    name: "publishing moves the user's branch under their feet",
    caughtBy: ['P4'],
    change: (world) => ({
      ...world,
      publish: async (to) => {
        await world.gates.withWorktree(to, async (path) => moveTarget(path, to));
        return { outcome: 'published', to };
      },
    }),
  },
  {
    name: 'commits of trains stay held for ever',
    caughtBy: ['P12'],
    change: (world) => withIntegration(world, { releaseTrains: async () => undefined }),
  },
];

describe('the properties have teeth on real git', () => {
  let lander: Lander;
  beforeAll(async () => {
    lander = await bundleLander();
  });
  afterAll(() => lander.remove());

  it.each(MUTANTS)('$caughtBy: $name', async ({ change, caughtBy }) => {
    for (let seed = 1; seed <= SEEDS_MAX; seed += 1) {
      const { violations } = await runGitWorkload(seed, lander, change);
      if (violations.some((one) => caughtBy.some((property) => one.startsWith(`${property}:`)))) return;
    }
    expect.fail(`${caughtBy.join(' or ')} did not speak up within ${SEEDS_MAX} workloads`);
  });
});
