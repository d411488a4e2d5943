import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLogCopier } from '../../../src/world/processes/copy-log.ts';
import { readTail } from '../../../src/world/os/tail.ts';
import { temporaryFolder } from '../fixtures/process-kit.ts';

describe('readTail', () => {
  it('is empty for a file that is not there, for a folder and for a pipe nobody writes to', () => {
    const folder = temporaryFolder();
    expect(readTail(join(folder, 'none'), 10)).toBe('');
    expect(readTail(folder, 10)).toBe('');
    spawnSync('mkfifo', [join(folder, 'pipe')]);
    expect(readTail(join(folder, 'pipe'), 10)).toBe('');
  });

  it('gives the end, without the rest of a cut character', () => {
    const file = join(temporaryFolder(), 'log');
    writeFileSync(file, 'abc€€def');
    expect(readTail(file, 100)).toBe('abc€€def');
    expect(readTail(file, 6)).toBe('€def');
    expect(readTail(file, 5)).toBe('def');
    expect(readTail(file, 4)).toBe('def');
    expect(readTail(file, 0)).toBe('');
  });

  it('replaces what is not UTF-8', () => {
    const file = join(temporaryFolder(), 'log');
    writeFileSync(file, Buffer.from([0x80, 0x61, 0xff, 0x62, 0xe2, 0x82]));
    expect(readTail(file, 100)).toBe('\ufffda\ufffdb\ufffd');
  });

  it('reads the end of a file larger than any string', () => {
    const file = join(temporaryFolder(), 'log');
    writeFileSync(file, '');
    truncateSync(file, 5_000_000_000);
    appendFileSync(file, 'end');
    expect(readTail(file, 3)).toBe('end');
  });
});

describe('createLogCopier', () => {
  function files(): { from: string; to: string; copied: () => string } {
    const folder = temporaryFolder();
    const to = join(folder, 'logs', 'to.log');
    return { from: join(folder, 'from.log'), to, copied: () => readFileSync(to, 'utf8') };
  }

  it('appends what is new and nothing twice', () => {
    const { from, to, copied } = files();
    const copier = createLogCopier(from, to, { bytesMax: 1000 });
    copier.copy();
    expect(existsSync(to)).toBe(false);
    writeFileSync(from, 'one\n');
    copier.copy();
    copier.copy();
    expect(copied()).toBe('one\n');
    appendFileSync(from, 'two\n');
    copier.finish();
    expect(copied()).toBe('one\ntwo\n');
    expect(statSync(to).mode & 0o777).toBe(0o600);
  });

  it('keeps what the log already held, and can begin in the middle', () => {
    const { from, to, copied } = files();
    writeFileSync(from, 'old new');
    createLogCopier(from, to, { bytesMax: 3 }).finish();
    createLogCopier(from, to, { bytesMax: 1000, offset: 4 }).finish();
    expect(copied()).toBe('old\n[log cut after 3 bytes]\nnew');
  });

  it('copies a quarter of a megabyte a call, and the rest when finishing', () => {
    const { from, to } = files();
    writeFileSync(from, Buffer.alloc(1_000_000, 'x'));
    const copier = createLogCopier(from, to, { bytesMax: 2_000_000 });
    copier.copy();
    expect(statSync(to).size).toBe(256 * 1024);
    copier.finish();
    expect(statSync(to).size).toBe(1_000_000);
  });

  it('stops at its limit and says so once', () => {
    const { from, to, copied } = files();
    const copier = createLogCopier(from, to, { bytesMax: 5 });
    writeFileSync(from, '12345');
    copier.copy();
    expect(copied()).toBe('12345');
    appendFileSync(from, '678');
    copier.copy();
    appendFileSync(from, '9');
    copier.finish();
    expect(copied()).toBe('12345\n[log cut after 5 bytes]\n');
  });

  it('loses no byte while the log cannot be written, and makes it again when removed', () => {
    const { from, to, copied } = files();
    const copier = createLogCopier(from, to, { bytesMax: 1000 });
    writeFileSync(join(to, '..'), 'in the way');
    writeFileSync(from, 'one\n');
    copier.copy();
    copier.finish();
    rmSync(join(to, '..'));
    copier.copy();
    expect(copied()).toBe('one\n');
    rmSync(join(to, '..'), { recursive: true });
    appendFileSync(from, 'two\n');
    copier.copy();
    expect(copied()).toBe('two\n');
  });
});
