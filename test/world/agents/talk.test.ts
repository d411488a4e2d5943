import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findMarked, waitFor } from '../fixtures/process-kit.ts';
import { PATIENT, stage } from '../fixtures/agents-kit.ts';

/** Takes what lies in its inbox and tells of it; what it does about an interrupt is up to the test. */
const driver = (onInterrupt: string): string => `
import { readFileSync, readdirSync, renameSync } from 'node:fs';
const folder = process.argv[2];
process.on('SIGTERM', () => {});
console.log('led ' + JSON.parse(readFileSync(folder + '/talk.json', 'utf8')).kind);
setInterval(() => {
  for (const name of readdirSync(folder + '/inbox').filter((one) => /^\\w+\\.json$/.test(one))) {
    const message = JSON.parse(readFileSync(folder + '/inbox/' + name, 'utf8'));
    renameSync(folder + '/inbox/' + name, folder + '/inbox/' + name + '.taken');
    console.log(JSON.stringify(message));
    if (message.type === 'interrupt') { ${onInterrupt} }
  }
}, 20);
`;
const agent = { driver: 'acp', command: ['never-started'] } as const;

describe('an agent that can be spoken to', () => {
  it('is asked to end before it is made to', async () => {
    // It does not mind a SIGTERM, and the grace is long: only the message can have ended it this way.
    const { agents, iteration, order, read } = stage({ agent, driver: driver('process.exit(0)') });
    await agents.start(iteration, order);
    await waitFor('the driver', () => read('stdout.log').includes('led acp'));
    const stop = new AbortController();
    const finished = agents.finish(iteration, { ...PATIENT, graceMs: 120_000, signal: stop.signal });
    stop.abort();
    expect((await finished).end).toEqual({ how: 'interrupted' });
    expect(read('stdout.log')).toContain('{"type":"interrupt"}');
    expect(read('exit')).toBe('0\n');
  });

  it('is made to end when it does not listen', async () => {
    const { agents, iteration, order, read, dir } = stage({ agent, driver: driver('') });
    await agents.start(iteration, order);
    await waitFor('the driver', () => read('stdout.log').includes('led acp'));
    const finished = agents.finish(iteration, { ...PATIENT, graceMs: 300, signal: AbortSignal.abort() });
    expect((await finished).end).toEqual({ how: 'interrupted' });
    // Whether it came to take it in so short a time or not.
    expect(readdirSync(join(dir, 'inbox')).map((name) => name.replace('.taken', ''))).toEqual(['interrupt.json']);
    expect(findMarked(read('token'))).toEqual([]);
  });

  it('gets guidance once, while it works', async () => {
    const { agents, iteration, order, read, dir } = stage({ agent, driver: driver('process.exit(0)') });
    await agents.start(iteration, order);
    const guidance = { id: 12, text: 'Mind the "gap"\n' };
    await waitFor('the driver', () => read('stdout.log').includes('led acp'));
    expect(agents.steer(iteration, guidance)).toBe(true);
    await waitFor('the message to be taken', () => existsSync(join(dir, 'inbox/12.json.taken')));
    expect(agents.steer(iteration, guidance)).toBe(true);
    expect(readdirSync(join(dir, 'inbox'))).toEqual(['12.json.taken']);
    expect(JSON.parse(readFileSync(join(dir, 'inbox/12.json.taken'), 'utf8'))).toEqual({
      type: 'steer',
      text: guidance.text,
    });
    const { guided } = await agents.finish(iteration, { ...PATIENT, signal: AbortSignal.abort() });
    expect(guided).toBe(12);
    expect(agents.steer(iteration, { id: 13, text: 'too late' })).toBe(false);
    expect(existsSync(join(dir, 'inbox/13.json'))).toBe(false);
  });

  it('is not told again what its prompt held, by a host that does not know it', async () => {
    const { agents, iteration, order, read, dir } = stage({ agent, driver: driver('process.exit(0)') });
    await agents.start(iteration, order);
    await waitFor('the driver', () => read('stdout.log').includes('led acp'));
    expect(agents.steer(iteration, { id: order.guided, text: 'known' })).toBe(true);
    expect(readdirSync(join(dir, 'inbox'))).toEqual([]);
    await agents.finish(iteration, { ...PATIENT, signal: AbortSignal.abort() });
  });

  it('is not one that only reads its prompt', async () => {
    const { agents, iteration, order, dir } = stage({ agent: { command: ['sleep', '300'] } });
    expect(agents.steer(iteration, { id: 1, text: 'early' })).toBe(false);
    await agents.start(iteration, order);
    expect(agents.steer(iteration, { id: 1, text: 'in vain' })).toBe(false);
    expect(existsSync(join(dir, 'inbox'))).toBe(false);
    await agents.finish(iteration, { ...PATIENT, signal: AbortSignal.abort() });
  });

  it('counts only the guidance that was taken', async () => {
    const deaf = `console.log('led deaf'); setTimeout(() => {}, 600000);`;
    const { agents, iteration, order, read } = stage({ agent, driver: deaf });
    await agents.start(iteration, order);
    await waitFor('the driver', () => read('stdout.log').includes('led deaf'));
    expect(agents.steer(iteration, { id: 12, text: 'unheard' })).toBe(true);
    const { guided } = await agents.finish(iteration, { ...PATIENT, graceMs: 200, signal: AbortSignal.abort() });
    expect(guided).toBe(order.guided);
  });
});
