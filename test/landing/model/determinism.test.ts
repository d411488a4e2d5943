import { describe, expect, it } from 'vitest';
import { runWorkload } from './run-workload.ts';

describe('P10: the same seed', () => {
  it.each([1, 101, 201])('tells the same tale, byte for byte, for 100 seeds from %i', async (first) => {
    for (let seed = first; seed < first + 100; seed += 1) {
      const [once, twice] = [await runWorkload(seed), await runWorkload(seed)];
      expect(JSON.stringify(twice.log), `LANDING_SEED=${seed}`).toBe(JSON.stringify(once.log));
      expect(JSON.stringify(twice.state), `LANDING_SEED=${seed}`).toBe(JSON.stringify(once.state));
    }
  });
});
