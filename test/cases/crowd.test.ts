import { existsSync, readdirSync } from 'node:fs';

import { expect, it } from 'vitest';

import { listOf } from '../e2e/harness/answers.ts';
import { processesOf } from '../e2e/harness/processes.ts';
import { beside, ralph, startRalph } from '../e2e/harness/ralph.ts';
import { scratch } from '../e2e/harness/scratch.ts';
import { shellProject } from '../e2e/harness/shell-agent.ts';
import { until } from '../e2e/harness/until.ts';

/** On a machine with other things to do, so many processes take their time. */
const CROWD_MS = 280_000;

it(
  'case 54: 300 tasks and 100 agents at once: status answers, nothing leaks, and one Ctrl-C ends them all',
  async () => {
    const one = scratch();
    const up = beside(one, 'up');
    shellProject(one, `mkdir -p ${up}; : > ${up}/$RALPH_TASK_ID; exec sleep 600`, {
      tasks: Array.from({ length: 300 }, (_, at) => `t${at + 1}`),
      config: { limits: { runtime: '1h' } },
    });
    const env = { NODE_OPTIONS: '--trace-warnings' };
    const run = startRalph(one, ['run', '--parallel', '--max-workers', '100'], { env, timeoutMs: CROWD_MS });
    await until('100 agents', () => existsSync(up) && readdirSync(up).length === 100, CROWD_MS);
    const { stdout } = await ralph(one, ['status', '--json'], { env });
    const states = listOf(stdout, 'tasks').map((task) => task['state']);
    expect(states).toHaveLength(300);
    expect(states.filter((state) => state === 'at-work')).toHaveLength(100);
    run.signal('SIGINT');
    const { code, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr).not.toMatch(/Warning|leak/);
    expect(readdirSync(up)).toHaveLength(100);
    await until('no process left', () => processesOf(one.root).length === 0);
  },
  CROWD_MS + 20_000,
);
