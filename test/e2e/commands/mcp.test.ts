import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it, onTestFinished } from 'vitest';

import { bundle } from '../harness/bundle.ts';
import { listOf } from '../harness/answers.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Running } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { shellProject } from '../harness/shell-agent.ts';
import { until } from '../harness/until.ts';

interface Told {
  readonly isError: boolean;
  readonly text: string;
  readonly data: unknown;
}

interface Session {
  readonly client: Client;
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<Told>;
}

/** A client of the official SDK that starts the built server the way agents do. */
async function connect(cwd: string, env: Record<string, string>, flags: readonly string[] = []): Promise<Session> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bundle().main, 'mcp', ...flags],
    cwd,
    env,
    stderr: 'pipe',
  });
  const client = new Client({ name: 'a test', version: '1' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call: Session['call'] = async (name, args = {}) => {
    const result = await client.callTool({ name, arguments: args });
    const [first] = result.content as { text: string }[];
    return { isError: result.isError === true, text: first?.text ?? '', data: result.structuredContent };
  };
  return { client, call };
}

/** A run whose one agent waits; the server is started beside it, with the agent's own variables. */
async function waitingLoop(): Promise<{ one: Scratch; run: Running; env: Record<string, string> }> {
  const one = scratch();
  const [dump, go] = [beside(one, 'env'), beside(one, 'go')];
  shellProject(
    one,
    `env > ${dump}.part; mv ${dump}.part ${dump}
     while [ ! -e ${go} ]; do sleep 0.1; done
     echo made > made.txt`,
    { tasks: ['alpha'] },
  );
  const run = startRalph(one, ['run', '--parallel', '--events']);
  await until('the agent', () => existsSync(dump));
  const pairs = readFileSync(dump, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('RALPH_'))
    .map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
  return { one, run, env: { ...one.env, ...Object.fromEntries(pairs) } };
}

describe('mcp', () => {
  it('offers the verbs of the loop whose agent started it, by flags too where no environment is passed on', async () => {
    const { one, run, env } = await waitingLoop();
    const { client, call } = await connect(env['RALPH_WORKTREE'] ?? '', env);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'progress',
      'block',
      'wait',
      'done',
      'memory_add',
      'memory_list',
      'memory_search',
      'task_add',
      'task_show',
    ]);
    const readOnly = tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name);
    expect(readOnly).toEqual(['memory_list', 'memory_search', 'task_show']);
    expect(client.getServerVersion()?.name).toBe('ralph');
    const nested = await call('worktree_start', { feature_name: 'x' });
    expect([nested.isError, nested.data]).toMatchObject([true, { error: { code: 'E_NESTED' } }]);
    const unsaid = await connect(env['RALPH_WORKTREE'] ?? '', { ...one.env });
    expect((await unsaid.client.listTools()).tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));

    expect(await call('progress', { text: 'half way' })).toMatchObject({ isError: false, data: { iteration: 1 } });
    expect(await call('memory_add', { text: 'a fact', tags: ['one'] })).toMatchObject({ isError: false });
    expect((await call('memory_search', { words: 'fact' })).text).toContain('a fact [one]');
    expect(await call('task_add', { title: 'More', body: null })).toMatchObject({ isError: false });
    expect((await call('task_show')).data).toMatchObject({ task: 'alpha', loop: { progress: 'half way' } });
    const { RALPH_LOOP_ID: loop = '', RALPH_ITERATION: n = '', RALPH_TOKEN: token = '' } = env;
    const byFlags = await connect(one.repo, { ...one.env }, ['--loop', loop, '--iteration', n, '--token', token]);
    expect(await byFlags.call('done', { summary: 'made it' })).toMatchObject({ isError: false });
    const half = await ralph(one, ['mcp', '--loop', loop]);
    expect([half.code, half.stdout]).toEqual([2, '']);
    writeFileSync(beside(one, 'go'), '');
    const ended = await run.ended;
    expect(ended.code).toBe(0);
    for (const type of ['loop-progressed', 'task-proposed', 'loop-done']) expect(ended.stdout).toContain(`"${type}"`);
    // The server went with its iteration, like everything the agent had started; another one has nothing to say.
    const after = await connect(one.repo, env);
    const late = await after.call('progress', { text: 'too late' });
    expect(late.isError).toBe(true);
    expect(late.text).toContain('E_LOOP_ENDED');
    expect(listOf((await ralph(one, ['memory', 'list', '--json'])).stdout, 'memories')).toHaveLength(1);
  });

  it('starts outside a loop and says there what is missing', async () => {
    const one = scratch();
    shellProject(one, 'true', { tasks: ['alpha'] });
    const { call, client } = await connect(one.repo, { ...one.env });
    for (const [name, args] of [
      ['progress', { text: 'x' }],
      ['block', { why: 'x' }],
      ['done', {}],
      ['task_show', {}],
    ] as const) {
      const told = await call(name, args);
      expect([name, told.isError]).toEqual([name, true]);
      expect(told.text).toMatch(/error\[E_NO_LOOP\][^]*\nfix: /);
    }
    const { tools } = await client.listTools();
    const named = tools.map(({ name }) => name);
    for (const name of ['run', 'status', 'why', 'land', 'worktree_start', 'worktree_list', 'worktree_status'])
      expect(named).toContain(name);
    const taking = tools.filter(({ annotations }) => annotations?.destructiveHint === true).map(({ name }) => name);
    expect(taking).toEqual(['run', 'land', 'worktree_cleanup']);
    const there = beside(one, 'login');
    const made = await call('worktree_start', { feature_name: 'login', worktree_path: there });
    expect([made.isError, made.data]).toMatchObject([false, { version: 1, path: there, branch: 'feature/login' }]);
    expect((await call('worktree_status', { name: 'login' })).data).toMatchObject({ worktree: { path: there } });
    writeFileSync(join(there, 'new.txt'), 'new');
    expect((await call('worktree_cleanup', { name: 'login' })).text).toMatch(/E_UNLANDED[^]*\nfix: .*--force/);
    expect(await call('worktree_cleanup', { name: 'login', force: true })).toMatchObject({ isError: false });
    expect((await call('worktree_start', { feature_name: 'a;b' })).data).toMatchObject({ error: { code: 'E_NAME' } });
    expect((await call('worktree_cleanup', { name: 'x', force: 'yes' })).data).toMatchObject({
      error: { code: 'E_USAGE', message: 'force is not true or false' },
    });
    expect(await call('memory_list')).toMatchObject({ isError: false, data: { memories: [] } });
    expect(await call('task_show', { id: 'alpha' })).toMatchObject({ isError: false, data: { title: 'Make alpha' } });
    expect((await call('progress', {})).text).toContain('text is missing');
    expect((await call('progress', { text: 7 })).text).toContain('text is no text');
    expect((await call('progress', { text: 'x', loop: 'y' })).text).toContain('takes no "loop"');
    await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toThrow(/no tool is called nothing/);
    const nowhere = await connect(one.root, { ...one.env });
    expect((await nowhere.call('memory_list')).text).toContain('E_NO_REPOSITORY');
  });

  it('runs a task list to main, telling what happens as it happens, and says where things stand', async () => {
    const one = scratch();
    shellProject(one, "echo made > made.txt; echo '<promise>COMPLETE</promise>'", { tasks: ['alpha'] });
    const { client, call } = await connect(one.repo, { ...one.env });
    expect((await call('status')).data).toMatchObject({ version: 1, tasks: [{ id: 'alpha' }] });
    const heard: string[] = [];
    const ran = await client.callTool({ name: 'run', arguments: { parallel: true } }, undefined, {
      timeout: 120_000,
      onprogress: ({ message = '' }) => void heard.push(message),
    });
    expect([ran.isError, ran.structuredContent]).toMatchObject([
      undefined,
      { version: 1, landed: [{ task: 'alpha' }] },
    ]);
    expect(heard.join('\n')).toMatch(/alpha/);
    expect((await call('why', { id: 'alpha' })).data).toMatchObject({ version: 1, task: 'alpha' });
    expect(await call('land', { all: true })).toMatchObject({ isError: false, data: { version: 1, landed: [] } });
    expect(one.git('show', 'main:made.txt')).toBe('made');
  });

  it('answers the probe of newer clients, speaks old and new versions, and ends with its input', async () => {
    const one = scratch();
    const child = spawn(process.execPath, [bundle().main, 'mcp'], { cwd: one.repo, env: one.env, stdio: 'pipe' });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const send = (id: number, method: string, params: object): void =>
      void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    send(1, 'server/discover', { protocolVersion: '2026-07-28' });
    for (const [id, protocolVersion] of [
      [2, '2024-11-05'],
      [3, '2025-11-25'],
      [4, '2026-07-28'],
    ] as const)
      send(id, 'initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } });
    // Not awaited before the input ends: it must be answered all the same.
    send(5, 'tools/call', { name: 'memory_list', arguments: {} });
    child.stdin.end();
    expect(await ended).toBe(0);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number | null });
    const answer = (id: number | null): unknown => answers.find((one) => one.id === id);
    expect(answer(1)).toMatchObject({ error: { code: -32601 } });
    expect(answer(2)).toMatchObject({ result: { protocolVersion: '2024-11-05' } });
    expect(answer(3)).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
    expect(answer(4)).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
    expect(answer(5)).toMatchObject({ result: { content: [{ type: 'text' }] } });
    expect(answers).toHaveLength(5);
  });

  it('ends when it is told to', async () => {
    const one = scratch();
    const child = spawn(process.execPath, [bundle().main, 'mcp'], { cwd: one.repo, env: one.env, stdio: 'pipe' });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const first = new Promise((resolve) => child.stdout.once('data', resolve));
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })}\n`);
    await first;
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});
