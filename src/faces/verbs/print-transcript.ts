import { StringDecoder } from 'node:string_decoder';
import type { AgentEvent, Protocol } from '../../text/agents/agent-event.ts';
import { openReader } from '../../text/agents/open-reader.ts';
import { renderEvent } from '../../text/agents/render.ts';
import { cleanText } from '../../text/screen/clean.ts';
import { createLineSplitter } from '../../world/agent-run/split-lines.ts';

const HELD_CHARS_MAX = 64 * 1024;

/** How an iteration's bytes are shown. */
export type Shown = 'rendered' | 'raw' | 'json';

/** Turns the bytes of one file into what is printed, a piece at a time. */
export interface Printing {
  push(bytes: Buffer): string | Buffer;
  end(): string;
}

export function openPrinting(shown: Shown, protocol: Protocol, n: number): Printing {
  if (shown === 'raw') return { push: (bytes) => Buffer.from(bytes), end: () => '' };
  return shown === 'rendered' && protocol === 'text' ? plainText() : events(shown, protocol, n);
}

/** Words as they were said; cut between lines where there are any, so that no escape sequence is cut. */
function plainText(): Printing {
  const decoder = new StringDecoder('utf8');
  let held = '';
  return {
    push(bytes) {
      const text = held + decoder.write(bytes);
      const end = text.lastIndexOf('\n') + 1;
      const cut = end === 0 && text.length > HELD_CHARS_MAX ? text.length : end;
      held = text.slice(cut);
      return cleanText(text.slice(0, cut));
    },
    end() {
      const text = cleanText(held + decoder.end());
      return text === '' ? '' : `${text}\n`;
    },
  };
}

function events(shown: Shown, protocol: Protocol, n: number): Printing {
  const reader = openReader(protocol, { nowMs: Date.now(), utcOffsetMin: -new Date().getTimezoneOffset() });
  let printed: string[] = [];
  const lines = createLineSplitter((line) => {
    const read = reader.read(line);
    // What is no event of the protocol was said past it: by the client when it broke, or by us where the log was cut.
    const seen: readonly AgentEvent[] =
      read.length === 0 && isPlain(line, protocol) ? [{ type: 'said', text: line, isPart: false }] : read;
    for (const event of seen) {
      const text = shown === 'json' ? JSON.stringify({ iteration: n, ...event }) : renderEvent(event);
      if (text !== null) printed.push(shown === 'json' ? text : cleanText(text));
    }
  });
  const flush = (): string => {
    const text = printed.map((line) => `${line}\n`).join('');
    printed = [];
    return text;
  };
  return {
    push(bytes) {
      lines.take(bytes);
      return flush();
    },
    end() {
      lines.finish();
      if (lines.skipped() > 0 && shown === 'rendered') printed.push(`(lines too long to be shown: ${lines.skipped()})`);
      return flush();
    },
  };
}

const isPlain = (line: string, protocol: Protocol): boolean =>
  protocol === 'text' || (line.trim() !== '' && !line.trimStart().startsWith('{'));
