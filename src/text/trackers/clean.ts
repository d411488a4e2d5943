/** Controls, lone surrogates, bidi overrides, zero-width and tag characters: all that shows nothing or misleads. */
const UNSEEN =
  /[\p{Cc}\p{Cs}\p{Bidi_Control}\u00AD\u180E\u200B-\u200F\u2028\u2029\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/u;
const UNSEEN_ALL = new RegExp(UNSEEN.source, 'gu');
const UNSEEN_BUT_LAYOUT = new RegExp(`(?![\\n\\t])${UNSEEN.source}`, 'gu');

const QUOTED_CHARS_MAX = 60;

/** Text on one line, without anything a terminal or a page could act on. */
export function cleanLine(text: string): string {
  return text
    .replaceAll(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ')
    .replaceAll(UNSEEN_ALL, '')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}

/** The same for text of several lines: line feeds and tabs stay. */
export function cleanText(text: string): string {
  return text
    .replaceAll(/\r\n|[\r\u0085\u2028\u2029]/g, '\n')
    .replaceAll(UNSEEN_BUT_LAYOUT, '')
    .trim();
}

export function hasUnseen(text: string): boolean {
  return UNSEEN.test(text);
}

/** A word of the user's file inside one of our messages. */
export function quote(text: string): string {
  const short = text.length > QUOTED_CHARS_MAX ? `${text.slice(0, QUOTED_CHARS_MAX)}…` : text;
  return `"${cleanLine(short)}"`;
}
