import { cleanText } from './clean.ts';

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

const ESCAPE = '\u001b[';

const CODES: readonly (readonly [RegExp, number])[] = [
  [/^(?:diff |index |--- |\+\+\+ |old mode |new mode |deleted file |new file |similarity |rename |copy )/, 1],
  [/^@@ /, 36],
  [/^\+/, 32],
  [/^-/, 31],
];

/** A diff in the colours git gives it. The text must be clean: what stood in the files would else be told to the terminal. */
function colourDiff(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const code = CODES.find(([pattern]) => pattern.test(line))?.[1];
      return code === undefined ? line : `${ESCAPE}${code}m${line}${ESCAPE}m`;
    })
    .join('\n');
}
