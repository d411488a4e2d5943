import { spawnSync } from 'node:child_process';
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Git } from '../e2e/harness/git.ts';
import { gitIn } from '../e2e/harness/git.ts';

/** Where one round happens: everything about it lies below one folder, by which its processes are known too. */
export interface Place {
  readonly root: string;
  /** On a small file system of its own, where one could be mounted. */
  readonly repo: string;
  readonly env: Readonly<Record<string, string>>;
  readonly git: Git;
  readonly isMounted: boolean;
  /** Leaves no room on the file system of the repository, until `free`. */
  readonly fill: () => void;
  readonly free: () => void;
  /** Takes everything away. */
  readonly remove: () => void;
}

const SIZE_MB = 192;
const CHUNK = Buffer.alloc(1 << 20, 'ballast ');

/** Set in what the harness itself does in the name of a user, so that the nemesis leaves it alone. */
export const USER_MARK = 'CHAOS_USER';

export function makePlace(): Place {
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'ralph-chaos-'));
  const disk = join(root, 'disk');
  const [repo, home, tmp] = [join(disk, 'repo'), join(root, 'home'), join(root, 'tmp')];
  mkdirSync(disk);
  const isMounted = mount(disk);
  for (const folder of [repo, home, tmp]) mkdirSync(folder);
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: tmp, LANG: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1' };
  const ballast = join(disk, 'ballast');
  return {
    root,
    repo,
    env,
    git: gitIn(repo, { ...env, [USER_MARK]: '1' }),
    isMounted,
    fill: () => (isMounted ? fill(disk, ballast) : undefined),
    free: () => rmSync(ballast, { force: true }),
    remove: () => {
      if (isMounted) spawnSync('umount', ['-l', disk]);
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Only root may mount, and not everywhere. */
function mount(folder: string): boolean {
  if (process.platform !== 'linux') return false;
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m,mode=755`, 'chaos', folder]).status === 0;
}

function fill(disk: string, ballast: string): void {
  const file = openSync(ballast, 'a');
  try {
    for (;;) {
      const { bavail, bsize } = statfsSync(disk);
      const room = Math.min(bavail * bsize, CHUNK.length);
      if (room === 0 || writeSync(file, CHUNK, 0, room) < room) return;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') {
      ftruncateSync(file);
      throw error;
    }
  } finally {
    closeSync(file);
  }
}
