import { describe, expect, it } from 'vitest';
import type { GitCommand } from './git-trace.ts';
import { isMadeBy, parseReflog } from './reflog.ts';

const ZEROS = '0'.repeat(40);
const MADE = 'a'.repeat(40);

const commit = (fromMs: number, toMs: number): GitCommand => ({
  name: 'commit',
  args: [],
  worktree: '/repo',
  gitDirs: new Set(),
  fromMs,
  toMs,
  code: 0,
  hasChildren: false,
  isInHook: false,
});

function isOf(command: GitCommand, atSeconds: number, message = 'commit: made'): boolean {
  const [entry] = parseReflog(`${ZEROS} ${MADE} A B <a@b> ${atSeconds} +0000\t${message}\n`);
  if (entry === undefined) throw new Error('the entry was not understood');
  return isMadeBy([command], entry);
}

describe('who made an entry of a reflog', () => {
  it('is told by its second', () => {
    expect(isOf(commit(5300, 5400), 5)).toBe(true);
    expect(isOf(commit(5990, 6010), 6)).toBe(true);
    expect(isOf(commit(5300, 5400), 4)).toBe(false);
    expect(isOf(commit(5300, 5400), 6)).toBe(false);
  });

  // Measured: of commits begun in the first two milliseconds of a second, one in four carried the second before.
  it('which may be the one before, where the command began with a second', () => {
    expect(isOf(commit(5001, 5040), 4)).toBe(true);
    expect(isOf(commit(5020, 5040), 4)).toBe(false);
  });

  it('is not an agent, where it is our own', () => {
    expect(isOf(commit(5300, 5400), 5, 'paralph: leftovers')).toBe(false);
  });
});
