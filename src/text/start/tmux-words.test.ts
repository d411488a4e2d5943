import { describe, expect, it } from 'vitest';
import { clipboardSequence, freeName, tmuxFolder, tmuxName } from './tmux-words.ts';

describe('words for tmux', () => {
  it('names hold nothing it would read as a place or expand', () => {
    expect(tmuxName('auth')).toBe('auth');
    expect(tmuxName('team/auth.v2:#(touch x)')).toBe('team-auth-v2-touch-x');
    expect(tmuxName('--')).toBe('ralph');
    expect(tmuxName('x'.repeat(300))).toHaveLength(40);
  });

  it('a taken name gets the first free number', () => {
    expect(freeName('auth', new Set())).toBe('auth');
    expect(freeName('auth', new Set(['auth', 'auth-2']))).toBe('auth-3');
  });

  it('folders are not expanded', () => {
    expect(tmuxFolder('/a b/#(touch x)/c;')).toBe('/a b/##(touch x)/c\\;');
  });

  it('a terminal is asked by OSC 52', () => {
    expect(clipboardSequence('eA==')).toBe('\u001b]52;c;eA==\u0007');
  });
});
