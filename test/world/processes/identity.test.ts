import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { identityOf, isAlive, ownIdentity } from '../../../src/world/processes/identity.ts';
import { linuxProc } from '../../../src/world/processes/linux-proc.ts';
import { portablePs } from '../../../src/world/processes/portable-ps.ts';
import { findAllMarked } from '../../../src/world/processes/find-processes.ts';
import { findMarked, freshToken, kill, waitFor } from '../fixtures/process-kit.ts';
import type { ProcessIdentity } from '../../../src/world/processes/identity.ts';

function startSleep(env: Record<string, string> = {}): ProcessIdentity {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore', env: { ...process.env, ...env } });
  const identity = identityOf(child.pid ?? -1);
  if (identity === null) throw new Error('sleep did not start');
  onTestFinished(() => kill(identity));
  return identity;
}

describe('identity', () => {
  it('names this process and finds it alive', () => {
    expect(ownIdentity().pid).toBe(process.pid);
    expect(isAlive(ownIdentity())).toBe(true);
  });

  it('is gone after the process ended', async () => {
    const child = spawn('true', { stdio: 'ignore' });
    const identity = identityOf(child.pid ?? -1);
    await once(child, 'exit');
    expect(identityOf(child.pid ?? -1)).toBeNull();
    expect(identity === null || isAlive(identity)).toBe(identity === null);
  });

  it('case 48: a pid with another start time is another process', () => {
    const identity = startSleep();
    expect(isAlive(identity)).toBe(true);
    expect(isAlive({ ...identity, startTime: '1' })).toBe(false);
  });

  it('case 50: nothing of an earlier boot is alive', () => {
    expect(isAlive({ ...startSleep(), bootId: '00000000-0000-0000-0000-000000000000' })).toBe(false);
  });

  it('case 49: a zombie is dead, though signals still reach it', async () => {
    // The shell becomes a sleep, which never collects the child it inherits.
    const parent = spawn('sh', ['-c', 'sleep 1000 & echo $!; exec sleep 1000'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [line] = await once(parent.stdout, 'data');
    const identity = identityOf(Number(String(line)));
    if (identity === null) throw new Error('the child did not start');
    process.kill(identity.pid, 'SIGKILL');
    await waitFor('the child to become a zombie', () => linuxProc.stat(identity.pid)?.zombie === true);
    expect(process.kill(identity.pid, 0)).toBe(true);
    expect(isAlive(identity)).toBe(false);
    expect(identityOf(identity.pid)).toBeNull();
  });

  it('reads past a command name made of spaces and parentheses', async () => {
    const script = 'printf ") Z 1 1 (" >/proc/$$/comm; echo named; read -r line';
    const child = spawn('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    expect(linuxProc.stat(child.pid ?? -1)).toMatchObject({ parent: process.pid, group: child.pid, zombie: false });
  });
});

describe('sweep', () => {
  it('finds what carries the token and nothing that merely resembles it', async () => {
    const token = freshToken();
    const marked = startSleep({ RALPH_TOKEN: token, RALPH_LOOP_ID: 'loop-7' });
    startSleep({ RALPH_TOKEN: `${token}0` });
    startSleep({ NOT_RALPH_TOKEN: token, OTHER: `RALPH_TOKEN=${token}` });
    await waitFor('the environment to be in place', () => findMarked(token).length > 0);
    expect(findMarked(token)).toEqual([marked]);
    expect(findAllMarked()).toContainEqual({ identity: marked, token, loop: 'loop-7' });
  });

  it('refuses a token that could match a stranger', () => {});
});

describe('the two sources of process facts', () => {
  it('agree about a marked process', () => {
    const token = freshToken();
    const { pid } = startSleep({ RALPH_TOKEN: token, RALPH_LOOP_ID: 'loop-8' });
    const fromProc = linuxProc.list().find((entry) => entry.pid === pid);
    const fromPs = portablePs.list().find((entry) => entry.pid === pid);
    expect(fromProc).toMatchObject({ pid, parent: process.pid, zombie: false, token, loop: 'loop-8' });
    expect(fromPs).toEqual({ ...fromProc, startTime: expect.stringMatching(/^\w{3} \w{3} [ \d]\d [\d:]{8} \d{4}$/) });
    expect(portablePs.stat(pid)).toMatchObject({ pid, parent: process.pid, zombie: false });
  });

  it('agree about who is above whom, and what was called', () => {
    const { pid } = startSleep({});
    const [own, parent] = linuxProc.commandsAbove(pid).map((command) => command.replaceAll('\0', ' ').trim());
    const fromPs = portablePs.commandsAbove(pid).map((command) => command.trim());
    expect([own, fromPs.length]).toEqual([fromPs[0], linuxProc.commandsAbove(pid).length]);
    expect(linuxProc.commandsAbove(process.pid)[0]?.replaceAll('\0', ' ').trim()).toBe(parent);
  });

  it('agree that nobody holds an unused pid', async () => {
    const child = spawn('true', { stdio: 'ignore' });
    await once(child, 'exit');
    expect(linuxProc.stat(child.pid ?? -1)).toBeNull();
    expect(portablePs.stat(child.pid ?? -1)).toBeNull();
  });
});
