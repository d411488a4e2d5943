import { spawnSync } from 'node:child_process';
import { readFileSync, rmdirSync, writeFileSync } from 'node:fs';

import { onTestFinished } from 'vitest';

import { beside } from './ralph.ts';
import type { Scratch } from './scratch.ts';
import { scratch } from './scratch.ts';
import { until } from './until.ts';

const IMAGE_MB = 48;

/** A scratch repository on a disk of its own, whose power can be cut. */
export interface CuttableScratch extends Scratch {
  /** Everything written so far is on the disk. */
  readonly flush: () => void;
  /** What the disk would hold if the power went now; whoever writes must stand still meanwhile. */
  readonly cut: () => string;
  /** The machine is up again with a disk as it was then: what the disk noted for itself is replayed, all else is gone. */
  readonly comeBack: (disk: string) => void;
}

/** Why no disk can be mounted here; null: one can. */
export function whyNoDisk(): string | null {
  if (process.platform !== 'linux') return 'Linux';
  if (process.getuid?.() !== 0) return 'root, to mount a disk';
  const tools = ['mkfs.ext4', 'losetup', 'mount'].filter((name) => spawnSync(name, ['--version']).error !== undefined);
  if (tools.length > 0) return tools.join(' and ');
  return spawnSync('losetup', ['-f']).status === 0 ? null : 'a free loop device';
}

export function cuttableScratch(): CuttableScratch {
  const one = scratch({ hasRepository: false });
  let disk = beside(one, 'disk-0.img');
  let disks = 1;
  const copyDisk = (from: string): string => {
    const copy = beside(one, `disk-${(disks += 1)}.img`);
    run('cp', '--sparse=always', from, copy);
    return copy;
  };
  run('truncate', '-s', `${IMAGE_MB}M`, disk);
  run('mkfs.ext4', '-q', '-F', '-E', 'lazy_itable_init=0,lazy_journal_init=0', disk);
  mount(disk, one.repo);
  onTestFinished(() => void spawnSync('umount', ['-l', one.repo]));
  rmdirSync(`${one.repo}/lost+found`);
  one.git('init', '-q', '-b', 'main');
  one.git('config', 'user.name', 'Una User');
  one.git('config', 'user.email', 'una@example.com');
  return {
    ...one,
    flush: () => run('sync', '-f', one.repo),
    cut: () => copyDisk(disk),
    comeBack: (was) => {
      disk = copyDisk(was);
      // Lazily: whoever still stands in it goes on with what is gone for everybody else.
      run('umount', '-l', one.repo);
      mount(disk, one.repo);
      writeFileSync(`${one.repo}/.git/paralph/boot`, 'the boot before\n');
    },
  };
}

/** Resolves when a process stands still. */
export async function stopped(pid: number): Promise<void> {
  await until(`process ${pid} to stand still`, () => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
  });
}

/** Written back only when asked to, or after half a minute. */
function mount(image: string, folder: string): void {
  run('mount', '-o', 'loop,commit=60', image, folder);
}

function run(program: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} exited ${status}: ${stderr}`);
}
