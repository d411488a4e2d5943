import { chmodSync, copyFileSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findExecutable } from '../../../src/world/processes/environment.ts';
import { identityOf, isAlive, ownIdentity } from '../../../src/world/processes/identity.ts';
import { awaitShim, readShim, startShim } from '../../../src/world/processes/shim.ts';
import { findMarked } from '../fixtures/process-kit.ts';
import { readTail } from '../../../src/world/os/tail.ts';
import {
  ENV,
  freshToken,
  runFolder,
  startAgent,
  startReadyAgent,
  temporaryFolder,
  waitFor,
} from '../fixtures/process-kit.ts';

const never = new AbortController().signal;

describe('startShim', () => {
  it('leaves exit code and output in private files of the run folder', async () => {
    const agent = await startAgent(['sh', '-c', 'echo out; echo err >&2; exit 7']);
    expect(await awaitShim(agent.dir, { signal: never })).toEqual({ state: 'exited', code: 7 });
    expect(agent.stdout()).toBe('out\n');
    expect(agent.stderr()).toBe('err\n');
    expect(statSync(join(agent.dir, 'stdout.log')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(agent.dir, 'pid'), 'utf8')).toBe(`${agent.identity.pid}\n`);
    expect(JSON.parse(readFileSync(join(agent.dir, 'identity.json'), 'utf8'))).toEqual({
      ...agent.identity,
      token: agent.token,
    });
  });

  it('hands on arguments untouched, whatever a shell would make of them', async () => {
    const rest = [
      'two words',
      `it's "quoted"`,
      'line\nbreak',
      '$(touch x)',
      '`id`',
      '$HOME',
      '*',
      '',
      '-n',
      '\\n',
      ';exit 9',
      'ü',
    ];
    const agent = await startAgent(['printf', '%s\\0', ...rest]);
    expect(await awaitShim(agent.dir, { signal: never })).toEqual({ state: 'exited', code: 0 });
    expect(Buffer.from(agent.stdout(), 'latin1').toString('utf8')).toBe(rest.map((one) => `${one}\0`).join(''));
  });

  it('runs the command on the PATH where the shell has one of its own', async () => {
    const agent = await startAgent(['echo', 'a\\tb']);
    await awaitShim(agent.dir, { signal: never });
    expect(agent.stdout()).toBe('a\\tb\n');
  });

  it('gives the agent exactly the environment it was told to, and the token', async () => {
    const agent = await startAgent(['env', '-0']);
    await awaitShim(agent.dir, { signal: never });
    const lines = agent
      .stdout()
      .split('\0')
      .filter((line) => line !== '');
    const expected = { ...ENV, RALPH_TOKEN: agent.token };
    expect(lines.sort()).toEqual(
      Object.entries(expected)
        .map(([name, value]) => `${name}=${value}`)
        .sort(),
    );
  });

  it('case 42: an agent that reads on meets the end of the prompt, and finds no terminal to ask on', async () => {
    const agent = await startAgent(
      ['sh', '-c', 'cat; echo "[end]"; if (: </dev/tty) 2>/dev/null; then echo tty; else echo none; fi'],
      'do it',
    );
    expect(await awaitShim(agent.dir, { signal: never })).toEqual({ state: 'exited', code: 0 });
    expect(agent.stdout()).toBe('do it[end]\nnone\n');
  });

  it('feeds a prompt of 200 KB', async () => {
    const prompt = `${'p'.repeat(200 * 1024)}.`;
    const agent = await startAgent(['cat'], prompt);
    await awaitShim(agent.dir, { signal: never });
    expect(agent.stdout()).toBe(prompt);
  });

  it('case 40: keeps bytes that are not text as they are, and shows them as text', async () => {
    const agent = await startAgent(['printf', 'a\\377\\000b\\n']);
    await awaitShim(agent.dir, { signal: never });
    expect(agent.stdout()).toBe('a\u00ff\u0000b\n');
    expect(readTail(join(agent.dir, 'stdout.log'), 100)).toBe('a\ufffd\u0000b\n');
  });

  it('records the signal that ended the agent', async () => {
    const agent = await startAgent(['sh', '-c', 'kill -9 $$']);
    expect(await awaitShim(agent.dir, { signal: never })).toEqual({ state: 'exited', code: 137 });
  });

  it('serves a run folder once', async () => {
    const agent = await startAgent(['true']);
    await awaitShim(agent.dir, { signal: never });
    const again = startShim({ dir: agent.dir, argv: ['true'], cwd: tmpdir(), env: ENV, token: agent.token });
    await expect(again).rejects.toMatchObject({ code: 'E_BUSY' });
  });

  it('says so when the folder to work in is not there, and leaves the run folder free', async () => {
    const dir = runFolder();
    const start = { dir, argv: ['true'], env: ENV, token: freshToken() };
    await expect(startShim({ ...start, cwd: join(dir, 'gone') })).rejects.toMatchObject({ code: 'E_PROCESS' });
    expect(readShim(dir)).toEqual({ state: 'absent' });
    await startShim({ ...start, cwd: dir });
    expect(await awaitShim(dir, { signal: never })).toEqual({ state: 'exited', code: 0 });
  });

  it('does not write through a link planted in the run folder', async () => {
    const dir = runFolder();
    const victim = join(temporaryFolder(), 'victim');
    writeFileSync(victim, 'precious');
    symlinkSync(victim, join(dir, 'stdout.log'));
    const start = startShim({ dir, argv: ['echo', 'overwritten'], cwd: tmpdir(), env: ENV, token: freshToken() });
    await expect(start).rejects.toMatchObject({ code: 'E_STATE_UNWRITABLE' });
    expect(readFileSync(victim, 'utf8')).toBe('precious');
  });
});

