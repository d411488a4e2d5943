import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { everything } from '../harness/fingerprint.ts';
import { processesOf } from '../harness/processes.ts';
import { HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const RUN = ['run', '--parallel', '--max-workers', '2'];

function waiting(): Scratch {
  const one = scratch();
  project(one, {
    tasks: ['alpha', 'beta', 'gamma'],
    agent: [{ waitForFile: { path: beside(one, 'go') } }, ...HONEST],
    files: { 'deep/down/x.txt': 'x' },
  });
  return one;
}

const status = async (one: Scratch, cwd: string): Promise<unknown> => {
  const { code, stdout } = await ralph(one, ['status', '--json'], { cwd });
  expect(code).toBe(0);
  return JSON.parse(stdout) as unknown;
};

async function stateOnDisk(one: Scratch): Promise<void> {
  const dir = join(one.repo, '.ralph');
  await until('state.json with the running tasks', () => {
    const path = join(dir, 'state.json');
    return existsSync(path) && /alpha[^]*beta/.test(JSON.stringify(JSON.parse(readFileSync(path, 'utf8'))));
  });
  await until('the heartbeat', () => existsSync(join(dir, 'heartbeat')));
  const beat = statSync(join(dir, 'heartbeat')).mtimeMs;
  await until('a beat during an iteration', () => statSync(join(dir, 'heartbeat')).mtimeMs > beat);
  expect(readFileSync(join(dir, '.gitignore'), 'utf8').trim()).toBe('*');
  expect(one.git('status', '--porcelain', '--untracked-files=all')).toBe('');
}

describe('status', () => {
  it('S2.7 S2.8 answers from anywhere while it runs; state, heartbeat and a log per worker, all self-ignored', async () => {
    const one = waiting();
    one.git('worktree', 'add', '-q', beside(one, 'mine'), '-b', 'mine');
    const run = startRalph(one, RUN);
    await until('two agents', () => starts(one).length === 2);
    const inside = starts(one)[0]?.cwd ?? '';
    for (const cwd of [one.repo, join(one.repo, 'deep/down'), beside(one, 'mine'), inside]) {
      const text = JSON.stringify(await status(one, cwd));
      for (const task of ['alpha', 'beta', 'gamma']) expect(text).toContain(task);
      expect(text).toMatch(/iterating|running|working/i);
      expect(text).toContain('ralph/');
    }
    const plain = await ralph(one, ['status', '--parallel']);
    expect(plain.code).toBe(0);
    expect(plain.stdout).toMatch(/alpha/);
    expect(plain.stdout).toMatch(/beta/);
    await stateOnDisk(one);
    writeFileSync(beside(one, 'go'), '');
    expect((await run.ended).code).toBe(0);
    expect(JSON.stringify(await status(one, one.repo))).toMatch(/landed/i);
    one.git('worktree', 'remove', '--force', beside(one, 'mine'));
    const logs = readdirSync(join(one.repo, '.ralph/logs'));
    for (const task of ['alpha', 'beta', 'gamma']) {
      const name = logs.find((log) => new RegExp(`^worker-\\d+-${task}.*\\.log$`).test(log));
      expect(readFileSync(join(one.repo, '.ralph/logs', name ?? 'none'), 'utf8')).toContain(
        '<promise>COMPLETE</promise>',
      );
    }
  });

  it('works before anything ever ran, and leaves no trace', async () => {
    const one = waiting();
    const before = everything(one.repo);
    await status(one, one.repo);
    expect((await ralph(one, ['status'])).code).toBe(0);
    expect(everything(one.repo)).toEqual(before);
  });

  it('tells a dead run from a live one', async () => {
    const one = waiting();
    const run = startRalph(one, RUN);
    await until('two agents', () => starts(one).length === 2);
    run.signal('SIGKILL');
    await run.ended;
    const { code, stdout, stderr } = await ralph(one, ['status']);
    expect([0, 1, 6]).toContain(code);
    expect(stdout + stderr).toMatch(/lost|dead|died|gone|stale|not running|nobody|free|no run|stopped|ralph run/i);
    // That the next run goes on from there: recovery.test.ts.
    writeFileSync(beside(one, 'go'), '');
    await until('its agents ended', () => processesOf(one.root).length === 0);
  });
});

describe('S2.8 state on disk', () => {
  it('deleting .ralph loses nothing that matters', async () => {
    const one = scratch();
    project(one, { tasks: ['alpha', 'beta'], config: { parallel: { merge_policy: 'manual' } } });
    expect((await ralph(one, RUN)).code).toBe(0);
    rmSync(join(one.repo, '.ralph'), { recursive: true });
    mkdirSync(join(one.repo, '.ralph'));
    expect(JSON.stringify(await status(one, one.repo))).toMatch(/ready/);
    expect((await ralph(one, ['land', '--all'])).code).toBe(0);
    expect(one.git('show', 'main:alpha.txt')).toBe('made by alpha');
    expect(starts(one)).toHaveLength(2);
  });
});
