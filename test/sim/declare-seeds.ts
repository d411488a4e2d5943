import { expect, it } from 'vitest';
import { runHost } from '../../src/engine/host.ts';
import type { Realm } from './model/realm.ts';
import { runSeed } from './run-seed.ts';

/** The one seed a person wants to see again. */
export const ONLY_SEED = process.env['SIM_SEED'] === undefined ? null : Number(process.env['SIM_SEED']);

const BATCH = 100;

/** One test per hundred seeds. `SIM_SEED=n` runs that one alone and shows its log; `SIM_SEEDS=n` runs more of them. */
export function declareSeeds(from: number, count: number, onRealm: (realm: Realm) => void = () => undefined): void {
  const only = ONLY_SEED;
  if (only !== null) {
    it(`seed ${only}`, async () => {
      const realm = await runSeed(only, runHost);
      console.log(describeLog(realm));
      expect(failureOf(only, realm)).toBeNull();
    });
    return;
  }
  const all = Math.max(count, Number(process.env['SIM_SEEDS'] ?? 0) / 2);
  for (let first = from; first < from + all; first += BATCH)
    it(`seeds ${first} to ${first + BATCH - 1}`, async () => {
      for (let seed = first; seed < first + BATCH; seed += 1) {
        const realm = await runSeed(seed, runHost);
        expect(failureOf(seed, realm)).toBeNull();
        onRealm(realm);
      }
    });
}

function failureOf(seed: number, { violation }: Realm): string | null {
  if (violation === null) return null;
  const again = `SIM_SEED=${seed} npx vitest run --project model test/sim/hostile-worlds-a.test.ts`;
  return `seed ${seed}: ${violation.invariant}: ${violation.detail}\n  again: ${again}`;
}

const describeLog = ({ log }: Realm): string =>
  log.map(({ seq, at, by, events }) => `${seq} ${at} ${by} ${JSON.stringify(events)}`).join('\n');
