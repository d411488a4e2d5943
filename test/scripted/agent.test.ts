import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeEach, describe, expect, it } from 'vitest';

import type { Scenario, Step } from './scenario.ts';

const root = mkdtempSync(join(realpathSync(tmpdir()), 'scripted-'));
const program = join(import.meta.dirname, 'agent.mjs');
let cwd = '';
let calls = 0;

interface Played {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Options {
  readonly env?: Readonly<Record<string, string>>;
  readonly prompt?: string;
  readonly onStart?: (pid: number, said: (text: string) => Promise<void>) => Promise<void>;
}

const variables = { PATH: process.env['PATH'] ?? '', HOME: root, RALPH_TASK_ID: 't1', RALPH_ITERATION: '1' };

async function play(scenario: Scenario, options: Options = {}): Promise<Played> {
  const path = join(root, `scenario-${(calls += 1)}.json`);
  writeFileSync(path, JSON.stringify(scenario));
  const child = spawn(process.execPath, [program, path], { cwd, env: { ...variables, ...options.env } });
  let stdout = '';
  let stderr = '';
  const waiting: { text: string; resolve: () => void }[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    for (const one of waiting) if (stdout.includes(one.text)) one.resolve();
  });
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.end(options.prompt ?? '');
  const closed = new Promise<Played>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr })),
  );
  const said = (text: string): Promise<void> => new Promise((resolve) => waiting.push({ text, resolve }));
  await options.onStart?.(child.pid ?? 0, said);
  return closed;
}

const only = (...steps: Step[]): Scenario => ({ default: { iterations: [steps] } });
const read = (path: string): string => readFileSync(join(cwd, path), 'utf8');
const git = (...args: string[]): string => execFileSync('git', args, { cwd, encoding: 'utf8' }).trim();

