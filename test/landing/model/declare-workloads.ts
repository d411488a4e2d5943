import { expect, it } from 'vitest';
import { runWorkload } from './run-workload.ts';
import type { Counts, Sim } from './sim.ts';

/** The one workload a person wants to see again. */
const ONLY = process.env['LANDING_SEED'];
const BATCH = 500;
/** Every planted fault falls within a few hundred of them; `LANDING_MODEL=20000`, as in `npm run test:all`, is for a long look. */
const COUNT = Number(process.env['LANDING_MODEL'] ?? 5000) / 2;

/** Runs half of the seeds, from one on, then asks whether they met what they are there for, and how often gates that lie wronged somebody. */
export function declareWorkloads(from: number): void {
  if (ONLY !== undefined) {
    it(`workload ${ONLY}`, async () => {
      const sim = await runWorkload(Number(ONLY));
      // oxlint-disable-next-line no-console
      console.log(sim.log.map(({ seq, by, events }) => `${seq} ${by} ${JSON.stringify(events)}`).join('\n'));
      expect(failureOf(Number(ONLY), sim)).toBeNull();
    });
    return;
  }
  const all: Partial<Record<keyof Counts, number>> = {};
  const wrongs = new Map<string, Wrongs>();
  for (let first = from; first < from + COUNT; first += BATCH)
    it(`P1 to P12 hold for workloads ${first} to ${first + BATCH - 1}`, async () => {
      for (let seed = first; seed < first + BATCH; seed += 1) {
        const sim = await runWorkload(seed).catch((error: unknown) => {
          throw new Error(againLine(seed), { cause: error });
        });
        expect(failureOf(seed, sim)).toBeNull();
        for (const [name, value] of Object.entries(sim.counts) as [keyof Counts, number][])
          all[name] = (all[name] ?? 0) + value;
        addWrongs(wrongs, sim);
      }
    });
  it('they met everything that can happen', () => {
    expect(Object.entries(all).filter(([name, value]) => name !== 'wronged' && value < 10)).toEqual([]);
  });
  it('P5: gates that lie with probability f wrong at most f^(r+1) of the innocent', () => {
    expect(tooManyWronged(wrongs)).toEqual([]);
  });
}

function failureOf(seed: number, { violations }: Sim): string | null {
  const [first] = violations;
  if (first === undefined) return null;
  return `${violations.map((one) => `${one.property}: ${one.detail}`).join('; ')}\n  ${againLine(seed)}`;
}

const againLine = (seed: number): string =>
  `workload ${seed}; again: LANDING_SEED=${seed} npx vitest run --project model test/landing/model/workloads-a.test.ts`;

/** How many loops were judged red that were green, of all that were green. */
export interface Wrongs {
  readonly flake: number;
  readonly retries: number | 'auto';
  readonly bound: number;
  wronged: number;
  items: number;
}

export function addWrongs(wrongs: Map<string, Wrongs>, { workload: { flake, retries }, counts }: Sim): void {
  if (flake === 0) return;
  const key = `${flake} ${retries}`;
  // Left to the evidence, they are about as careful as with one retry.
  const bound = retries === 'auto' ? 2 * flake ** 2 : flake ** (retries + 1);
  const known = wrongs.get(key) ?? { flake, retries, bound, wronged: 0, items: 0 };
  wrongs.set(key, known);
  known.wronged += counts.wronged;
  known.items += counts.landed + counts.wronged;
}

export const tooManyWronged = (wrongs: ReadonlyMap<string, Wrongs>): readonly Wrongs[] =>
  [...wrongs.values()].filter(({ wronged, items, bound }) => wronged > mostOf(items, bound));

/** Four times the deviation that chance explains. */
const mostOf = (items: number, bound: number): number => items * bound + 4 * Math.sqrt(items * bound * (1 - bound)) + 1;
