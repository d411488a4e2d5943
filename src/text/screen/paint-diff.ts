import { cleanText } from './clean.ts';
import { colourDiff } from './colour-diff.ts';

/** A line longer than this is shown in pieces: it must not be held whole, and nobody reads it. */
const LINE_CHARS_MAX = 65_536;

/** Changes a text that comes in parts. */
export interface Rewrite {
  /** The next part; gives what is certain by now. */
  readonly take: (text: string) => string;
  /** What is left when nothing more comes. */
  readonly rest: () => string;
}

/** A diff for a terminal, line by line: what one line wants of the terminal hides nothing of the next. */
export function paintDiff(isPlain: boolean): Rewrite {
  let begun = '';
  const paint = (line: string): string => (isPlain ? cleanText(line) : colourDiff(cleanText(line)));
  const rest = (): string => {
    const line = begun;
    begun = '';
    return line === '' ? '' : paint(line);
  };
  const take = (text: string): string => {
    const lines = `${begun}${text}`.split('\n');
    begun = lines.pop() ?? '';
    const whole = lines.map((line) => `${paint(line)}\n`).join('');
    return begun.length > LINE_CHARS_MAX ? whole + rest() : whole;
  };
  return { take, rest };
}
