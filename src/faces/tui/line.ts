import { cleanLine } from '../../text/screen/clean.ts';
import { cutToWidth, displayWidth } from '../../text/screen/table.ts';

/** Never the only sign of anything: a word or a mark always stands beside it. */
export type Tone = 'plain' | 'bold' | 'dim' | 'red' | 'green' | 'yellow';

export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

/** One row of the screen, before it is known how wide that is. */
export type Line = readonly Span[];

/** What the terminal can show. */
export interface Look {
  readonly colour: boolean;
  /** Nothing but ASCII: the locale is not UTF-8, or the user wants it so. */
  readonly ascii: boolean;
}

/** Text that may not be ours: it is cleaned here, once, for every screen. */
export const span = (text: string, tone: Tone = 'plain'): Span => ({ text: cleanLine(text), tone });

/** Blanks and signs of our own, as they are. */
export const raw = (text: string, tone: Tone = 'plain'): Span => ({ text, tone });

export const widthOf = (line: Line): number => line.reduce((sum, { text }) => sum + displayWidth(text), 0);

/** As much of a line as there is room for, with a sign that there was more. */
export function fitLine(line: Line, width: number): Line {
  const kept: Span[] = [];
  let left = width;
  for (const [at, one] of line.entries()) {
    const own = displayWidth(one.text);
    const isLast = line.slice(at + 1).every(({ text }) => text === '');
    if (own < left || (own === left && isLast)) {
      kept.push(one);
      left -= own;
      continue;
    }
    if (left > 0) kept.push({ ...one, text: cutToWidth(`${one.text}${isLast ? '' : ' .'}`, left) });
    break;
  }
  return kept;
}

/** A cell of exactly this width. */
export function cell(text: string, width: number, tone: Tone = 'plain'): Span {
  const cut = cutToWidth(cleanLine(text), width);
  return raw(cut + ' '.repeat(Math.max(0, width - displayWidth(cut))), tone);
}

/** The same with its text at the right. */
export function rightCell(text: string, width: number, tone: Tone = 'plain'): Span {
  const cut = cutToWidth(cleanLine(text), width);
  return raw(' '.repeat(Math.max(0, width - displayWidth(cut))) + cut, tone);
}

/** What is at the left and, if there is room for both, what is at the right edge. */
export function apart(left: Line, right: Line, width: number): Line {
  const gap = width - widthOf(left) - widthOf(right);
  return gap < 1 ? fitLine(left, width) : [...left, raw(' '.repeat(gap)), ...right];
}

const CODES: Readonly<Record<Exclude<Tone, 'plain'>, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 };

/** The row as it is written to the terminal. */
export function render(line: Line, width: number, { colour, ascii }: Look): string {
  const text = fitLine(line, width)
    .map((one) => {
      const words = ascii ? toAscii(one.text) : one.text;
      return colour && one.tone !== 'plain' && words.trim() !== ''
        ? `\u001b[${CODES[one.tone]}m${words}\u001b[m`
        : words;
    })
    .join('');
  return text.trimEnd();
}

// oxlint-disable-next-line no-control-regex
const STRANGE = /[^\u0000-\u007f]/;
const SEGMENTS = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A sign for each character that is none of ASCII, as wide as it was. */
function toAscii(text: string): string {
  if (!STRANGE.test(text)) return text;
  return [...SEGMENTS.segment(text)]
    .map(({ segment }) => (segment === '…' ? '~' : STRANGE.test(segment) ? '?'.repeat(displayWidth(segment)) : segment))
    .join('');
}
