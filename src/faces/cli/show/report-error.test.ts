import { describe, expect, it } from 'vitest';
import { AppError } from '../../../core/model/errors.ts';
import type { Output } from '../../call/output.ts';
import { reportError } from './report-error.ts';

/** What is said of an error, and with which exit code. */
function said(error: unknown): readonly [code: number, ...lines: string[]] {
  const lines: string[] = [];
  const plain = (text: string): string => text;
  const style = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain };
  const out: Output = {
    data: () => {},
    event: () => {},
    json: () => {},
    say: (text) => lines.push(text),
    note: () => {},
    pin: () => {},
    goOnUnheard: () => {},
    style,
    paints: () => false,
    width: 80,
  };
  const code = reportError(error, out, false, '0');
  return [code, ...lines];
}

describe('an error of git', () => {
  it('that nobody has a remedy for leads to doctor, one for want of room to the disk', () => {
    expect(said(new AppError('E_GIT', 'git x failed', { facts: ['fatal: no'] }))).toEqual([
      4,
      'error[E_GIT]: git x failed',
      '  fatal: no',
      'fix: ralph doctor',
    ]);
    const full = new AppError('E_GIT', 'git x failed', { facts: ['fatal: write error. Out of diskspace'] });
    expect(said(full).at(-1)).toBe('fix: df -h .');
    expect(said(new AppError('E_GIT', 'git x failed', { remedy: 'git y' })).at(-1)).toBe('fix: git y');
  });
});
