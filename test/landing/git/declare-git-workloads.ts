import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Lander } from './lander.ts';
import { bundleLander } from './lander.ts';
import type { GitRun } from './run-git-workload.ts';
import { runGitWorkload } from './run-git-workload.ts';

/** The one workload a person wants to see again. */
const ONLY = process.env['LANDING_SEED'];
const BATCH = 2;
/** So many more are tried if those declared did not meet what they are there for: that hangs on who is quicker. */
const MORE_MAX = 40;

const NEEDED = ['landed', 'red', 'conflict', 'user commit', 'moved branch', 'killed', 'upstream', 'three aboard'];

/** Runs a range of seeds on real git, then asks whether they met what they are there for. */
export function declareGitWorkloads(from: number, count: number): void {
  let lander: Lander | null = null;
  beforeAll(async () => {
    lander = await bundleLander();
  });
  afterAll(() => lander?.remove());
  const run = async (seed: number): Promise<GitRun> => {
    if (lander === null) throw new Error('the host to be killed is not there');
    const done = await runGitWorkload(seed, lander).catch((error: unknown) => {
      throw new Error(againLine(seed), { cause: error });
    });
    expect(done.violations.length === 0 ? '' : `${done.violations.join('; ')}\n  ${againLine(seed)}`).toBe('');
    return done;
  };
  if (ONLY !== undefined) {
    it(`workload ${ONLY}`, async () => void (await run(Number(ONLY))));
    return;
  }
  const met = new Set<string>();
  for (let first = from; first < from + count; first += BATCH)
    it(`P1 to P12 hold for workloads ${first} to ${first + BATCH - 1}`, async () => {
      for (let seed = first; seed < first + BATCH; seed += 1) for (const one of (await run(seed)).met) met.add(one);
    });
  it('they met what they are there for, if need be with some more', async () => {
    const lacking = (): string[] => NEEDED.filter((one) => !met.has(one));
    for (let seed = from + count; lacking().length > 0 && seed < from + count + MORE_MAX; seed += 1)
      for (const one of (await run(seed)).met) met.add(one);
    expect(lacking()).toEqual([]);
  }, 180_000);
}

const againLine = (seed: number): string =>
  `workload ${seed}; again: LANDING_SEED=${seed} npx vitest run --project world test/landing/git/workloads-a.test.ts`;
