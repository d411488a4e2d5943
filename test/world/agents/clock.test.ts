import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openAgents } from '../../../src/world/agents/agents.ts';
import { readStarted } from '../../../src/world/processes/shim-folder.ts';
import { readShim } from '../../../src/world/processes/shim.ts';
import type { Clock } from '../../../src/world/contract/world.ts';
import { PATIENT, stage } from '../fixtures/agents-kit.ts';
import type { Stage } from '../fixtures/agents-kit.ts';
import { waitFor } from '../fixtures/process-kit.ts';

const HOUR_MS = 3_600_000;
const LONG_MS = 60_000;

/** An iteration that runs, and another host that finds it: its clock shows another time, and the machine was awake for `awakeMs` more. */
async function found(script: string, { jumpMs = 0, awakeMs = 0 }): Promise<Stage> {
  const staged = stage({ agent: { command: ['sh', '-c', `echo on; ${script}`] } });
  await staged.agents.start(staged.iteration, staged.order);
  await waitFor('the agent', () => staged.read('stdout.log').includes('on'));
  const { clock: real } = staged.place;
  const clock: Clock = { ...real, nowMs: () => real.nowMs() + jumpMs, awakeMs: () => real.awakeMs() + awakeMs };
  return { ...staged, agents: openAgents({ ...staged.place, clock }) };
}

describe('an iteration is timed by a clock that nobody sets', () => {
  for (const [what, jumpMs] of [
    ['case 69: the clock two hours on', 2 * HOUR_MS],
    ['case 69: the clock two hours back', -2 * HOUR_MS],
    ['case 69: the clock at 1970', -Date.now()],
    ['case 70: eight hours asleep', 8 * HOUR_MS],
  ] as const) {
    it(`${what}: it is neither stopped for that nor said to have taken so long`, async () => {
      const { agents, iteration } = await found('sleep 0.5', { jumpMs });
      const { end, durationMs } = await agents.finish(iteration, { ...PATIENT, timeoutMs: LONG_MS });
      expect(end).toEqual({ how: 'exited', code: 0 });
      expect(durationMs).toBeGreaterThanOrEqual(0);
      expect(durationMs).toBeLessThan(LONG_MS);
    });
  }

  it('has no more time than it was given, whoever watches it', async () => {
    const { agents, iteration } = await found('sleep 300', { jumpMs: -2 * HOUR_MS, awakeMs: LONG_MS });
    const { end, durationMs } = await agents.finish(iteration, { ...PATIENT, timeoutMs: LONG_MS });
    expect(end).toEqual({ how: 'timed-out' });
    expect(durationMs).toBeGreaterThanOrEqual(LONG_MS);
  });

  it('one that died with its host took no longer than until its last words, however long nobody came', async () => {
    const { agents, iteration, dir } = await found('sleep 300', { jumpMs: 8 * HOUR_MS, awakeMs: 8 * HOUR_MS });
    const { identity } = readStarted(dir);
    process.kill(-(identity?.pid ?? 0), 'SIGKILL');
    await waitFor('its end', () => readShim(dir).state === 'lost');
    const { end, durationMs } = await agents.finish(iteration, { ...PATIENT, timeoutMs: LONG_MS });
    expect(end).toEqual({ how: 'lost' });
    expect(durationMs).toBeLessThan(LONG_MS);
  });

  it('is timed by what its folder says where that does not tell the awake time', async () => {
    const { agents, iteration, dir } = await found('sleep 300', { jumpMs: 2 * HOUR_MS });
    const file = join(dir, 'start.json');
    const { token, starter } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    writeFileSync(file, JSON.stringify({ token, starter }));
    const { end } = await agents.finish(iteration, { ...PATIENT, timeoutMs: LONG_MS });
    expect(end).toEqual({ how: 'timed-out' });
  });
});
