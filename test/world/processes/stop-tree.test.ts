import { spawn } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { identityOf, isAlive } from '../../../src/world/processes/identity.ts';
import { linuxProc } from '../../../src/world/processes/linux-proc.ts';
import { awaitShim, readShim } from '../../../src/world/processes/shim.ts';
import { stopTree } from '../../../src/world/processes/stop-tree.ts';
import { findMarked, freshToken, kill, startReadyAgent, waitFor } from '../fixtures/process-kit.ts';
import type { ProcessIdentity } from '../../../src/world/processes/identity.ts';

const HOUR_MS = 3_600_000;
const never = new AbortController().signal;

function startStranger(): ProcessIdentity {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore', detached: true });
  const identity = identityOf(child.pid ?? -1);
  if (identity === null) throw new Error('sleep did not start');
  onTestFinished(() => kill(identity));
  return identity;
}

/** The process whose pid an agent printed after a word. */
function announced(stdout: string, word: string): ProcessIdentity {
  const identity = identityOf(Number(new RegExp(`${word} (\\d+)`).exec(stdout)?.[1]));
  if (identity === null) throw new Error(`no living process was announced as ${word}`);
  onTestFinished(() => kill(identity));
  return identity;
}

describe('stopTree', () => {
  it('lets a polite agent end by itself, and its exit code is kept', async () => {
    const agent = await startReadyAgent('trap "echo bye; exit 5" TERM; sleep 1000 & echo ready; wait');
    expect(await stopTree({ ...agent, graceMs: HOUR_MS })).toEqual({ swept: 0, left: 0 });
    expect(readShim(agent.dir)).toEqual({ state: 'exited', code: 5 });
    expect(agent.stdout()).toContain('bye');
  });

  it('case 36: kills an agent that ignores TERM once the grace is over', async () => {
    const agent = await startReadyAgent('trap "" TERM; echo ready; while :; do sleep 1000; done');
    expect(await stopTree({ ...agent, graceMs: 300 })).toEqual({ swept: 0, left: 0 });
    expect(findMarked(agent.token)).toEqual([]);
    expect(readShim(agent.dir)).toEqual({ state: 'lost' });
  });

  it('kills at once when forced, before or during the grace', async () => {
    const first = await startReadyAgent('trap "" TERM; echo ready; while :; do sleep 1000; done');
    await stopTree({ ...first, graceMs: HOUR_MS, force: AbortSignal.abort() });
    expect(findMarked(first.token)).toEqual([]);

    const second = await startReadyAgent('trap "echo asked" TERM; echo ready; while :; do sleep 1000; done');
    const force = new AbortController();
    const stopping = stopTree({ ...second, graceMs: HOUR_MS, force: force.signal });
    await waitFor('the agent to be asked', () => second.stdout().includes('asked'));
    force.abort();
    await stopping;
    expect(findMarked(second.token)).toEqual([]);
  });

  it('case 38: wakes a stopped agent so that it can end', async () => {
    const agent = await startReadyAgent('echo ready; kill -STOP $$; echo resumed');
    await stopTree({ ...agent, graceMs: HOUR_MS });
    expect(readShim(agent.dir)).toEqual({ state: 'exited', code: 143 });
  });

  it('sweeps a child that left the group', async () => {
    const agent = await startReadyAgent('setsid sh -c "echo escaped \\$\\$; echo ready; exec sleep 1000" & wait');
    const escaped = announced(agent.stdout(), 'escaped');
    expect(linuxProc.stat(escaped.pid)?.group).not.toBe(agent.identity.pid);
    expect(await stopTree({ ...agent, graceMs: HOUR_MS })).toEqual({ swept: 1, left: 0 });
    expect(isAlive(escaped)).toBe(false);
  });

  it('case 37: sweeps a daemon that outlived an agent which exited 0', async () => {
    const agent = await startReadyAgent(
      `setsid sh -c 'trap "" TERM; echo daemon $$; echo ready; while :; do sleep 1000; done' &`,
    );
    expect(await awaitShim(agent.dir, { signal: never })).toEqual({ state: 'exited', code: 0 });
    const daemon = announced(agent.stdout(), 'daemon');
    const { swept, left } = await stopTree({ ...agent, graceMs: 200 });
    expect(isAlive(daemon)).toBe(false);
    expect(swept).toBeGreaterThan(0);
    expect(left).toBe(0);
    expect(findMarked(agent.token)).toEqual([]);
  });

  it('goes by the token alone when the leader is not known', async () => {
    const agent = await startReadyAgent('trap "" TERM; echo ready; while :; do sleep 1000; done');
    await stopTree({ identity: null, token: agent.token, graceMs: 0 });
    expect(findMarked(agent.token)).toEqual([]);
  });

  it('finds descendants that wiped their environment and left the group', async () => {
    const agent = await startReadyAgent('env -i setsid sh -c "echo wiped \\$\\$; echo ready; exec sleep 1000" & wait');
    const wiped = announced(agent.stdout(), 'wiped');
    await stopTree({ ...agent, graceMs: HOUR_MS });
    expect(isAlive(wiped)).toBe(false);
  });

  it('kills a wiped member of the group after its leader ended', async () => {
    const agent = await startReadyAgent(
      `env -i sh -c 'trap "" TERM; echo wiped $$; echo ready; while :; do sleep 1000; done' & wait`,
    );
    const wiped = announced(agent.stdout(), 'wiped');
    await stopTree({ ...agent, graceMs: 300 });
    expect(isAlive(wiped)).toBe(false);
  });

  it('sweeps again for what was started while stopping', async () => {
    const agent = await startReadyAgent(
      `trap 'setsid sh -c "trap \\"\\" TERM; exec sleep 1000" & exit 0' TERM; sleep 1000 & echo ready; wait`,
    );
    expect(await stopTree({ ...agent, graceMs: 500 })).toMatchObject({ left: 0 });
    expect(findMarked(agent.token)).toEqual([]);
  });

  it('case 48: never signals a process that merely has the pid', async () => {
    const stranger = startStranger();
    const token = freshToken();
    for (const identity of [
      { ...stranger, startTime: '1' },
      { ...stranger, bootId: 'earlier' },
    ]) {
      expect(await stopTree({ identity, token, graceMs: 0 })).toEqual({ swept: 0, left: 0 });
    }
    expect(isAlive(stranger)).toBe(true);
    await stopTree({ identity: stranger, token, graceMs: 0 });
    expect(isAlive(stranger)).toBe(false);
  });

  it('stops many at once', async () => {
    const agents = await Promise.all(
      Array.from({ length: 12 }, () => startReadyAgent('setsid sleep 1000 & echo ready; wait')),
    );
    await Promise.all(agents.map((agent) => stopTree({ ...agent, graceMs: HOUR_MS })));
    expect(agents.flatMap((agent) => findMarked(agent.token))).toEqual([]);
  });
});
