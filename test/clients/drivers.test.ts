import { describe, expect } from 'vitest';

import { landedTasks } from '../e2e/harness/git.ts';
import { arena } from './harness/arena.ts';
import { itWith } from './harness/it-with.ts';
import { begun, costOf } from './harness/looks.ts';
import { HONEST, USAGE } from './model-server/scenario.ts';

/** Ways to drive a client beside the one it is driven by unless told; codex-app-server is in adoption-talk.test.ts. */
const OTHERS = [
  ['gemini', 'gemini'],
  ['opencode', 'opencode'],
] as const;

describe('other drivers', () => {
  for (const [name, driver] of OTHERS) {
    itWith(name)(`${name} by ${driver}: lands, and every answer is counted`, async () => {
      const one = await arena({
        clients: [name],
        tasks: ['t1'],
        scenario: { turns: HONEST },
        config: { [`agents.${name}`]: { driver } },
      });
      const { code, stderr } = await one.ralph(['run', '--parallel', '--max-workers', '1']);
      expect(code, stderr).toBe(0);
      expect(landedTasks(one.git, 'refs/paralph/int/main')).toEqual(['t1']);
      expect(begun(one, 't1')).toBe(1);
      expect((await costOf(one)).total).toMatchObject({
        input_tokens: HONEST.length * USAGE.input,
        output_tokens: HONEST.length * USAGE.output,
      });
    });
  }
});
