import { describe, expect, it } from 'vitest';
import { launchScript, shellQuote } from './launch-script.ts';

describe('a launch script', () => {
  it('quotes everything', () => {
    expect(shellQuote('')).toBe("''");
    expect(shellQuote('it\'s $(touch x) `y`\n"z"')).toBe("'it'\\''s $(touch x) `y`\n\"z\"'");
    expect(() => shellQuote('a\0b')).toThrow('NUL');
  });

  it('goes to its own folder, sets what it must, and becomes the program', () => {
    const script = launchScript({
      what: 'Starts claude\nrm -rf /',
      argv: ['/opt/my agent', '--model', "a'b"],
      otherwise: 'claude',
      env: { RALPH_PORT_BASE: '20010' },
      unset: ['RALPH_LOOP_ID'],
      up: '..',
      worktree: "/it's here",
    });
    expect(script.split('\n')).toEqual([
      '#!/bin/sh',
      '# Starts claude rm -rf /',
      '# Written by `ralph start`. Run it again whenever you like.',
      'set -eu',
      'unset CDPATH',
      'case $0 in',
      '  */*) at=${0%/*}/.. ;;',
      '  *) at=./.. ;;',
      'esac',
      "if [ -L \"$0\" ] || [ ! -e \"$at/.git\" ]; then at='/it'\\''s here'; fi",
      'cd -- "$at"',
      "export RALPH_PORT_BASE='20010'",
      'unset RALPH_LOOP_ID',
      "program='/opt/my agent'",
      '[ -x "$program" ] || program=\'claude\'',
      "exec \"$program\" '--model' 'a'\\''b' \"$@\"",
      '',
    ]);
    const bad = { what: '', argv: ['x'], otherwise: null, env: { 'A;B': '' }, unset: [], up: '.', worktree: '/' };
    expect(() => launchScript(bad)).toThrow('variable');
  });
});
