import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyPart, lastPart, splitDotted, tableOf } from './dotted.ts';

describe('splitDotted', () => {
  it.each([
    ['a', ['a']],
    ['a.b-c.d_1', ['a', 'b-c', 'd_1']],
    ['a."b.c"', ['a', 'b.c']],
    ["a.'b.c'.d", ['a', 'b.c', 'd']],
    ['a."b\\"c"', ['a', 'b"c']],
    ['', ['']],
    ['a..b.', ['a', '', 'b', '']],
    ['a."b', ['a', '"b']],
    ['a."b"c.d', ['a', '"b"c', 'd']],
    ['a."\\x"', ['a', '"\\x"']],
  ])('%j is %j', (dotted, parts) => expect(splitDotted(dotted)).toEqual(parts));

  it('gives back every part that keyPart wrote', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 5 }), (parts) => {
        expect(splitDotted(parts.map(keyPart).join('.'))).toEqual(parts);
      }),
    );
  });
});

describe('tableOf and lastPart', () => {
  it('take a key apart', () => {
    expect([tableOf('a.b.c'), lastPart('a.b.c')]).toEqual(['a.b', 'c']);
    expect([tableOf('a'), lastPart('a')]).toEqual(['', 'a']);
    expect([tableOf('a."x.y"."z.json"'), lastPart('a."x.y"."z.json"')]).toEqual(['a."x.y"', 'z.json']);
    expect(tableOf('agents.*.env.*')).toBe('agents.*.env');
  });
});
