import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { everything } from '../harness/fingerprint.ts';
import { processesOf } from '../harness/processes.ts';
import { HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

describe('doctor', () => {
  it('a healthy repository: exit 0, JSON with git and the agent, nothing changed', async () => {
    const one = scratch();
    project(one, { tasks: ['a'] });
    const before = everything(one.repo);
    const { code, stdout } = await ralph(one, ['doctor', '--json']);
    expect(code).toBe(0);
    const text = JSON.stringify(JSON.parse(stdout));
    expect(text).toMatch(/git/);
    expect(text).toMatch(/scripted/);
    expect(text).toMatch(/disk/i);
    expect(everything(one.repo)).toEqual(before);
    expect((await ralph(one, ['doctor'])).code).toBe(0);
  });

  it('a half-made worktree entry that bricks git is found without git, with its remedy', async () => {
    const one = scratch();
    project(one, { tasks: ['a'] });
    const entry = join(one.repo, '.git/worktrees/half');
    mkdirSync(entry, { recursive: true });
    writeFileSync(join(entry, 'commondir'), '');
    writeFileSync(join(entry, 'HEAD'), '');
    const { code, stdout, stderr } = await ralph(one, ['doctor', '--json'], { isCheckoutGuarded: false });
    rmSync(entry, { recursive: true });
    expect(code).not.toBe(0);
    expect(code).toBeLessThan(8);
    expect(stdout + stderr).toContain('half');
    expect(stdout + stderr).toMatch(/remedy|rm -r|prune|ralph /);
  });

  it('no identity is named with its remedy', async () => {
    const one = scratch();
    project(one, { tasks: ['a'] });
    one.git('config', '--unset', 'user.email');
    const { code, stdout } = await ralph(one, ['doctor', '--json']);
    expect(code).not.toBe(0);
    expect(stdout).toContain('git config');
  });

  it('agents left behind by a killed run are found; that the next run takes care of them: recovery.test.ts', async () => {
    const one = scratch();
    project(one, { tasks: ['a'], agent: [{ waitForFile: { path: beside(one, 'go') } }, ...HONEST] });
    const run = startRalph(one, ['run']);
    await until('the agent', () => starts(one).length === 1);
    run.signal('SIGKILL');
    await run.ended;
    const { stdout } = await ralph(one, ['doctor', '--json']);
    expect(stdout).toContain(String(starts(one)[0]?.pid));
    expect(stdout).toMatch(/"1 stopped \(host-died\): a-\w+"/);
    writeFileSync(beside(one, 'go'), '');
    await until('it ended', () => processesOf(one.root).length === 0);
  });
});
