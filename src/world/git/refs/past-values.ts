import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { sha } from '../../../core/model/ids.ts';
import type { Sha } from '../../../core/model/ids.ts';
import type { Repository } from '../run/repository.ts';

/** More than anybody amends while something lands. */
const VALUES_MAX = 50;
const TAIL_BYTES = 64 * 1024;

/** Where a ref stood, newest first, by its own reflog: amending, rebasing and resetting leave their traces nowhere else. */
export function pastValues({ commonDir }: Repository, ref: string): readonly Sha[] {
  const lines = tailOf(join(commonDir, 'logs', ref)).split('\n');
  const values = lines.flatMap((line) => /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) /.exec(line)?.[1] ?? []);
  return [...new Set(values.toReversed())].slice(0, VALUES_MAX).map((value) => sha(value));
}

/**
 * Whether the owner of a branch took it away from this value, or from what they had put on top of it, with `git reset` or
 * `git branch -f`. What git does for us has other words.
 */
export function isResetFrom({ commonDir }: Repository, ref: string, value: Sha): boolean {
  const lines = tailOf(join(commonDir, 'logs', ref)).split('\n');
  const since = lines.findLastIndex((line) => line.split(' ', 2)[1] === value);
  // The reflog may begin after it.
  const from = since === -1 ? lines.findLastIndex((line) => line.startsWith(`${value} `)) : since + 1;
  return from !== -1 && lines.slice(from).some((line) => /\t(reset|branch): /i.test(line));
}

function tailOf(file: string): string {
  try {
    const fd = openSync(file, 'r');
    try {
      const { size } = fstatSync(fd);
      const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
      readSync(fd, bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString('utf8');
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}
