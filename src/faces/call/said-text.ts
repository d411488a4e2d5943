import { AppError } from '../../core/model/errors.ts';
import { cleanLine, cleanText, cutChars } from '../../text/screen/clean.ts';

export const PROGRESS_CHARS_MAX = 500;
const TEXT_CHARS_MAX = 4000;

export interface SaidText {
  readonly text: string;
  /** How much of it there was, where it had to be cut; null: all of it is here. */
  readonly cutFrom: number | null;
}

/** Words for the log: cleaned, never empty, and no longer than a log should hold. */
export function saidText(words: readonly string[], what: string, usage: string): SaidText {
  return cut(cleanText(words.join(' ')).trim(), TEXT_CHARS_MAX, what, usage);
}

/** The same on one line. */
export function saidLine(words: readonly string[], charsMax: number, what: string, usage: string): SaidText {
  return cut(cleanLine(words.join(' ')), charsMax, what, usage);
}

/** A text that may be left out. */
export function saidOrNothing(text: string): SaidText {
  const clean = cleanText(text).trim();
  return clean === '' ? { text: '', cutFrom: null } : cut(clean, TEXT_CHARS_MAX, '', '');
}

/** Told to whoever said it: an agent that believes all of it was kept would not say the rest elsewhere. */
export function cutNotice(...said: readonly SaidText[]): string {
  const cutOnes = said.filter((one) => one.cutFrom !== null);
  return cutOnes.map((one) => ` (cut: ${one.text.length} of ${one.cutFrom ?? 0} characters kept)`).join('');
}

function cut(clean: string, charsMax: number, what: string, usage: string): SaidText {
  if (clean === '') throw new AppError('E_USAGE', `${what} has no words`, { remedy: usage });
  if (clean.length <= charsMax) return { text: clean, cutFrom: null };
  return { text: cutChars(clean, charsMax), cutFrom: clean.length };
}
