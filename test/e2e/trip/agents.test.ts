import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { openFileLog } from '../../../src/world/log/file-log.ts';
import { landedTasks } from '../harness/git.ts';
import { calls, project } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const RUNTIME_MS = 6000;

describe('a host that is suspended', () => {
  it('trip 2: an agent that ended in time is not over its limit because its host slept', async () => {
    const one = scratch();
    project(one, {
      tasks: ['t1'],
      agent: [
        { write: { path: 't1.txt', text: 'made\n' } },
        { waitForFile: { path: beside(one, 'go') } },
        { claim: true },
      ],
      config: { limits: { runtime: `${RUNTIME_MS / 1000}s` } },
    });
    const host = startRalph(one, ['run', '--events']);
    await until('the agent works', () => calls(one).length === 1);
    const startedMs = Date.now();
    host.signal('SIGSTOP');
    writeFileSync(beside(one, 'go'), '');
    await until('the agent has ended', () => calls(one).length === 2);
    await until('its limit is over', () => Date.now() - startedMs > RUNTIME_MS + 500);
    host.signal('SIGCONT');
    const { code, stderr } = await host.ended;
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(landedTasks(one.git, 'main')).toEqual(['t1']);
    const ended = host.events().find(({ type }) => type === 'iteration-ended');
    expect(ended).toMatchObject({ outcome: 'claimed' });
    expect(Number(ended?.['durationMs'])).toBeLessThan(RUNTIME_MS);
  });
});

describe('plain programs as agents', () => {
  it.each([
    ['what services say, on standard error', 'echo "Error: rate limit exceeded, try later" >&2; exit 1', {}],
    ['a pattern of its own', 'echo "the kitchen is closed"; echo bye', { rate_limit: 'kitchen is closed' }],
  ])('trip 3: too many requests hold the account and are no failure: %s', async (_, script, more) => {
    const one = scratch();
    const command = ['sh', '-c', `cat > /dev/null; ${script}`];
    project(one, { tasks: ['t1'], config: { agent: 'plain', 'agents.plain': { command, ...more } } });
    const host = startRalph(one, ['run', '--events']);
    await host.waitFor(/account-held/);
    const { stdout } = await ralph(one, ['status', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ accounts: [{ account: 'plain', kind: 'rate' }] });
    host.signal('SIGINT');
    expect((await host.ended).code).toBe(130);
    expect(host.events().filter(({ type }) => type === 'loop-parked')).toEqual([]);
  });

  it('trip 3: a pattern that is none is refused with its line', async () => {
    const one = scratch();
    project(one, { tasks: ['t1'], config: { 'agents.plain': { command: ['true'], rate_limit: '(' } } });
    const { code, stderr } = await ralph(one, ['config', 'check']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/ralph\.toml:\d+.*`agents\.plain\.rate_limit` must be a regular expression/);
  });
});

describe('a log of a newer version', () => {
  it('trip 9: an event that this version does not know is named with the way to a newer one', async () => {
    const one = scratch();
    project(one, { tasks: ['t1'] });
    expect((await ralph(one, ['run'])).code).toBe(0);
    const log = await openFileLog<object>(join(one.repo, '.git/paralph/log'));
    const records = await log.read(0);
    await log.append(records.length, 'later', Date.now(), [{ type: 'moon-reached' }]);
    for (const words of [['status'], ['run'], ['loops', 'history', 't1'], ['why', 't1']]) {
      const { code, stderr } = await ralph(one, words);
      expect({ code, stderr }).toMatchObject({ code: 4 });
      expect(stderr).toMatch(/^error\[E_LOG_NEWER\].*"moon-reached".*\n[^]*npm install --global paralph@latest/);
      expect(stderr).not.toMatch(/\n\s+at /);
    }
  });
});
