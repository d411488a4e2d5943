import { describe, expect } from 'vitest';

import { landedTasks } from '../e2e/harness/git.ts';
import { arena } from './harness/arena.ts';
import { itWith } from './harness/it-with.ts';
import { begun, statusOf } from './harness/looks.ts';
import { HONEST } from './model-server/scenario.ts';
import type { Turn } from './model-server/scenario.ts';

const RUN = ['run', '--parallel', '--max-workers', '1'];
const [write, commit] = HONEST;

describe('agents talk back', () => {
  for (const name of ['claude', 'codex'] as const) {
    itWith(name)(`${name} calls progress and done as MCP tools`, async () => {
      const turns: readonly Turn[] = [
        { verb: { name: 'progress', args: { text: 'half way' } } },
        { ...write, after: 'seen' },
        { ...commit },
        { verb: { name: 'done', args: { summary: 'made it' } } },
        { text: 'That is all.' },
      ];
      const one = await arena({ clients: [name], tasks: ['t1'], scenario: { turns } });
      const run = one.start([...RUN, '--events']);
      await run.waitFor(/"type":"loop-progressed"/, 60_000);
      expect((await statusOf(one)).workers).toMatchObject([{ progress: 'half way' }]);
      one.model.release('seen');
      const { code, stderr } = await run.ended;
      expect(code, stderr).toBe(0);
      expect(landedTasks(one.git, 'refs/paralph/int/main')).toEqual(['t1']);
      expect(begun(one, 't1')).toBe(1);
    });
  }
});
