import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, realpathSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, it } from 'vitest';

/** A file system of its own, small enough to be filled. */
export interface SmallDisk {
  readonly path: string;
  /** Takes this much, or all there is. */
  readonly fill: (mb?: number) => void;
  readonly free: () => void;
}

const PIECES = [1024 * 1024, 4096];

/** Mounts a file system in memory for the tests of a file, and makes it the place for their temporary files. */
export function smallDisk(mb: number): SmallDisk {
  const path = mkdtempSync(join(realpathSync(tmpdir()), 'ralph-disk-'));
  if (canMount) mount(path, mb);
  const outside = process.env['TMPDIR'];
  process.env['TMPDIR'] = path;
  afterAll(() => {
    if (outside === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = outside;
    // Lazily: what a failed test left running must not keep it mounted for ever.
    if (canMount) execFileSync('umount', ['-l', path]);
    rmSync(path, { recursive: true });
  });
  const ballast = join(path, 'ballast');
  return { path, fill: (wanted) => fill(ballast, wanted), free: () => rmSync(ballast, { force: true }) };
}

function fill(file: string, wantedMb = Infinity): void {
  const fd = openSync(file, 'a');
  try {
    let mb = 0;
    for (const size of PIECES) while (mb < wantedMb && wrote(fd, size)) mb += size / (1024 * 1024);
  } finally {
    closeSync(fd);
  }
}

function wrote(fd: number, size: number): boolean {
  try {
    return writeSync(fd, Buffer.alloc(size)) > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}

const mount = (path: string, mb: number): void =>
  void execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mb}m`, 'tmpfs', path], { stdio: 'pipe' });

const canMount = ((): boolean => {
  const path = mkdtempSync(join(tmpdir(), 'ralph-mount-'));
  try {
    mount(path, 1);
    execFileSync('umount', [path]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
})();

/** `it` for a test that fills a disk of its own: only who may mount one can run it. */
export const itMounts: (name: string, body: () => Promise<void>) => void = canMount
  ? it
  : (name) => it(name, ({ skip }) => skip('needs the right to mount a file system'));
