import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findMarked, waitFor } from '../fixtures/process-kit.ts';
import { PATIENT, stage } from '../fixtures/agents-kit.ts';

const sh = (script: string): string[] => ['sh', '-c', script];

describe('an iteration', () => {
  it('leaves all a later reader needs, and tells who ran and what was said', async () => {
    const { agents, iteration, order, dir, read } = stage({ agent: { command: sh('echo said; echo loud >&2') } });
    expect(agents.wasStarted(iteration)).toBe(false);
    await agents.start(iteration, order);
    expect(agents.wasStarted(iteration)).toBe(true);
    const result = await agents.finish(iteration, PATIENT);
    expect(result).toMatchObject({
      agent: 'tested',
      account: 'tested',
      guided: 7,
      end: { how: 'exited', code: 0 },
      swept: 0,
      report: { finalText: expect.stringContaining('said') as string },
    });
    expect(JSON.parse(read('agent.json'))).toEqual({
      name: 'tested',
      account: 'tested',
      driver: 'text',
      protocol: 'text',
      price: null,
      guided: 7,
      maxTurns: 500,
      stallMs: null,
      rateLimit: null,
    });
    expect([read('prompt.md'), read('stdout.log'), read('stderr.log')]).toEqual(['Do it.\n', 'said\n', 'loud\n']);
    expect(statSync(join(dir, 'token')).mode & 0o777).toBe(0o600);
    expect(existsSync(join(dir, 'talk.json'))).toBe(false);
  });

  it('gets a prompt of 200 KB on its standard input, to the end', async () => {
    const prompt = 'ü'.repeat(100 * 1024);
    const { agents, iteration, order } = stage({ agent: { command: sh('wc -c; echo ended') }, prompt });
    await agents.start(iteration, order);
    const { report } = await agents.finish(iteration, PATIENT);
    expect(report.finalText.split(/\s+/).filter((word) => word !== '')).toEqual([String(200 * 1024), 'ended']);
  });

  it('knows itself and whom it commits as, and nothing of the main checkout', async () => {
    const { place, agents, checkout, iteration, order, read } = stage({
      agent: { command: ['env', '-0'], env: { OWN: 'set' }, passEnv: ['PASSED'] },
      env: { HOME: '/home/a', PASSED: 'on', SECRET: 's3cret', GIT_AUTHOR_NAME: 'Somebody', RALPH_LOOP_ID: 'outer' },
    });
    for (const name of ['PWD', 'OLDPWD', 'INIT_CWD', 'GIT_DIR', 'GIT_WORK_TREE', 'npm_config_local_prefix'])
      place.env[name] = checkout;
    await agents.start(iteration, order);
    await agents.finish(iteration, PATIENT);
    const entries = read('stdout.log')
      .split('\0')
      .filter((line) => line.includes('='));
    const env = Object.fromEntries(
      entries.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    expect(env).toMatchObject({
      HOME: '/home/a',
      OWN: 'set',
      PASSED: 'on',
      PATH: `${place.program.bin}:${place.env['PATH'] ?? ''}`,
      GIT_AUTHOR_NAME: 'Ina Identity',
      GIT_AUTHOR_EMAIL: 'ina@example.test',
      GIT_COMMITTER_NAME: 'Ina Identity',
      GIT_COMMITTER_EMAIL: 'ina@example.test',
      RALPH_TASK_ID: 'task',
      RALPH_LOOP_ID: 'task-x',
      RALPH_ITERATION: '1',
      RALPH_WORKTREE: iteration.cwd,
      RALPH_NODE: process.execPath,
      RALPH_TOKEN: read('token'),
    });
    expect(env).not.toHaveProperty('SECRET');
    expect(entries.filter((line) => line.includes(checkout))).toEqual([]);
  });

  it('finds our own commands before others of the same name', async () => {
    const { place, agents, iteration, order } = stage({ agent: { command: sh('ralph') } });
    writeFileSync(join(place.program.bin, 'ralph'), '#!/bin/sh\necho ours\n');
    chmodSync(join(place.program.bin, 'ralph'), 0o755);
    await agents.start(iteration, order);
    expect((await agents.finish(iteration, PATIENT)).report.finalText.trim()).toBe('ours');
  });

  it('ends with its exit code, and what it left running is swept', async () => {
    const { agents, iteration, order, read } = stage({ agent: { command: sh('setsid sleep 300 & exit 3') } });
    await agents.start(iteration, order);
    const result = await agents.finish(iteration, PATIENT);
    expect(result.end).toEqual({ how: 'exited', code: 3 });
    expect(result.swept).toBe(1);
    expect(findMarked(read('token'))).toEqual([]);
  });

  it('is told apart: out of time, interrupted', async () => {
    for (const [timeoutMs, how] of [
      [1, 'timed-out'],
      [60_000, 'interrupted'],
    ] as const) {
      const { agents, iteration, order, read } = stage({ agent: { command: sh('echo on; sleep 300') } });
      await agents.start(iteration, order);
      await waitFor('the first word', () => read('stdout.log') !== '');
      const stop = new AbortController();
      const finished = agents.finish(iteration, { ...PATIENT, timeoutMs, signal: stop.signal });
      if (how === 'interrupted') stop.abort();
      expect((await finished).end).toEqual({ how });
      expect(findMarked(read('token'))).toEqual([]);
    }
  });

  it('is not started with a name nobody configured', async () => {
    const { agents, iteration, order } = stage({ agent: { command: ['true'] } });
    await expect(agents.start(iteration, { ...order, agent: 'other' })).rejects.toMatchObject({
      code: 'E_UNKNOWN_AGENT',
    });
    expect(agents.wasStarted(iteration)).toBe(false);
  });
});
