import { describe, expect, it } from 'vitest';
import { terminalNote } from './osc.ts';

const EVIL = 'a\u001b]52;c;cm0=\u0007b\u0007\u001b\\c\u202ed; 4;1';
const ESC = '\u001b';

describe('terminalNote', () => {
  it.each([
    [{ TERM: 'xterm-256color' }, `${ESC}]9;`],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }, `${ESC}]9;`],
    [{ TERM: 'xterm-kitty' }, `${ESC}]99;`],
    [{ TERM: 'tmux-256color', KITTY_WINDOW_ID: '1' }, `${ESC}]99;`],
    [{ TERM: 'foot' }, `${ESC}]777;notify;`],
    [{ TERM: 'rxvt-unicode' }, `${ESC}]777;notify;`],
  ])('speaks as %j understands it', (env, start) => {
    expect(terminalNote(env, 'two need you', 'text').startsWith(start)).toBe(true);
  });

  it('says nothing to a terminal that shows none', () => {
    for (const TERM of [undefined, '', 'dumb', 'linux']) expect(terminalNote({ TERM }, 'a', 'b')).toBe('');
  });

  it('is one sequence of each kind, whatever the text holds', () => {
    for (const env of [{ TERM: 'xterm' }, { TERM: 'xterm-kitty' }, { TERM: 'foot' }]) {
      const note = terminalNote(env, EVIL, EVIL);
      expect(note).not.toContain('52;c');
      expect(note).not.toContain('\u202e');
      const starts = note.split(`${ESC}]`).length - 1;
      const ends = note.split('\u0007').length - 1 + (note.split(`${ESC}\\`).length - 1);
      expect([starts, ends]).toEqual(env.TERM === 'xterm-kitty' ? [2, 2] : [1, 1]);
    }
  });

  it('goes through tmux with each escape doubled', () => {
    const note = terminalNote({ TERM: 'tmux-256color', TMUX: '/tmp/x,1,0' }, 'a', 'b');
    expect(note).toBe(`${ESC}Ptmux;${ESC}${ESC}]9;ralph: a\u0007${ESC}\\`);
  });
});
