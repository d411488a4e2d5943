import { describe, expect } from 'vitest';

import { landedTasks } from '../e2e/harness/git.ts';
import { arena } from './harness/arena.ts';
import { itWith } from './harness/it-with.ts';
import { begun } from './harness/looks.ts';
import { HONEST } from './model-server/scenario.ts';

const [write, commit] = HONEST;
const said = (status: string) => ({ answer: { status, summary: 'so it is' } });

describe('a client that can answer in a form', () => {
  for (const name of ['claude', 'codex'] as const) {
    itWith(name)(`${name}: says in it whether it is done`, async () => {
      const one = await arena({
        clients: [name],
        tasks: ['t1'],
        scenario: {
          byTask: {
            t1: [
              [{ ...write }, said('continue'), { text: 'More to do.' }],
              [{ ...commit }, said('done'), { text: 'That is all.' }],
            ],
          },
        },
        env: { RALPH_COMPLETION_SIGNAL: 'structured' },
      });
      const { code, stderr } = await one.ralph(['run', '--parallel', '--max-workers', '1']);
      expect(code, stderr).toBe(0);
      expect(landedTasks(one.git, 'refs/paralph/int/main')).toEqual(['t1']);
      expect(begun(one, 't1')).toBe(2);
    });
  }
});
