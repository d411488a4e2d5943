import { describe, expect, it } from 'vitest';
import { takeColor } from './take-color.ts';

describe('--color', () => {
  it('stands wherever somebody types it, and is gone from the words', () => {
    for (const words of [
      ['--color=never', 'status', '--watch'],
      ['status', '--color', 'never', '--watch'],
      ['status', '--watch', '--color=always', '--color=never'],
    ])
      expect(takeColor(words)).toEqual({ words: ['status', '--watch'], color: 'never', fault: null });
  });

  it('is left alone where it is meant for somebody else', () => {
    const words = ['run', '--', 'agent', '--color=always'];
    expect(takeColor(words)).toEqual({ words, color: 'auto', fault: null });
  });

  it('is refused where it says nothing that is known', () => {
    expect(takeColor(['status', '--color=blue']).fault?.message).toBe('--color blue: not auto, always, never');
    expect(takeColor(['status', '--color']).fault?.code).toBe('E_USAGE');
  });
});
