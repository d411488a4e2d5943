import type { CompletionSignal } from '../../core/model/settings.ts';

/** What an agent may put around a line to make it stand out. */
const DECORATION = /^[\s>*_`#-]+|[\s*_`]+$/g;

/** Whether the agent says it is done: only the very last thing said counts. A sentence that quotes the signal does not. */
export function saysDone(
  finalText: string,
  how: { readonly signal: CompletionSignal; readonly promise: string },
): boolean {
  switch (how.signal) {
    case 'promise':
      return claimsDone(finalText, how.promise);
    case 'loop_complete':
      return lastLine(finalText) === 'LOOP_COMPLETE';
  }
}

/** What goes on into the tag: `I will say <promise>…`, `no "<promise>…`, a quote (`> `), a comment. A sentence before it has ended. */
const GOES_ON = /(?:[\p{L}\p{N},;:"'“‘(>]|<!--)$/u;

/** The last thing said, with blanks inside the tag as some models put them. */
const SAID = /(`|\*\*|)<promise>[^\S\n]*([^\n]*?)[^\S\n]*<\/promise>\1$/u;

/** What an agent says that must land before it can do anything: `<promise>WAITING: a, b</promise>` as the very last thing. */
export function saysLacking(finalText: string): readonly string[] {
  const [, ids] = /^WAITING:(.*)$/u.exec(promised(finalText) ?? '') ?? [];
  return (ids ?? '').split(/[\s,]+/u).filter((id) => id !== '');
}

/** The promise counts alone on its line or after a whole sentence, with one pair of marks around it at most. */
const claimsDone = (finalText: string, promise: string): boolean => promised(finalText) === promise.trim();

/** What the very last thing said promises; null: it is no promise. */
function promised(finalText: string): string | null {
  const text = finalText.trimEnd();
  const [whole, , said = ''] = SAID.exec(text) ?? [];
  if (whole === undefined) return null;
  const before = text.slice(0, -whole.length).split('\n').at(-1) ?? '';
  return GOES_ON.test(before.trimEnd()) ? null : said;
}

/** The last line with anything on it, without decoration. */
function lastLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return (lines.at(-1) ?? '').replaceAll(DECORATION, '');
}