beforeEach(() => {
  cwd = mkdtempSync(join(root, 'cwd-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('choosing steps', () => {
  const scenario: Scenario = {
    tasks: { t1: { iterations: [[{ print: 'one' }], [{ print: 'two' }]] } },
    default: { iterations: [[{ print: 'default ${task} ${iteration}' }]] },
  };

  it('goes by task and iteration, and repeats the last', async () => {
    expect((await play(scenario)).stdout).toBe('one\n');
    expect((await play(scenario, { env: { RALPH_ITERATION: '2' } })).stdout).toBe('two\n');
    expect((await play(scenario, { env: { RALPH_ITERATION: '9' } })).stdout).toBe('two\n');
  });

  it('falls back to the default, also for names every object has', async () => {
    const played = await play(scenario, { env: { RALPH_TASK_ID: 'constructor', RALPH_ITERATION: '4' } });
    expect(played.stdout).toBe('default constructor 4\n');
  });
});

describe('changing files', () => {
  it('writes, appends, removes, escapes', async () => {
    writeFileSync(join(cwd, 'old'), 'old');
    const played = await play(
      only(
        { write: { path: 'deep/${task}.txt', text: 'a${iteration}' } },
        { append: { path: 'deep/${task}.txt', text: 'b' } },
        { leaveDirty: { path: 'dirty', text: 'd' } },
        { remove: { path: 'old' } },
        { escape: { path: 'escaped', text: 'out' } },
      ),
    );
    expect(played).toMatchObject({ code: 0, stderr: '' });
    expect([read('deep/t1.txt'), read('dirty'), read('../escaped')]).toEqual(['a1b', 'd', 'out']);
    expect(existsSync(join(cwd, 'old'))).toBe(false);
  });

  it('commits everything, and goes on when there is nothing to commit', async () => {
    git('init', '-q', '-b', 'main');
    git('config', 'user.name', 'Test');
    git('config', 'user.email', 'test@example.com');
    const steps: Step[] = [{ write: { path: 'a', text: 'a' } }, { commit: 'work of ${task}' }, { commit: 'again' }];
    expect(await play(only(...steps, { gitInit: { path: 'nested' } }))).toMatchObject({ code: 0, stderr: '' });
    expect(git('log', '--format=%s')).toBe('work of t1');
    expect(existsSync(join(cwd, 'nested/.git'))).toBe(true);
    git('branch', 'other');
    await play(only({ checkout: { ref: 'other' } }));
    expect(git('symbolic-ref', '--short', 'HEAD')).toBe('other');
  });

  it('dumps prompt, environment and folder', async () => {
    const steps: Step[] = [{ prompt: { path: 'p' } }, { env: { path: 'e' } }, { pwd: { path: 'w' } }];
    await play(only(...steps), { prompt: 'do ${task} it\n', env: { EXTRA: 'x' } });
    expect(read('p')).toBe('do ${task} it\n');
    expect(JSON.parse(read('e'))).toMatchObject({ EXTRA: 'x', RALPH_TASK_ID: 't1' });
    expect(read('w')).toBe(cwd);
  });
});

describe('speaking and ending', () => {
  it('claims as the last thing said', async () => {
    expect((await play(only({ print: 'ok' }, { claim: true }))).stdout).toBe('ok\n<promise>COMPLETE</promise>\n');
    expect((await play(only({ claim: 'SHIPPED' }))).stdout).toBe('<promise>SHIPPED</promise>\n');
  });

  it('claims falsely: the tag is quoted, and more is said', async () => {
    const { stdout } = await play(only({ claimFalsely: true }));
    expect(stdout).toContain('<promise>COMPLETE</promise>');
    expect(stdout.trimEnd()).not.toMatch(/<\/promise>$/);
  });

  it('exits with the code, and plays nothing after it', async () => {
    const played = await play(only({ printErr: 'no' }, { exit: 3 }, { print: 'never' }));
    expect(played).toMatchObject({ code: 3, stdout: '', stderr: 'no\n' });
  });

  it('exits 1 when a step fails', async () => {
    const played = await play(only({ waitForFile: { path: 'never', timeoutMs: 1 } }));
    expect(played.code).toBe(1);
    expect(played.stderr).toContain('waited in vain');
  });

  it('floods exactly as many bytes as asked', async () => {
    expect((await play(only({ flood: { bytes: 1_000_001 } }))).stdout).toHaveLength(1_000_001);
  });

  it('fixes only when the prompt tells of a failed gate', async () => {
    const fix = (when?: string): Scenario =>
      only(
        { fixOnGateFailure: { steps: [{ exit: 9 }], ...(when === undefined ? {} : { when }) } },
        { print: 'as usual' },
      );
    expect((await play(fix(), { prompt: 'These gates run: npm test' })).code).toBe(0);
    expect((await play(fix(), { prompt: 'The last gate failed: npm test' })).code).toBe(9);
    expect((await play(fix('E77'), { prompt: 'The last gate failed' })).code).toBe(0);
    expect((await play(fix('E77'), { prompt: 'it said E77' })).code).toBe(9);
  });
});

describe('processes', () => {
  it('waits for a file without being told when', async () => {
    const played = await play(only({ print: 'ready' }, { waitForFile: { path: 'go' } }, { print: 'went' }), {
      onStart: async (_, said) => {
        await said('ready');
        writeFileSync(join(cwd, 'go'), '');
      },
    });
    expect(played.stdout).toBe('ready\nwent\n');
  });

  it('hangs until it is killed, deaf to TERM if told so', async () => {
    const deaf = await play(
      only({ ignoreTerm: true }, { print: 'deaf' }, { waitForFile: { path: 'go' } }, { exit: 5 }),
      {
        onStart: async (pid, said) => {
          await said('deaf');
          process.kill(pid, 'SIGTERM');
          writeFileSync(join(cwd, 'go'), '');
        },
      },
    );
    expect(deaf.code).toBe(5);
    const hung = await play(only({ print: 'hung' }, { hang: true }), {
      onStart: async (pid, said) => {
        await said('hung');
        process.kill(pid, 'SIGTERM');
      },
    });
    expect(hung.signal).toBe('SIGTERM');
  });

  it('leaves a child in a session of its own behind', async () => {
    await play(only({ spawnSetsid: { sleepMs: 60_000, path: 'child.pid' } }));
    const pid = Number(read('child.pid'));
    const session = execFileSync('ps', ['-o', 'sess=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    process.kill(pid, 'SIGKILL');
    expect(session).toBe(String(pid));
  });

  it('records start and end of each call', async () => {
    mkdirSync(join(cwd, 'r'));
    const record = join(cwd, 'r/calls.ndjson');
    await play({ ...only({ exit: 0 }), record });
    await play(
      { ...only({ waitForFile: { path: 'never', timeoutMs: 1 } }), record },
      { env: { RALPH_ITERATION: '2' } },
    );
    const lines = readFileSync(record, 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { task: 't1', iteration: 1, cwd, pid: expect.any(Number), at: expect.any(String) },
      { task: 't1', iteration: 1, ended: true },
      { task: 't1', iteration: 2 },
    ]);
  });
});
