import { expect, it } from 'vitest';
import { splitWords } from './split-words.ts';

it.each<[string, readonly string[] | null]>([
  ['vi', ['vi']],
  ['  code  --wait ', ['code', '--wait']],
  ['"/opt/my editor/ed" -w', ['/opt/my editor/ed', '-w']],
  [String.raw`/opt/my\ editor/ed 'a "b"' "it\"s \x"`, ['/opt/my editor/ed', 'a "b"', String.raw`it"s \x`]],
  ['vi; touch $(x) `y` && z > w', ['vi;', 'touch', '$(x)', '`y`', '&&', 'z', '>', 'w']],
  [`ed ""`, ['ed', '']],
  [' ', []],
  ['vi "open', null],
  ['back\\', ['back\\']],
])('%s', (line, words) => expect(splitWords(line)).toEqual(words));
