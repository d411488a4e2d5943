import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanLine, cleanText } from './clean.ts';

describe('case 78: text that is not ours is shown inert', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['colour', '\u001b[31mred\u001b[0m', 'red'],
    ['cursor', 'a\u001b[2Jb', 'ab'],
    ['clipboard', '\u001b]52;c;aGk=\u0007x', 'x'],
    ['clipboard without an end', 'a\u001b]52;c;aGk=', 'a'],
    ['8-bit string', 'a\u009d52;c;aGk=\u009cb', 'ab'],
    ['8-bit control sequence', 'a\u009b31mb', 'ab'],
    ['overwriting', 'safe\rrm -rf', 'saferm -rf'],
    ['backspace', 'a\bb', 'ab'],
    ['reading order', 'a\u202eb\u2066c', 'abc'],
    ['zero width', 'a\u200bb\ufeff', 'ab'],
    ['letters without a width', 'a\u00ad\u180e\u115f\u3164b\u{e0041}\u{e007f}', 'ab'],
    ['what only looks like a half of it', 'a\udb40b\u{e0100}', 'a\udb40b\u{e0100}'],
    ['NUL', 'a\u0000b', 'ab'],
    ['markup stays text', '</script> `x` $(y)', '</script> `x` $(y)'],
  ];
  it.each(cases)('%s', (_name, text, shown) => expect(cleanText(text)).toBe(shown));

  it('keeps line breaks in text and none in a line', () => {
    expect(cleanText('a\r\nb\tc')).toBe('a\nb\tc');
    expect(cleanLine(' a\n\nb ')).toBe('a b');
  });

  it('leaves no control character in anything', () => {
    const noisy = fc.string({
      unit: fc.constantFrom(
        '\u001b',
        ']',
        '[',
        'P',
        '\u0007',
        '\\',
        'm',
        '3',
        ';',
        '\u009b',
        '\u009d',
        '\n',
        'a',
        '\u202e',
      ),
    });
    // oxlint-disable-next-line no-control-regex
    const acting = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;
    fc.assert(fc.property(noisy, (text) => !acting.test(cleanText(text))));
  });
});
