const ESCAPE = '\u001b[';

const CODES: readonly (readonly [RegExp, number])[] = [
  [/^(?:diff |index |--- |\+\+\+ |old mode |new mode |deleted file |new file |similarity |rename |copy )/, 1],
  [/^@@ /, 36],
  [/^\+/, 32],
  [/^-/, 31],
];

/** A diff in the colours git gives it. The text must be clean: what stood in the files would else be told to the terminal. */
export function colourDiff(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const code = CODES.find(([pattern]) => pattern.test(line))?.[1];
      return code === undefined ? line : `${ESCAPE}${code}m${line}${ESCAPE}m`;
    })
    .join('\n');
}
