import type { CompletionSignal } from '../../core/settings.ts';

export type Signal = 'done' | 'blocked';

/** What an agent may put around a line to make it stand out. */
const DECORATION = /^[\s>*_`#-]+|[\s*_`]+$/g;
const STATUS_BEGINS = '---RALPH_STATUS---';
const STATUS_ENDS = /^---\s*END_?\s?RALPH_STATUS\s*---$/;

/** Whether the agent says it is done: only the very last thing said counts. A sentence that quotes the signal does not. */
export function readSignal(
  finalText: string,
  structured: unknown,
  how: { readonly signal: CompletionSignal; readonly promise: string },
): Signal | null {
  switch (how.signal) {
    case 'promise':
      return claimsDone(finalText, how.promise) ? 'done' : null;
    case 'exit_signal':
      return /^EXIT_SIGNAL:\s*true$/i.test(exitLine(finalText)) ? 'done' : null;
    case 'loop_complete':
      return lastLine(finalText) === 'LOOP_COMPLETE' ? 'done' : null;
    case 'ship_block': {
      const line = lastLine(finalText);
      if (line === 'SHIP') return 'done';
      return /^BLOCK(?::.*)?$/.test(line) ? 'blocked' : null;
    }
    case 'structured':
      // Some clients keep the form apart, with others it is all they say.
      return structuredStatus(structured ?? parsed(finalText));
  }
}

/** What goes on into the tag: `I will say <promise>…`, `no "<promise>…`, a quote (`> `), a comment. A sentence before it has ended. */
const GOES_ON = /(?:[\p{L}\p{N},;:"'“‘(>]|<!--)$/u;

/** The last thing said, with blanks inside the tag as some models put them. */
const SAID = /(`|\*\*|)<promise>[^\S\n]*([^\n]*?)[^\S\n]*<\/promise>\1$/u;

/** The promise counts alone on its line or after a whole sentence, with one pair of marks around it at most. */
export function claimsDone(finalText: string, promise: string): boolean {
  const text = finalText.trimEnd();
  const [whole, , said = ''] = SAID.exec(text) ?? [];
  if (whole === undefined || said !== promise.trim()) return false;
  const before = text.slice(0, -whole.length).split('\n').at(-1) ?? '';
  return !GOES_ON.test(before.trimEnd());
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

const bare = (line: string): string => line.replaceAll(DECORATION, '');

/** The last line with anything on it, without decoration. */
export const lastLine = (text: string): string => bare(linesOf(text).at(-1) ?? '');

/** The line with the signal: the last one, or the last one in a status block that closes the text. */
function exitLine(text: string): string {
  const lines = linesOf(text).filter((line) => !/^\s*```/.test(line));
  const isBlock = STATUS_ENDS.test((lines.at(-1) ?? '').trim());
  if (!isBlock) return bare(lines.at(-1) ?? '');
  const begins = lines.findLastIndex((line) => line.trim() === STATUS_BEGINS);
  const inside = begins < 0 ? [] : lines.slice(begins + 1, -1).map(bare);
  return inside.findLast((line) => /^EXIT_SIGNAL:/i.test(line)) ?? '';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function structuredStatus(structured: unknown): Signal | null {
  if (typeof structured !== 'object' || structured === null) return null;
  const status: unknown = (structured as { readonly status?: unknown }).status;
  return status === 'done' || status === 'blocked' ? status : null;
}
