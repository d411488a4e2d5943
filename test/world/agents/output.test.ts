import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openAgents } from '../../../src/world/agents/agents.ts';
import { workerLog } from '../../../src/world/git/run/state-places.ts';
import { PATIENT, stage } from '../fixtures/agents-kit.ts';
import { temporaryFolder } from '../fixtures/process-kit.ts';

const MEGABYTE = 1024 * 1024;

/** An agent that prints exactly these bytes. */
function printing(...parts: readonly (string | Buffer)[]): string[] {
  const file = join(temporaryFolder(), 'output');
  writeFileSync(file, Buffer.concat(parts.map((part) => Buffer.from(part))));
  return ['sh', '-c', 'cat "$0"', file];
}

const line = (value: object): string => `${JSON.stringify(value)}\n`;
const said = (id: number, text: string): string =>
  line({
    type: 'assistant',
    message: { id: `m${id}`, content: [{ type: 'text', text }], usage: { output_tokens: 10 } },
  });
const result = line({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'all done',
  num_turns: 2,
  usage: {},
});

describe('the output of an iteration', () => {
  it('is read around a giant line, bytes that are no text and line ends of another system', async () => {
    const giant = said(1, 'x'.repeat(5 * MEGABYTE));
    const broken = Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x0a]);
    const { place, agents, iteration, order, dir } = stage({
      agent: { driver: 'claude', command: printing(said(0, 'begun'), giant, broken, result.replace('\n', '\r\n')) },
    });
    await agents.start(iteration, order);
    const { report, end } = await agents.finish(iteration, PATIENT);
    expect(end).toEqual({ how: 'exited', code: 0 });
    expect(report).toMatchObject({ finalText: 'all done', isTerminal: true, failure: null });
    expect(statSync(join(dir, 'stdout.log')).size).toBeGreaterThan(5 * MEGABYTE);
    expect(readFileSync(workerLog(place.repo, 0, 'task'), 'utf8')).toContain('1 lines were too long to be read');
  });

  it('replaces what is no text inside a line', async () => {
    const [before, after] = result.split('all done');
    const { agents, iteration, order } = stage({
      agent: { driver: 'claude', command: printing(before ?? '', Buffer.from([0x61, 0xff, 0x62]), after ?? '') },
    });
    await agents.start(iteration, order);
    expect((await agents.finish(iteration, PATIENT)).report.finalText).toBe('a\ufffdb');
  });

  it('is cut to what is kept only after everything in it was read, also when it is asked for again', async () => {
    const filler = line({ type: 'system', subtype: 'noise', text: 'x'.repeat(1000) }).repeat(4000);
    const { place, agents, iteration, order, dir, read } = stage({
      agent: { driver: 'claude', command: printing(filler, said(1, 'in the middle'), filler, result, 'last\n') },
      limits: { logMb: 1 },
    });
    await agents.start(iteration, order);
    const first = await agents.finish(iteration, PATIENT);
    expect(first.report.finalText).toBe('all done');
    expect(first.report.usage.turns).toBeGreaterThan(0);
    const kept = read('stdout.log');
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(MEGABYTE);
    expect(kept).not.toContain('in the middle');
    expect(kept.endsWith('last\n')).toBe(true);
    expect(kept.match(/^\[ralph cut \d+ bytes here\]$/gm)).toHaveLength(1);
    expect(await openAgents(place).finish(iteration, PATIENT)).toEqual(first);
    expect(statSync(join(dir, 'stdout.log')).size).toBe(Buffer.byteLength(kept));
  });
});
