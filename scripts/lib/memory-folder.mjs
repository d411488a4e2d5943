import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** All tests together leave far less than this at any time. */
const BYTES_MIN = 4 * 1024 ** 3;

/**
 * A folder for scratch repositories that costs no disk, or null. Most of a test run is small files that are flushed and
 * thrown away; tests about disks make their own.
 */
export function memoryFolder() {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < BYTES_MIN) return null;
    const folder = mkdtempSync(join(MEMORY, 'paralph-'));
    // Some tests start programs as another user, who must be able to pass through.
    chmodSync(folder, 0o755);
    if (runsPrograms(folder)) return folder;
    rmSync(folder, { recursive: true, force: true });
    return null;
  } catch {
    return null;
  }
}

/** Containers often mount it so that nothing in it may be executed. */
function runsPrograms(folder) {
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\nexit 0\n');
  chmodSync(program, 0o755);
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}