describe('case 43: a command that cannot be run ends as one', () => {
  async function codeOf(argv: readonly string[]): Promise<{ code: number | null; stderr: string }> {
    const agent = await startAgent(argv);
    const end = await awaitShim(agent.dir, { signal: never });
    return { code: end.state === 'exited' ? end.code : null, stderr: agent.stderr() };
  }

  it('missing: 127', async () => {
    expect(await codeOf(['no-such-agent', '--flag'])).toEqual({
      code: 127,
      stderr: 'no-such-agent: command not found\n',
    });
    expect((await codeOf(['/no/such/agent'])).code).toBe(127);
  });

  it('named like a word of the shell: 127, not obeyed', async () => {
    expect((await codeOf(['exit', '0'])).code).toBe(127);
    expect((await codeOf(['eval', 'exit 0'])).code).toBe(127);
  });

  it('not executable: 126', async () => {
    const file = join(temporaryFolder(), 'agent');
    writeFileSync(file, 'echo hello', { mode: 0o644 });
    expect(await codeOf([file])).toEqual({ code: 126, stderr: `${file}: not executable\n` });
  });

  it('built for another machine: 126', async () => {
    const file = join(temporaryFolder(), 'agent');
    copyFileSync(findExecutable('true', process.env, '/') ?? '', file);
    const bytes = readFileSync(file);
    bytes.writeUInt16LE(0xfefe, 18);
    writeFileSync(file, bytes);
    chmodSync(file, 0o755);
    expect((await codeOf([file])).code).toBe(126);
  });
});

