import { readFileSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { trimLog } from '../../../src/world/agents/run/trim.ts';
import { temporaryFolder } from '../fixtures/process-kit.ts';

const CUT = /^\[ralph cut (\d+) bytes here\]$/;

function log(text: string): string {
  const file = join(temporaryFolder(), 'stdout.log');
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

describe('trimLog', () => {
  it('leaves a log that is short enough, and one that is not there', async () => {
    const file = log('0123456789\n'.repeat(100));
    await trimLog(file, 1100);
    expect(statSync(file).size).toBe(1100);
    await trimLog(join(dirname(file), 'none'), 10);
    expect(readdirSync(dirname(file))).toEqual(['stdout.log']);
  });

  it('keeps whole lines of the beginning and the end, and tells how much is gone', async () => {
    const lines = Array.from({ length: 100_000 }, (_, at) => `line ${at}`);
    const text = `${lines.join('\n')}\n`;
    const file = log(text);
    await trimLog(file, 100_000);
    const kept = readFileSync(file, 'utf8');
    const rest = kept.split('\n').slice(0, -1);
    const at = rest.findIndex((line) => CUT.test(line));
    expect(kept.length).toBeLessThanOrEqual(100_000);
    expect(kept.length).toBeGreaterThan(99_000);
    expect(rest.slice(0, at)).toEqual(lines.slice(0, at));
    expect(rest.slice(at + 1)).toEqual(lines.slice(-(rest.length - at - 1)));
    const [head, tail] = [rest.slice(0, at), rest.slice(at + 1)].map((part) => part.join('\n').length);
    expect((tail ?? 0) / (head ?? 1)).toBeCloseTo(3, 1);
    expect(Number(CUT.exec(rest[at] ?? '')?.[1])).toBe(text.length - (kept.length - (rest[at] ?? '').length - 1));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(file))).toEqual(['stdout.log']);
  });

  it.each(['start\n', ''])(
    'cuts a giant line after %j where it must, and a second time changes nothing',
    async (start) => {
      const file = log(`${start}${'x'.repeat(1_000_000)}`);
      await trimLog(file, 50_000);
      const kept = readFileSync(file, 'utf8');
      expect(kept.length).toBeLessThanOrEqual(50_000);
      expect(kept.length).toBeGreaterThan(37_000);
      const shape = kept.replaceAll(/x+/g, 'x').replace(/\d+/, 'N');
      expect(shape).toBe(`${start === '' ? 'x\n' : start}[ralph cut N bytes here]\nx`);
      await trimLog(file, 50_000);
      expect(readFileSync(file, 'utf8') === kept).toBe(true);
    },
  );

  it('trims gigabytes without holding them', async () => {
    const file = log('first\n');
    truncateSync(file, 3_000_000_000);
    const before = process.memoryUsage().arrayBuffers;
    await trimLog(file, 1_000_000);
    expect(statSync(file).size).toBeLessThanOrEqual(1_000_000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
  });
});
