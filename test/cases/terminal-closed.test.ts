import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { expect, it } from 'vitest';

import { bundle } from '../e2e/harness/bundle.ts';
import { isAlive } from '../e2e/harness/processes.ts';
import { HONEST, project, starts, writeScenario } from '../e2e/harness/project.ts';
import { ralph, startRalph } from '../e2e/harness/ralph.ts';
import { scratch } from '../e2e/harness/scratch.ts';
import { until } from '../e2e/harness/until.ts';

it('case 51: a closed terminal, or a third signal, stops it as Ctrl-C does, and it goes on later', async () => {
  const one = scratch();
  const half = { write: { path: 'half.txt', text: 'half' } };
  project(one, {
    tasks: ['a', 'b'],
    agent: [half, { ignoreTerm: true }, { hang: true }],
    config: { limits: { grace: '10m' } },
  });
  const child = spawn(process.execPath, [bundle().main, 'run', '--parallel'], {
    cwd: one.repo,
    env: one.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  await until('both agents', () => starts(one).length === 2);
  // Nobody reads any more: whatever it says now fails.
  child.stdout.destroy();
  child.stderr.destroy();
  // Two of a kind could be one by the time they arrive.
  child.kill('SIGHUP');
  child.kill('SIGTERM');
  expect(await ended).toEqual([143, null]);
  expect(starts(one).filter((call) => isAlive(call.pid))).toEqual([]);

  const again = startRalph(one, ['run', '--parallel']);
  await until('both agents again', () => starts(one).length === 4);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) {
    again.signal(signal);
    await again.waitFor(signal === 'SIGINT' ? /stopping/ : /killing/);
  }
  expect((await again.ended).code).toBe(130);
  expect(starts(one).filter((call) => isAlive(call.pid))).toEqual([]);

  writeScenario(one, { agent: HONEST });
  expect((await ralph(one, ['run', '--parallel'])).code).toBe(0);
  expect(one.git('show', 'main:half.txt')).toBe('half');
});
