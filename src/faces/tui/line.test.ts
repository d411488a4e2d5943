import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth } from '../../text/screen/table.ts';
import { apart, cell, fitLine, raw, render, rightCell, span, widthOf } from './line.ts';
import type { Tone } from './line.ts';

const PLAIN = { colour: false, ascii: false };
const words = fc.string({ unit: 'grapheme', maxLength: 20 });
const tones = fc.constantFrom<Tone>('plain', 'bold', 'red');
const lines = fc.array(fc.record({ text: words, tone: tones }), { maxLength: 6 });

describe('a row of the screen', () => {
  it('is never wider than the screen, whatever is in it', () => {
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 60 }), (parts, width) => {
        const line = parts.map(({ text, tone }) => span(text, tone));
        return widthOf(fitLine(line, width)) <= width && displayWidth(render(line, width, PLAIN)) <= width;
      }),
    );
  });

  it('is whole where there is room, and else shows that there was more', () => {
    const line = [span('one'), raw(' '), span('two')];
    expect(render(line, 7, PLAIN)).toBe('one two');
    expect(render(line, 6, PLAIN)).toBe('one t…');
    expect(render(line, 4, PLAIN)).toBe('one…');
  });

  it('has cells of exactly their width', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 2, max: 30 }), (text, width) => {
        expect(displayWidth(cell(text, width).text)).toBe(width);
        expect(displayWidth(rightCell(text, width).text)).toBe(width);
      }),
    );
  });

  it('keeps what is at the right edge only where both have room', () => {
    expect(render(apart([span('left')], [span('right')], 12), 12, PLAIN)).toBe('left   right');
    expect(render(apart([span('left')], [span('right')], 8), 8, PLAIN)).toBe('left');
  });
});

describe('what the terminal can show', () => {
  it('gets colours only where they are wanted', () => {
    expect(render([span('red', 'red')], 9, { colour: true, ascii: false })).toBe('\u001b[31mred\u001b[m');
    expect(render([span('red', 'red')], 9, PLAIN)).toBe('red');
  });

  it('gets nothing but ASCII where that is wanted, as wide as before', () => {
    const look = { colour: false, ascii: true };
    expect(render([span('grün 日本')], 20, look)).toBe('gr?n ????');
    expect(render([span('a long title')], 7, look)).toBe('a long~');
    fc.assert(fc.property(words, (text) => /^[ -~]*$/.test(render([span(text)], 40, look))));
  });

  it('is never steered by what is not ours', () => {
    expect(render([span('\u001b[2Ja\u001b]52;c;aGk=\u0007\u202eb')], 20, PLAIN)).toBe('ab');
  });
});
