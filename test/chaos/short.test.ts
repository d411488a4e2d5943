import { describe, expect } from 'vitest';

import { bundle, fallible } from '../e2e/harness/bundle.ts';
import { itOn } from '../needs.ts';
import { describeChaos, runChaos } from './chaos.ts';
import { DEFAULTS } from './options.ts';

/** `npm run chaos` has the whole of it; CHAOS_SEED looks at another part. */
const SECONDS = Number(process.env['CHAOS_SECONDS'] ?? 90);
const SEED = Number(process.env['CHAOS_SEED'] ?? 1);
const OPTIONS = { ...DEFAULTS, seed: SEED, seconds: SECONDS, parallel: 6, tasks: 14 };

describe('chaos', () => {
  itOn('linux')(
    `case 103: ${SECONDS} s of kills, stops, full disks and a busy user lose nothing and touch nobody (seed ${SEED})`,
    async () => {
      const startedMs = Date.now();
      const programs = { ...bundle(), testMain: fallible() };
      const end = await runChaos(OPTIONS, programs, (line) => console.log(line));
      for (const line of describeChaos(end, (Date.now() - startedMs) / 1000)) console.log(line);
      expect(end.violations).toEqual([]);
      expect(end.tally.counts.get('landings') ?? 0, 'landings').toBeGreaterThan(0);
    },
    SECONDS * 1000 + 900_000,
  );
});
