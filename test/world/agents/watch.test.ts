import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findMarked } from '../fixtures/process-kit.ts';
import { PATIENT, stage } from '../fixtures/agents-kit.ts';

const sh = (script: string): string[] => ['sh', '-c', script];
const answer = (id: number): string =>
  JSON.stringify({
    type: 'assistant',
    message: {
      id: `m${id}`,
      content: [{ type: 'text', text: `answer ${id}` }],
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  });

describe('an iteration that goes on by itself', () => {
  it('case 38: is stopped once it was silent for too long on both streams', async () => {
    // Each word keeps it alive: together they last longer than the silence that is allowed.
    const script = 'echo 1; sleep 1; echo 2 >&2; sleep 1; echo 3; sleep 1; echo 4 >&2; sleep 300';
    const { agents, iteration, order, read } = stage({ agent: { command: sh(script), stallMs: 3000 } });
    await agents.start(iteration, order);
    const { end } = await agents.finish(iteration, PATIENT);
    expect(end).toEqual({ how: 'stopped', why: 'stalled', detail: 'no output for 3s' });
    expect(read('stdout.log')).toBe('1\n3\n');
    expect(read('stderr.log')).toMatch(/^2\n4\n/);
    expect(findMarked(read('token'))).toEqual([]);
  });

  it('case 38: is stopped and gone also where it had stopped itself, alone or with everything around it', async () => {
    const scripts = [
      'echo on; kill -STOP $$; sleep 300',
      'trap "" TERM; echo on; kill -STOP 0; while :; do sleep 300; done',
    ];
    await Promise.all(
      scripts.map(async (script) => {
        const { agents, iteration, order, read } = stage({ agent: { command: sh(script), stallMs: 1000 } });
        await agents.start(iteration, order);
        const { end } = await agents.finish(iteration, { ...PATIENT, graceMs: 300 });
        expect([script, end]).toEqual([script, { how: 'stopped', why: 'stalled', detail: 'no output for 1s' }]);
        expect(read('stdout.log')).toBe('on\n');
        expect(findMarked(read('token'))).toEqual([]);
      }),
    );
  });

  it('is stopped when it prints more than is allowed, on both streams together', async () => {
    const script = 'head -c 700000 /dev/zero; head -c 700000 /dev/zero >&2; sleep 300';
    const { agents, iteration, order, read } = stage({ agent: { command: sh(script) }, limits: { outputMb: 1 } });
    await agents.start(iteration, order);
    const { end } = await agents.finish(iteration, PATIENT);
    expect(end).toEqual({ how: 'stopped', why: 'flood', detail: 'printed more than 1 MB' });
    expect(findMarked(read('token'))).toEqual([]);
  });

  it('case 39: gets no grace for a flood, and what is above the bound is not kept', async () => {
    const command = sh('trap "" TERM; yes; sleep 300');
    const { agents, iteration, order, dir } = stage({ agent: { command }, limits: { outputMb: 1 } });
    await agents.start(iteration, order);
    const { end } = await agents.finish(iteration, { ...PATIENT, graceMs: 600_000 });
    expect(end).toMatchObject({ why: 'flood' });
    expect(statSync(join(dir, 'stdout.log')).size).toBe(1024 * 1024);
  });

  it('is stopped when its model answered too often', async () => {
    const lines = [1, 2, 3].map((id) => `echo '${answer(id)}'`).join('; ');
    const stop = (maxTurns: number, after: string): ReturnType<typeof stage> =>
      stage({ agent: { driver: 'claude', command: sh(`${lines}; ${after}`), maxTurns } });
    const over = stop(2, 'sleep 300');
    await over.agents.start(over.iteration, over.order);
    const result = await over.agents.finish(over.iteration, PATIENT);
    expect(result.end).toEqual({ how: 'stopped', why: 'turns', detail: 'more than 2 turns' });
    expect(result.report.usage.turns).toBe(3);
    const within = stop(3, 'sleep 3');
    await within.agents.start(within.iteration, within.order);
    expect((await within.agents.finish(within.iteration, PATIENT)).end).toEqual({ how: 'exited', code: 0 });
  });

  it('keeps what fits of a flood that was stopped', async () => {
    const { agents, iteration, order, dir } = stage({
      agent: { command: ['yes'] },
      limits: { outputMb: 20, logMb: 2 },
    });
    await agents.start(iteration, order);
    expect((await agents.finish(iteration, PATIENT)).end).toMatchObject({ why: 'flood' });
    expect(statSync(join(dir, 'stdout.log')).size).toBeLessThanOrEqual(2 * 1024 * 1024);
  });
});
