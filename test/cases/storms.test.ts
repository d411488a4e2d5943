import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync } from 'node:fs';

import { expect, it } from 'vitest';

import { summaryOf } from '../e2e/harness/answers.ts';
import { landedTasks } from '../e2e/harness/git.ts';
import { processesOf } from '../e2e/harness/processes.ts';
import { project, starts } from '../e2e/harness/project.ts';
import { beside, ralph, startRalph } from '../e2e/harness/ralph.ts';
import { scratch } from '../e2e/harness/scratch.ts';
import { shellProject } from '../e2e/harness/shell-agent.ts';
import { CLAIM, OWN_FILE, trainProject, watchedGate } from '../e2e/harness/train.ts';
import { until } from '../e2e/harness/until.ts';
import { accountFor, alwaysGreen } from '../e2e/harness/values.ts';

/** On a machine with other things to do, so many processes take their time. */
const CROWD_MS = 280_000;

const named = (count: number): string[] => Array.from({ length: count }, (_, at) => `t${at + 1}`);

it(
  'case 31: 40 tasks that end in the same second all land, one commit each, on values the gates passed',
  async () => {
    const one = scratch();
    const tasks = named(40);
    const [up, go] = [beside(one, 'up'), beside(one, 'go')];
    mkdirSync(up);
    // Whoever opens it to read waits, without a process that asks again and again, for somebody who writes.
    execFileSync('mkfifo', [go]);
    const wait = `: > ${up}/$RALPH_TASK_ID; : < ${go}`;
    const gate = watchedGate(one, 'test ! -e BROKEN');
    trainProject(one, { tasks, gate, script: `${wait}; ${OWN_FILE}; ${CLAIM}`, config: { limits: { runtime: '1h' } } });
    const run = startRalph(one, ['run', '--parallel', '--max-workers', '40', '--json'], { timeoutMs: CROWD_MS });
    await until('40 agents', () => readdirSync(up).length === 40, CROWD_MS);
    const opened = openSync(go, 'r+');
    const { stdout, stderr } = await run.ended.finally(() => closeSync(opened));
    expect(summaryOf(stdout), stderr).toMatchObject({ landed: [...tasks].sort(), parked: [] });
    expect(accountFor(one, tasks, 'main').landed).toEqual([...tasks].sort());
    alwaysGreen(one, gate.truth);
  },
  CROWD_MS + 20_000,
);

it('case 45: an agent that fails at once is asked again more and more slowly, and then no more', async () => {
  const one = scratch();
  project(one, {
    tasks: ['a'],
    agent: [{ exit: 9 }],
    config: { limits: { iterations: 100, consecutive_failures: 4 } },
  });
  const { code, stdout } = await ralph(one, ['run', '--json']);
  expect(code).toBe(1);
  expect(summaryOf(stdout).parked).toMatchObject([{ task: 'a', reason: 'failures' }]);
  const at = starts(one).map((call) => Date.parse(call.at));
  expect(at).toHaveLength(4);
  const waits = at.slice(1).map((time, index) => time - (at[index] ?? 0));
  for (const [index, leastMs] of [500, 1000, 2000].entries()) expect(waits[index]).toBeGreaterThanOrEqual(leastMs);
});

it('case 52: an agent that leaves hundreds of processes behind costs nobody else anything, and all of them are gone', async () => {
  const one = scratch();
  shellProject(
    one,
    `if [ "$RALPH_TASK_ID" = storm ]; then
       at=0; while [ $at -lt 100 ]; do at=$((at + 1)); sleep 600 & setsid sleep 600 & done
       sh -c 'trap "" TERM HUP; while :; do sleep 600; done' &
     fi
     ${OWN_FILE}; ${CLAIM}`,
    { tasks: ['storm', 'calm'], config: { limits: { grace: '300ms' } } },
  );
  const run = await ralph(one, ['run', '--parallel', '--max-workers', '2', '--events']);
  expect(run.code, run.stderr).toBe(0);
  expect(landedTasks(one.git, 'main').sort()).toEqual(['calm', 'storm']);
  const swept = [...run.stdout.matchAll(/"swept":(\d+)/g)].map(([, count]) => Number(count));
  expect(Math.max(...swept)).toBeGreaterThanOrEqual(100);
  await until('no process of it left', () => processesOf(one.root).length === 0);
});