describe('readShim and awaitShim', () => {
  it('see nothing in an unused folder', async () => {
    const dir = runFolder();
    expect(readShim(dir)).toEqual({ state: 'absent' });
    expect(await awaitShim(dir, { signal: never })).toEqual({ state: 'lost' });
  });

  it('see a running iteration, and waiting can be given up without harm to it', async () => {
    const agent = await startReadyAgent('echo ready; sleep 1000');
    expect(readShim(agent.dir)).toEqual({ state: 'running', identity: agent.identity });
    const controller = new AbortController();
    const waiting = awaitShim(agent.dir, { signal: controller.signal, onPoll: () => controller.abort() });
    expect(await waiting).toEqual({ state: 'aborted' });
    expect(isAlive(agent.identity)).toBe(true);
  });

  it('notice the end of an own child without polling', async () => {
    const agent = await startAgent(['sleep', '0.2']);
    expect(await awaitShim(agent.dir, { signal: never, pollMs: 3_600_000 })).toEqual({ state: 'exited', code: 0 });
  });

  it('call an iteration lost when its shim was killed', async () => {
    const agent = await startReadyAgent('echo ready; sleep 1000');
    process.kill(agent.identity.pid, 'SIGKILL');
    expect(await awaitShim(agent.dir, { signal: never, pollMs: 3_600_000 })).toEqual({ state: 'lost' });
    expect(readShim(agent.dir)).toEqual({ state: 'lost' });
  });

  it('case 50: call an iteration of an earlier boot lost', async () => {
    const agent = await startReadyAgent('echo ready; sleep 1000');
    const earlier = { ...agent.identity, bootId: 'earlier', token: agent.token };
    writeFileSync(join(agent.dir, 'identity.json'), JSON.stringify(earlier));
    expect(readShim(agent.dir)).toEqual({ state: 'lost' });
  });

  it('take a half-written exit code for none', async () => {
    const agent = await startReadyAgent('echo ready; sleep 1000');
    writeFileSync(join(agent.dir, 'exit'), '1');
    expect(readShim(agent.dir).state).toBe('running');
    writeFileSync(join(agent.dir, 'exit'), '13\n');
    expect(readShim(agent.dir)).toEqual({ state: 'exited', code: 13 });
  });

  it('find an iteration whose identity was never recorded, by pid and token, and record it', async () => {
    const agent = await startReadyAgent('echo ready; sleep 1000');
    rmSync(join(agent.dir, 'identity.json'));
    expect(readShim(agent.dir)).toEqual({ state: 'running', identity: agent.identity });
    expect(JSON.parse(readFileSync(join(agent.dir, 'identity.json'), 'utf8'))).toMatchObject(agent.identity);
  });

  it('do not take a child of a killed shim for the shim', async () => {
    const agent = await startReadyAgent('setsid sleep 1000 & echo ready; sleep 1000');
    process.kill(agent.identity.pid, 'SIGKILL');
    rmSync(join(agent.dir, 'identity.json'));
    expect(await awaitShim(agent.dir, { signal: never })).toEqual({ state: 'lost' });
    expect(readShim(agent.dir)).toEqual({ state: 'lost' });
  });

  it('do not wait for ever for one that came and went without a trace', async () => {
    const agent = await startAgent(['true']);
    await awaitShim(agent.dir, { signal: never });
    for (const name of ['identity.json', 'pid', 'exit']) rmSync(join(agent.dir, name));
    expect(await awaitShim(agent.dir, { signal: never })).toEqual({ state: 'lost' });
  });

  it('find it by the token alone', async () => {
    const agent = await startReadyAgent('setsid sleep 1000 & echo ready; sleep 1000');
    rmSync(join(agent.dir, 'identity.json'));
    rmSync(join(agent.dir, 'pid'));
    expect(readShim(agent.dir)).toEqual({ state: 'running', identity: agent.identity });
  });

  it('case 48: do not take a stranger for the iteration because it has the recorded pid', async () => {
    const agent = await startReadyAgent('echo ready; sleep 1000');
    for (const identity of findMarked(agent.token)) process.kill(identity.pid, 'SIGKILL');
    await waitFor('the agent to be gone', () => findMarked(agent.token).length === 0);
    rmSync(join(agent.dir, 'identity.json'));
    writeFileSync(join(agent.dir, 'pid'), `${process.ppid}\n`);
    const starter = { ...ownIdentity(), startTime: '1' };
    writeFileSync(join(agent.dir, 'start.json'), JSON.stringify({ token: agent.token, starter }));
    expect(readShim(agent.dir)).toEqual({ state: 'lost' });
  });

  it('wait while another host is about to start it', async () => {
    const dir = runFolder();
    const starter = identityOf(process.ppid);
    writeFileSync(join(dir, 'start.json'), JSON.stringify({ token: freshToken(), starter }));
    expect(readShim(dir)).toEqual({ state: 'absent' });
    const onPoll = (): void => writeFileSync(join(dir, 'exit'), '0\n');
    expect(await awaitShim(dir, { signal: never, onPoll })).toEqual({ state: 'exited', code: 0 });
  });
});
