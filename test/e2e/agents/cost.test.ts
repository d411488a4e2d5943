import { describe, expect, it } from 'vitest';

import { ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { claudeLines, shellProject } from '../harness/shell-agent.ts';

/** The first iteration says nothing of being done, the second does; each costs half a dollar. */
const SPENDING = `echo $RALPH_ITERATION >> made-$RALPH_TASK_ID.txt
if [ "$RALPH_ITERATION" = 1 ]; then
${claudeLines('A beginning.', 0.5)}
else
${claudeLines('All made. <promise>COMPLETE</promise>', 0.5)}
fi`;

describe('cost', () => {
  it('adds up by iteration, loop, task, agent and run; of one task file when asked', async () => {
    const one = scratch();
    const config = { run: { max_cost: 20 }, limits: { max_cost: 5 } };
    shellProject(one, SPENDING, { tasks: ['alpha', 'beta'], config }, { driver: 'claude' });
    await ralph(one, ['run', '--parallel', '--max-workers', '2']);
    const { code, stdout } = await ralph(one, ['cost', '--json']);
    expect(code).toBe(0);
    const view = JSON.parse(stdout) as {
      tasks: { task: string; loops: { iterations: unknown[]; usage: unknown }[] }[];
    };
    expect(view).toMatchObject({
      version: 1,
      total: { cost_usd: 2, cost_kind: 'billed', output_tokens: 200, model: 'claude-sonnet-4-5' },
      run: { cost_usd: 2, budget: { max_cost_usd: 20, cost_left_usd: 18 } },
      agents: [{ agent: 'shell', cost_usd: 2 }],
    });
    expect(view.tasks.map(({ task }) => task).sort()).toEqual(['alpha', 'beta']);
    for (const { loops } of view.tasks) {
      expect(loops).toMatchObject([{ agent: 'shell', usage: { cost_usd: 1 }, budget: { cost_left_usd: 4 } }]);
      expect(loops[0]?.iterations).toMatchObject([
        { n: 1, cost_usd: 0.5, output_tokens: 50 },
        { n: 2, cost_usd: 0.5 },
      ]);
    }
    const plain = await ralph(one, ['cost']);
    for (const words of ['total', 'agent shell', 'task alpha', 'iteration 2', '$2.00', '$18.00 of $20.00 left'])
      expect(plain.stdout).toContain(words);
    expect(plain.stdout).not.toContain('~');
    one.put('other.md', '- [ ] Something else\n');
    const other = await ralph(one, ['cost', '--json', '--tasks', 'other.md']);
    expect(JSON.parse(other.stdout)).toMatchObject({ total: { cost_usd: null }, tasks: [] });
    const none = await ralph(one, ['cost', '--tasks', 'nowhere.md']);
    expect([none.code, none.stdout]).toEqual([3, '']);
  });

  it('says so when nothing was spent', async () => {
    const one = scratch();
    shellProject(one, 'true', { tasks: ['alpha'] });
    const { code, stdout, stderr } = await ralph(one, ['cost']);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('nothing was spent');
  });
});
