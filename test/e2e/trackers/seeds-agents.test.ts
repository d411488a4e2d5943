import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listOf } from '../harness/answers.ts';
import { killHost } from '../harness/crash.ts';
import { DONE, fakeCalls, fakeClient } from '../harness/fake-client.ts';
import { landedTasks } from '../harness/git.ts';
import { isAlive, processesOf } from '../harness/processes.ts';
import { HONEST, project, starts, writeScenario } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const textIn = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');
const pidIn = (one: Scratch, name: string): number => Number(textIn(beside(one, name)));
const heartbeat = ({ repo }: Scratch): string => textIn(join(repo, '.ralph/heartbeat'));

it('A3.6, scenario 7: an agent that is told 429 waits and goes on with its task; that is no attempt, and the run does not end by it', async () => {
  const one = scratch();
  const fake = fakeClient(one, 'fake', [{ does: 'rate' }, DONE]);
  const config = { agent: 'fake', 'agents.fake': fake, limits: { consecutive_failures: 1 } };
  project(one, { tasks: ['a', 'b'], config });
  const { code, stderr } = await ralph(one, ['run']);
  expect(code, stderr).toBe(0);
  expect(landedTasks(one.git, 'main')).toEqual(['a', 'b']);
  expect(fakeCalls(one, 'fake').map(({ task }) => task)).toEqual(['a', 'a', 'b']);
  const { tasks } = JSON.parse((await ralph(one, ['status', '--json'])).stdout) as {
    readonly tasks: readonly { readonly attempts: number }[];
  };
  expect(tasks.map(({ attempts }) => attempts)).toEqual([1, 1]);
});

it('B3.4, scenario 7: what held the agents back ten days ago holds nobody today', async () => {
  const one = scratch();
  const fake = fakeClient(one, 'fake', [{ does: 'limit', resetInMs: 3_600_000 }]);
  project(one, { tasks: ['a'], config: { agent: 'fake', 'agents.fake': fake } });
  const run = startRalph(one, ['run', '--events']);
  await run.waitFor(/account-held/);
  await killHost(run);
  fakeClient(one, 'fake', [DONE]);
  const later = beside(one, 'later.cjs');
  writeFileSync(later, `const real = Date.now; Date.now = () => real() + 10 * 24 * 3600 * 1000;\n`);
  const { code, stderr } = await ralph(one, ['run'], { env: { NODE_OPTIONS: `--require=${later}` } });
  expect(code, stderr).toBe(0);
  expect(landedTasks(one.git, 'main')).toEqual(['a']);
});

it('B3.5, scenario 14: an acceptance line with a colon is told as it is written', async () => {
  const one = scratch();
  const text = `tasks:
  - id: a
    title: Make a
    acceptance:
      - Acceptance criterion 1: feature works
      - 'Ratio 1: 1, as in "a: b"'
    completed: false
`;
  project(one, { tasks: { 'tasks.yaml': text } });
  const { code, stdout } = await ralph(one, ['prompt', 'a']);
  expect(code).toBe(0);
  expect(stdout).toContain('- Acceptance criterion 1: feature works\n- Ratio 1: 1, as in "a: b"\n');
});

it('scenario 8: reset frees the task of a host that died, and the heartbeat goes on during one long iteration', async () => {
  const one = scratch();
  project(one, { tasks: ['a'], agent: [{ waitForFile: { path: beside(one, 'go') } }, ...HONEST] });
  const run = startRalph(one, ['run']);
  await until('its agent', () => starts(one).length === 1);
  await until('a heartbeat', () => heartbeat(one) !== '');
  const beat = heartbeat(one);
  await until('another one', () => heartbeat(one) !== beat);
  expect(starts(one), 'in the same iteration').toHaveLength(1);
  await killHost(run);
  const [stale] = listOf((await ralph(one, ['loops', 'list', '--json'])).stdout, 'loops');
  expect(stale).toMatchObject({ task: expect.anything() as unknown, reason: 'host-died' });
  const { code, stderr } = await ralph(one, ['tasks', 'reset', 'a']);
  expect(code, stderr).toBe(0);
  writeScenario(one, {});
  const again = await ralph(one, ['run']);
  expect([again.code, landedTasks(one.git, 'main')], again.stderr).toEqual([0, ['a']]);
  expect(starts(one)).toHaveLength(2);
});

it('D3.6, scenario 26: to stop takes the whole tree of an agent, a child in a session of its own too, and nobody else', async () => {
  const one = scratch();
  const child = { spawnSetsid: { sleepMs: 600_000, path: beside(one, 'child-${task}') } };
  const agent = [child, { waitForFile: { path: beside(one, 'go') } }, ...HONEST];
  project(one, { tasks: ['stays', 'stopped'], agent });
  const run = startRalph(one, ['orchestrate']);
  await until('both', () => starts(one).length === 2);
  await until('their children', () => pidIn(one, 'child-stays') > 0 && pidIn(one, 'child-stopped') > 0);
  const { code, stderr } = await ralph(one, ['loops', 'stop', 'stopped', '--force']);
  expect(code, stderr).toBe(0);
  await until('its child is gone', () => !isAlive(pidIn(one, 'child-stopped')));
  expect(isAlive(pidIn(one, 'child-stays'))).toBe(true);
  writeFileSync(beside(one, 'go'), '');
  await run.ended;
  expect(landedTasks(one.git, 'main')).toEqual(['stays']);
  await until('nobody is left', () => processesOf(one.root).length === 0);
});
