import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { fakeClient } from '../harness/fake-client.ts';
import { markdownTasks, project } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { tmuxEnv } from '../harness/terminal.ts';

describe('what is said', () => {
  it('trip 18: a loop that committed nothing is not all landed', async () => {
    const one = scratch();
    project(one, { tasks: ['t1'], agent: [{ exit: 1 }], config: { limits: { consecutive_failures: 1 } } });
    one.git('branch', 'mine');
    one.git('worktree', 'add', '-q', join(one.root, 'mine'), 'mine');
    expect((await ralph(one, ['run'])).code).toBe(1);
    const { stdout } = await ralph(one, ['worktree', 'list']);
    const [, , ...rest] = stdout.trimEnd().split('\n');
    expect(rest.join('\n')).toMatch(/ralph\/t1-\S+ +loop +clean, no commits yet/);
    expect(rest.join('\n')).toMatch(/mine +yours +clean, nothing unlanded/);
  });

  it('trip 18: the status shows loops and the next step where there is no task file', async () => {
    const one = scratch();
    const empty = await ralph(one, ['status']);
    expect(empty, 'nothing at all').toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/no task file.*ralph run ".*PRD\.md/) as string,
    });
    project(one, { tasks: {}, agent: [{ exit: 1 }], config: { limits: { consecutive_failures: 1 } } });
    writeFileSync(beside(one, 'PRD.md'), markdownTasks(['t1']));
    expect((await ralph(one, ['run', '--tasks', '../PRD.md'])).code).toBe(1);
    const { code, stdout, stderr } = await ralph(one, ['status']);
    expect({ code, stdout, stderr }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/parked +t1-\S+ +Make t1 +next: ralph /) as string,
      stderr: expect.stringContaining('no task file') as string,
    });
    expect((await ralph(one, ['status', '--json'])).code).toBe(0);
    expect((await ralph(one, ['status', '--tasks', 'NONE.md'])).code, 'one that is named is missed').toBe(3);
  });

  it('trip 18: times are those of the clock on the wall', async () => {
    const one = scratch();
    const client = fakeClient(one, 'fake', [{ does: 'limit', resetInMs: 3_600_000 }]);
    project(one, { tasks: ['t1'], config: { agent: 'fake', 'agents.fake': client, limits: { runtime: '5s' } } });
    const env = { TZ: 'Asia/Kathmandu' };
    const host = startRalph(one, ['run'], { env });
    const [said] = await host.waitFor(/is held.*/);
    expect(said).toMatch(/continues by itself at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0545/);
    const status = await ralph(one, ['status'], { env });
    expect(status.stdout).toMatch(/resumes in .*, at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0545/);
    host.signal('SIGINT');
    const ended = await host.ended;
    expect(ended.stderr).not.toMatch(/\d\d:\d\dZ|\d\d:\d\d\.\d+Z/);
  });

  it('trip 18: so are those in logs, and of who loops already', async () => {
    const one = scratch();
    const client = fakeClient(one, 'fake', [{ does: 'limit', resetInMs: 3_600_000 }]);
    project(one, { tasks: [], config: { agent: 'fake', 'agents.fake': client } });
    const env = { ...tmuxEnv(one), TZ: 'Asia/Kathmandu' };
    const host = startRalph(one, ['run', 'make a file'], { env });
    await host.waitFor(/is held/);
    const local = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0545`;
    const loop = readdirSync(join(one.repo, '.git/paralph/runs')).find((name) => name.startsWith('make-')) ?? '';
    const logs = await ralph(one, ['logs', loop], { env });
    expect(logs.stdout).toMatch(new RegExp(`resets ${local}$`, 'm'));
    const folder = join(one.repo, '.ralph/logs');
    for (const name of readdirSync(folder))
      expect(readFileSync(join(folder, name), 'utf8')).toMatch(new RegExp(`^\\[ralph ${local}\\] `, 'm'));
    const refused = await ralph(one, ['start', 'auth'], { env });
    expect(refused.stderr).toMatch(new RegExp(`loop ${loop} works in .* since ${local} \\(process`));
    host.signal('SIGINT');
    await host.ended;
  });

  it('trip 18: who has no agent is not sent in a circle', async () => {
    const one = scratch();
    project(one, { tasks: ['t1'] });
    rmSync(join(one.repo, 'ralph.toml'));
    one.git('commit', '-q', '-a', '-m', 'Start over');
    const env = { PATH: '/usr/bin:/bin' };
    const init = await ralph(one, ['init'], { env });
    expect(init.stderr).toContain(`ralph config set agents.mine.command '["your-agent"]'`);
    one.git('add', '-A');
    one.git('commit', '-q', '-m', 'Configure');
    const run = await ralph(one, ['run'], { env });
    expect([run.code, run.stderr]).toEqual([4, expect.stringContaining('E_NO_AGENT')]);
    expect(run.stderr).not.toContain('ralph init');
    expect(run.stderr).toContain(`fix: ralph config set agents.mine.command '["your-agent"]'`);
    const list = await ralph(one, ['agents', 'list'], { env });
    expect(list.stderr).toContain(`ralph config set agents.mine.command '["your-agent"]'`);
    const set = await ralph(one, ['config', 'set', 'agents.mine.command', '["true"]'], { env });
    expect(set.code, set.stderr).toBe(0);
    expect((await ralph(one, ['run', '--dry-run'], { env })).code).toBe(0);
  });
});
