import { expect, it } from 'vitest';
import { type Flags, retype } from './retype.ts';

it.each<[string[], Flags, string]>([
  [['start', 'login', 'do it now'], { '--branch': 'a' }, "ralph start login 'do it now' --branch a"],
  [
    ['start', '--branch', 'b', 'login', '--from', 'c'],
    { '--branch': 'a', '--from': null },
    'ralph start login --branch a',
  ],
  [['start', '--branch=b', 'login'], { '--branch': 'a' }, 'ralph start login --branch a'],
  [['start', '--cancel', 'login'], { '--cancel': null, '--parallel': true }, 'ralph start login --parallel'],
  [
    ['start', '--tmux', '--', 'login', '--branch'],
    { '--branch': 'a' },
    'ralph start --tmux --branch a -- login --branch',
  ],
])('%j', (words, flags, expected) => {
  expect(retype(words, flags)).toBe(expected);
});
