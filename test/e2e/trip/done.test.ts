import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { landedTasks } from '../harness/git.ts';
import { project, starts, writeScenario } from '../harness/project.ts';
import { ralph, startRalph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { tmuxEnv } from '../harness/terminal.ts';

const OTHER = { write: { path: 'other.txt', text: 'of ${iteration}\n' } } as const;
const PLAN = { write: { path: 'docs/plans/auth.md', text: 'Step 1\n' } } as const;
const EMPTY = { write: { path: 'docs/plans/auth.md', text: '' } } as const;
const SEEN = { prompt: { path: 'seen.ignored' } } as const;

describe('done', () => {
  it('trip 12: the promise counts with blanks inside its tag', async () => {
    const one = scratch();
    project(one, {
      tasks: ['t1'],
      agent: [{ write: { path: 't1.txt', text: 'x' } }, { print: '<promise> COMPLETE </promise>\n' }],
      config: { limits: { iterations: 1 } },
    });
    expect((await ralph(one, ['run'])).code).toBe(0);
    expect(landedTasks(one.git, 'main')).toEqual(['t1']);
  });

  it('trip 12: plan-only without a plan file, or with an empty one, is not done, and the agent is told', async () => {
    const one = scratch();
    project(one, { tasks: [], config: { limits: { iterations: 3 } } });
    const claim = { claim: true } as const;
    writeScenario(one, {
      agent: {
        iterations: [
          [OTHER, claim],
          [SEEN, OTHER, EMPTY, claim],
          [PLAN, claim],
        ],
      },
    });
    const planned = await ralph(one, ['start', 'auth', 'plan-only', 'people log in'], { env: tmuxEnv(one) });
    expect(planned.code, planned.stderr).toBe(0);
    const [first, second] = planned.stderr.split('\n').filter((line) => line.includes('gates red'));
    expect(first).toContain('test -s docs/plans/auth.md: there is no docs/plans/auth.md');
    expect(second).toContain('test -s docs/plans/auth.md: docs/plans/auth.md is empty');
    expect(starts(one)).toHaveLength(3);
    const worktree = join(one.home, 'worktrees/auth');
    expect(readFileSync(join(worktree, 'seen.ignored'), 'utf8')).toContain('there is no docs/plans/auth.md');
    expect(one.git('show', 'main:docs/plans/auth.md')).toBe('Step 1');
  });

  it('trip 12: plan-only without a plan file is not done when its script starts it again, either', async () => {
    const one = scratch();
    project(one, { tasks: [], config: { limits: { iterations: 1 } } });
    writeScenario(one, { agent: [OTHER, { claim: true }] });
    const env = tmuxEnv(one);
    expect((await ralph(one, ['start', 'auth', 'plan-only', 'people log in', '--print'], { env })).code).toBe(0);
    const script = join(one.home, 'worktrees/auth/start-scripted.sh');
    const { code, stderr } = await startRalph(one, [], { prefix: ['sh', '-c', 'exec "$0"', script] }).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/parked \(iterations\).*there is no docs\/plans\/auth\.md/);
    expect(existsSync(join(one.repo, 'other.txt'))).toBe(false);
  });

  it('trip 12: task reset is tasks reset', async () => {
    const one = scratch();
    project(one, { tasks: ['t1'], agent: [{ exit: 1 }], config: { limits: { consecutive_failures: 1 } } });
    expect((await ralph(one, ['run'])).code).toBe(1);
    const { code, stderr } = await ralph(one, ['task', 'reset', 't1']);
    expect(code, stderr).toBe(0);
    expect((JSON.parse((await ralph(one, ['status', '--json'])).stdout) as { counts: unknown }).counts).toMatchObject({
      parked: 0,
      open: 1,
    });
  });
});
