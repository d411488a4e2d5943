// East Asian wide and fullwidth characters; halfwidth forms are narrow.
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;
const PLAIN = /^[ -~]*$/;
const SEGMENTS = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How many columns of a terminal a cleaned text on one line takes. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of SEGMENTS.segment(text)) width += widthOf(segment);
  return width;
}

function widthOf(character: string): number {
  // A picture by itself, or by the selector that follows it.
  if (/\p{Emoji_Presentation}|\ufe0f/u.test(character) || WIDE.test(character)) return 2;
  return /^[\p{M}\p{Cf}\p{Cc}]/u.test(character) ? 0 : 1;
}

/** The same text, or as much of its beginning as there is room for, with a sign that there was more. */
export function cutToWidth(text: string, most: number): string {
  if (displayWidth(text) <= most) return text;
  let width = 1;
  let cut = '';
  for (const { segment } of SEGMENTS.segment(text)) {
    width += widthOf(segment);
    if (width > most) break;
    cut += segment;
  }
  return `${cut.trimEnd()}…`;
}

export const padToWidth = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - displayWidth(text)));
