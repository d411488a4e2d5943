import { describe, expect, it } from 'vitest';
import { statOf } from './linux-proc.ts';

/** From the state on, as the kernel writes it; the 18th is how many threads there are. */
const fields = (state: string, threads: number): readonly string[] =>
  `${state} 7 42 42 0 -1 4194316 92 0 0 0 4 0 0 0 20 0 ${threads} 0 30110 0 0 18446744073709551615`.split(' ');
const isZombie = (state: string, threads: number): boolean | undefined => statOf(42, fields(state, threads))?.zombie;

describe('a process whose first thread has ended', () => {
  it('is a zombie only with its last one: a program started by another thread takes its number over', () => {
    expect([isZombie('Z', 1), isZombie('X', 0), isZombie('S', 3)]).toEqual([true, true, false]);
    expect(isZombie('Z', 2)).toBe(false);
  });
});
