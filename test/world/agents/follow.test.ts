import { appendFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFollower } from '../../../src/world/agents/run/listen.ts';
import { temporaryFolder } from '../fixtures/process-kit.ts';
import type { Follower } from '../../../src/world/agents/run/listen.ts';

const MEGABYTE = 1024 * 1024;

function follow(): { file: string; lines: string[]; follower: Follower } {
  const file = join(temporaryFolder(), 'stdout.log');
  const lines: string[] = [];
  return { file, lines, follower: createFollower(file, (line) => lines.push(line)) };
}

describe('createFollower', () => {
  it('gives each line once, when it is whole, and a last one without an end when the file ends', async () => {
    const { file, lines, follower } = follow();
    await follower.advance();
    writeFileSync(file, 'one\ntw');
    await follower.advance();
    expect(lines).toEqual(['one']);
    appendFileSync(file, 'o\r\n\nthr');
    await follower.advance();
    await follower.advance();
    expect(lines).toEqual(['one', 'two', '']);
    appendFileSync(file, 'ee');
    await follower.finish();
    expect(lines).toEqual(['one', 'two', '', 'three']);
  });

  it('leaves the rest for later when it is told to', async () => {
    const { file, lines, follower } = follow();
    writeFileSync(file, 'one\ntwo\n');
    await follower.advance(AbortSignal.abort());
    expect(lines).toEqual([]);
    await follower.finish();
    expect(lines).toEqual(['one', 'two']);
  });

  it('replaces what is not UTF-8 and splits no character, however the bytes come', async () => {
    const { file, lines, follower } = follow();
    const bytes = Buffer.concat([Buffer.from('a€\n'), Buffer.from([0x62, 0xff, 0xe2, 0x82, 0x0a]), Buffer.from('ü\n')]);
    for (const byte of bytes) {
      appendFileSync(file, Buffer.from([byte]));
      await follower.advance();
    }
    expect(lines).toEqual(['a€', 'b\ufffd\ufffd', 'ü']);
  });

  it('leaves out a line that is too long, wherever it ends, and reads what follows', async () => {
    const { file, lines, follower } = follow();
    const long = Buffer.alloc(3 * MEGABYTE, 'x');
    const edge = 'y'.repeat(MEGABYTE);
    writeFileSync(file, Buffer.concat([Buffer.from('a\n'), long, Buffer.from(`\nb\n${edge}\n${edge}y\nc\n`), long]));
    await follower.advance();
    expect(lines).toEqual(['a', 'b', edge, 'c']);
    expect(follower.skipped()).toBe(2);
    await follower.finish();
    expect(lines.at(-1)).toBe('c');
    expect(follower.skipped()).toBe(3);
  });

  it('gives others a turn while it reads a lot', async () => {
    const { file, lines, follower } = follow();
    writeFileSync(file, 'a line of some length\n'.repeat(500_000));
    let turns = 0;
    const count = (): void => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await follower.finish();
    clearImmediate(timer);
    expect(lines).toHaveLength(500_000);
    expect(turns).toBeGreaterThan(4);
  });

  it('holds nothing of a file that is one endless line', async () => {
    const { file, lines, follower } = follow();
    writeFileSync(file, 'first\n');
    truncateSync(file, 300 * MEGABYTE);
    const before = process.memoryUsage().arrayBuffers;
    await follower.finish();
    expect(lines).toEqual(['first']);
    expect(follower.skipped()).toBe(1);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * MEGABYTE);
  });

  it('ends with what it had when the file is gone', async () => {
    const { file, lines, follower } = follow();
    writeFileSync(file, 'one\ntwo');
    await follower.advance();
    rmSync(file);
    await follower.advance();
    await follower.finish();
    expect(lines).toEqual(['one', 'two']);
  });
});
