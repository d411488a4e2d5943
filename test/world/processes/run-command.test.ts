import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { identityOf, isAlive } from '../../../src/world/processes/identity.ts';
import { runCommand } from '../../../src/world/processes/run-command.ts';
import { findMarked, ENV, freshToken, kill, temporaryFolder, waitFor } from '../fixtures/process-kit.ts';
import type { CommandOptions } from '../../../src/world/processes/run-command.ts';
import type { ProcessIdentity } from '../../../src/world/processes/identity.ts';

const HOUR_MS = 3_600_000;

function gate(command: string, more: Partial<CommandOptions> = {}): CommandOptions {
  const cwd = temporaryFolder();
  const signal = new AbortController().signal;
  const logFile = join(cwd, 'gate.log');
  return { command, cwd, env: ENV, logFile, timeoutMs: HOUR_MS, graceMs: 300, signal, token: freshToken(), ...more };
}

function logOf(options: CommandOptions): string {
  try {
    return readFileSync(options.logFile, 'utf8');
  } catch {
    return '';
  }
}

async function announced(options: CommandOptions): Promise<ProcessIdentity> {
  await waitFor('the command to announce a process', () => /pid \d+\n/.test(logOf(options)));
  const identity = identityOf(Number(/pid (\d+)/.exec(logOf(options))?.[1]));
  if (identity === null) throw new Error('the announced process is gone');
  onTestFinished(() => kill(identity));
  return identity;
}

describe('runCommand', () => {
  it('runs a shell line where it is told to and gives back code and output', async () => {
    const options = gate('pwd -P; echo "$HOME" | tr a-z A-Z >&2; exit 3');
    const result = await runCommand(options);
    expect(result).toMatchObject({ code: 3, timedOut: false, aborted: false });
    expect(result.tail).toBe(`${options.cwd}\n${ENV.HOME.toUpperCase()}\n`);
    expect(result.durationMs).toBeGreaterThan(0);
  });

  it('gives the command nothing to read', async () => {
    expect(await runCommand(gate('cat; echo over'))).toMatchObject({ code: 0, tail: 'over\n' });
  });

  it('counts a deadly signal as a shell does', async () => {
    expect(await runCommand(gate('kill -9 $$'))).toMatchObject({ code: 137 });
  });

  it('appends to the log, and the tail is of this command only, cut between characters', async () => {
    const first = gate('echo first');
    await runCommand(first);
    expect((await runCommand({ ...first, command: 'echo second' })).tail).toBe('second\n');
    expect(logOf(first)).toBe('first\nsecond\n');
    const long = await runCommand(
      gate(`printf '%05000d'; printf 'x\\377'; i=0; while [ $i -lt 2100 ]; do printf 'é'; i=$((i+1)); done; echo`),
    );
    expect(long.tail).toBe(`${'é'.repeat(2047)}\n`);
  });

  it('case 36: ends a command that takes too long and ignores TERM', async () => {
    const options = gate('trap "" TERM; echo begun; while :; do sleep 1000; done', { timeoutMs: 500 });
    const result = await runCommand(options);
    // It may be over before it has begun.
    expect(result).toMatchObject({ code: null, timedOut: true, aborted: false, tail: logOf(options) });
    expect(findMarked(options.token)).toEqual([]);
  });

  it('ends a command when told to, with what left its group', async () => {
    const controller = new AbortController();
    const options = gate('setsid sh -c "echo pid \\$\\$; exec sleep 1000" & wait', { signal: controller.signal });
    const running = runCommand(options);
    const escaped = await announced(options);
    controller.abort();
    expect(await running).toMatchObject({ code: null, timedOut: false, aborted: true });
    expect(isAlive(escaped)).toBe(false);
  });

  it('does not begin when already told to end', async () => {
    const options = gate('echo begun', { signal: AbortSignal.abort() });
    expect(await runCommand(options)).toMatchObject({ code: null, aborted: true, tail: '' });
    expect(logOf(options)).toBe('');
  });

  it('case 37: leaves no background process behind, though it holds the output open', async () => {
    const plain = gate('sleep 1000 & echo pid $!');
    const wiped = gate('env -i sleep 1000 & echo pid $!');
    const escaped = gate(`setsid sh -c 'trap "" TERM; while :; do sleep 1000; done' & echo pid $!`);
    for (const options of [plain, wiped, escaped]) {
      expect(await runCommand(options)).toMatchObject({ code: 0, timedOut: false });
      const pid = Number(/pid (\d+)/.exec(logOf(options))?.[1]);
      expect(identityOf(pid)).toBeNull();
      expect(findMarked(options.token)).toEqual([]);
    }
  });

  it('accepts a limit longer than a timer can hold', async () => {
    expect(await runCommand(gate('sleep 0.2; echo done', { timeoutMs: Number.POSITIVE_INFINITY }))).toMatchObject({
      code: 0,
    });
  });

  it('says so when the folder to work in is not there', async () => {
    const options = gate('true');
    await expect(runCommand({ ...options, cwd: '/no/such/folder' })).rejects.toMatchObject({ code: 'E_PROCESS' });
  });
});
