import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identityOf } from '../../../src/world/processes/identity.ts';
import { bundleDriver, drive as driveWith } from '../fixtures/driver-kit.ts';
import type { Driven } from '../fixtures/driver-kit.ts';
import { waitFor } from '../fixtures/process-kit.ts';

let folder = '';
let driver = '';
const drive = (client: Parameters<typeof driveWith>[1], prompt?: string): Driven => driveWith(driver, client, prompt);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'paralph-driver-'));
  driver = await bundleDriver(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const promptsOf = (driven: Driven): readonly unknown[] =>
  driven
    .heard()
    .filter(({ method }) => method === 'session/prompt')
    .map(({ params }) => (params as { prompt: unknown }).prompt);
const text = (words: string): unknown => [{ type: 'text', text: words }];
const pidOf = (driven: Driven): number => driven.heard().find(({ pid }) => typeof pid === 'number')?.['pid'] as number;

describe('the driver, with an ACP agent', () => {
  it('holds a whole turn: our server, the open mode, leave for a tool, all output as it was', async () => {
    const prompt = 'long '.repeat(50_000);
    const driven = drive(
      { kind: 'acp', behaviour: 'work', mcp: { command: ['node', 'm'], env: { RUN: '1' } } },
      prompt,
    );
    expect(await driven.ended).toBe(0);
    expect(driven.heard().slice(1)).toMatchObject([
      { method: 'initialize' },
      { method: 'session/new', params: { mcpServers: [{ name: 'ralph', env: [{ name: 'RUN', value: '1' }] }] } },
      { method: 'session/set_mode', params: { modeId: 'yolo' } },
      { method: 'session/prompt', params: { prompt: text(prompt) } },
      { id: 'p', result: { outcome: { optionId: 'yes' } } },
      { closed: true },
    ]);
    const lines = driven.stdout().split('\n');
    expect(lines).toHaveLength(7);
    expect(lines[3]).toBe('not of the protocol');
    expect(lines[5]).toBe('{"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}');
    expect(driven.stderr()).toBe('');
  });

  it('hands guidance on when the turn has ended, in order, and only then calls it taken', async () => {
    const driven = drive({ kind: 'acp', behaviour: 'hold' });
    await driven.heardOf('session/prompt');
    driven.post(10, { type: 'steer', text: 'second' });
    driven.post(9, { type: 'steer', text: 'first' });
    driven.post(11, { type: 'nonsense' });
    driven.letGo();
    expect(await driven.ended).toBe(0);
    expect(promptsOf(driven)).toEqual([text('do it'), text('first'), text('second')]);
    expect([9, 10, 11].map((id) => driven.isTaken(id))).toEqual([true, true, false]);
  });

  it('is not held up by what is no message', async () => {
    const driven = drive({ kind: 'acp', behaviour: 'hold' });
    await driven.heardOf('session/prompt');
    execFileSync('mkfifo', [driven.inInbox('1.json')]);
    symlinkSync('/dev/zero', driven.inInbox('2.json'));
    mkdirSync(driven.inInbox('3.json'));
    symlinkSync(driven.inInbox('4.json'), driven.inInbox('4.json'));
    for (let id = 100; id < 1100; id += 1) writeFileSync(driven.inInbox(`${id}.json`), 'junk');
    driven.post(5, { type: 'steer', text: 'still there' });
    driven.letGo();
    expect(await driven.ended).toBe(0);
    expect(promptsOf(driven)).toEqual([text('do it'), text('still there')]);
    expect(driven.isTaken(5)).toBe(true);
  });

  it('leaves guidance in the inbox that nobody heard', async () => {
    const driven = drive({ kind: 'acp', behaviour: 'wait' });
    await driven.heardOf('session/prompt');
    driven.post(1, { type: 'steer', text: 'never mind' });
    driven.post(2, { type: 'interrupt' });
    expect(await driven.ended).toBe(1);
    expect(driven.heard().at(-2)).toMatchObject({ method: 'session/cancel' });
    expect(driven.stdout()).toContain('"stopReason":"cancelled"');
    expect([1, 2].map((id) => driven.isTaken(id))).toEqual([false, true]);
  });

  it('cancels by protocol when it is told to end', async () => {
    const driven = drive({ kind: 'acp', behaviour: 'wait' });
    await driven.heardOf('session/prompt');
    driven.signal('SIGTERM');
    expect(await driven.ended).toBe(1);
    expect(driven.heard().at(-2)).toMatchObject({ method: 'session/cancel' });
  });

  it('ends with the code of an agent that dies in the middle', async () => {
    const driven = drive({ kind: 'acp', behaviour: 'crash' });
    expect(await driven.ended).toBe(7);
    expect(driven.stdout()).toContain('I begin');
  });

  it('ends an agent by force that hears nothing', async () => {
    const driven = drive({ kind: 'acp', behaviour: 'deaf' });
    await driven.heardOf('initialize');
    driven.signal('SIGTERM');
    expect(await driven.ended).toBe(1);
    expect(driven.heard().slice(-2)).toEqual([{ closed: true }, { signal: 'SIGTERM' }]);
    expect(identityOf(pidOf(driven))).toBeNull();
  });

  it('passes a giant line on without reading it', async () => {
    const driven = drive({ kind: 'acp', behaviour: 'giant' });
    expect(await driven.ended).toBe(0);
    expect(driven.stdout().split('\n')[3]?.length).toBeGreaterThan(5 * 1024 * 1024);
    expect(driven.heard().filter(({ id }) => id === 'giant')).toEqual([]);
  });

  it('ends with the agent, whatever holds its output open', async () => {
    const driven = drive({ kind: 'acp', behaviour: 'leaves-child' });
    expect(await driven.ended).toBe(0);
    expect(driven.heard().at(-1)).toEqual({ closed: true });
  });
});

describe('the driver, with Claude', () => {
  it('hands guidance on at once', async () => {
    const driven = drive({ kind: 'claude-stdio' });
    await driven.heardOf('do it');
    driven.post(1, { type: 'steer', text: 'to the left' });
    expect(await driven.ended).toBe(0);
    expect(driven.heard()).toMatchObject([
      { request: { subtype: 'initialize' } },
      { type: 'user', message: { content: 'do it' } },
      { type: 'user', message: { content: 'to the left' } },
      { closed: true },
    ]);
    expect(driven.isTaken(1)).toBe(true);
  });

  it('interrupts', async () => {
    const driven = drive({ kind: 'claude-stdio' });
    await waitFor('the turn', () => driven.stdout().includes('init'));
    driven.signal('SIGTERM');
    expect(await driven.ended).toBe(1);
    expect(driven.heard().at(-2)).toMatchObject({ request: { subtype: 'interrupt' } });
    expect(driven.stderr()).toContain('error_during_execution');
  });

  it('says which program it could not start', async () => {
    const driven = drive({ kind: 'missing' });
    expect(await driven.ended).toBe(127);
    expect(driven.stderr()).toMatch(/^driver: cannot start .*no-such-program/);
  });
});
