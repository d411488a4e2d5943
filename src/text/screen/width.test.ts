import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanLine } from './clean.ts';
import { cutToWidth, displayWidth, padToWidth } from './table.ts';

describe('displayWidth', () => {
  it.each([
    ['', 0],
    ['plain text', 10],
    ['Grüße', 5],
    ['Gru\u0308ße', 5],
    ['日本語', 6],
    ['한국어', 6],
    ['ｶﾀｶﾅ', 4],
    ['ＡＢ', 4],
    ['🚀 go', 5],
    ['❤️', 2],
    ['👍🏽', 2],
    ['🇩🇪', 2],
    ['→ ✓ …', 5],
  ])('%s takes %i', (text, width) => expect(displayWidth(text)).toBe(width));
});

describe('cutToWidth', () => {
  it('cuts no character in half and says that there was more', () => {
    expect(cutToWidth('short', 5)).toBe('short');
    expect(cutToWidth('longer', 5)).toBe('long…');
    expect(cutToWidth('two words', 5)).toBe('two…');
    expect(cutToWidth('日本語です', 6)).toBe('日本…');
    expect(cutToWidth('🚀🚀🚀', 4)).toBe('🚀…');
    expect(cutToWidth('👍🏽👍🏽', 3)).toBe('👍🏽…');
  });

  it('is never wider than asked for, and pads to the very width', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.integer({ min: 1, max: 40 }), (text, most) => {
        const cut = cutToWidth(cleanLine(text), most);
        expect(displayWidth(cut)).toBeLessThanOrEqual(most);
        expect(displayWidth(padToWidth(cut, most))).toBe(most);
      }),
      { seed: 1, numRuns: 300 },
    );
  });
});
