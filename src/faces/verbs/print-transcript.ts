import { StringDecoder } from 'node:string_decoder';
import { isoMs } from '../../core/model/describe-time.ts';
import type { AgentEvent, Protocol } from '../../text/agents/agent-event.ts';
import { openReader } from '../../text/agents/open-reader.ts';
import { renderEvent } from '../../text/agents/render.ts';
import { cleanText } from '../../text/screen/clean.ts';
import { createLineSplitter } from '../../world/agents/run/listen.ts';
import { inLocalTime } from '../../world/os/clock.ts';

const HELD_CHARS_MAX = 64 * 1024;

/** How an iteration's bytes are shown. */
export type Shown = 'rendered' | 'raw' | 'json';

/** Turns the bytes of one file into what is printed, a piece at a time. */
export interface Printing {
  push(bytes: Buffer): string | Buffer;
  end(): string;
}

/** Whose words they are, where they are shown as JSON. */
type Whose = { readonly loop?: string; readonly iteration: number };

/** A line of what an agent did, as `--json` prints it. */
export type TranscriptLine = Whose & ReturnType<typeof inJson>;

function inJson(event: AgentEvent) {
  switch (event.type) {
    case 'said':
      return { type: event.type, text: event.text, is_part: event.isPart };
    case 'throttled':
      return { type: event.type, why: event.why, retry_ms: event.retryMs };
    case 'limit': {
      const { type, status, detail, resetsAtMs } = event;
      return { type, status, detail, resets_at: resetsAtMs === null ? null : isoMs(resetsAtMs) };
    }
    default:
      return event;
  }
}

export function openPrinting(shown: Shown, protocol: Protocol, whose: Whose): Printing {
  if (shown === 'raw') return { push: (bytes) => Buffer.from(bytes), end: () => '' };
  return shown === 'rendered' && protocol === 'text' ? plainText() : events(shown, protocol, whose);
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

function events(shown: Shown, protocol: Protocol, whose: Whose): Printing {
  const reader = openReader(protocol, { nowMs: Date.now(), utcOffsetMin: -new Date().getTimezoneOffset() });
  const page = openPage();
  const lines = createLineSplitter((line) => {
    const read = reader.read(line);
    // What is no event of the protocol was said past it: by the client when it broke, or by us where the log was cut.
    const seen: readonly AgentEvent[] =
      read.length === 0 && isPlain(line, protocol) ? [{ type: 'said', text: line, isPart: false }] : read;
    for (const event of seen) {
      if (shown === 'json') page.line(JSON.stringify({ version: 1, ...whose, ...inJson(event) }));
      else page.event(event);
    }
  });
  return {
    push(bytes) {
      lines.take(bytes);
      return page.take();
    },
    end() {
      lines.finish();
      if (lines.skipped() > 0 && shown === 'rendered') page.line(`(lines too long to be shown: ${lines.skipped()})`);
      page.end();
      return page.take();
    },
  };
}

const isPlain = (line: string, protocol: Protocol): boolean =>
  protocol === 'text' || (line.trim() !== '' && !line.trimStart().startsWith('{'));

interface Page {
  event(event: AgentEvent): void;
  line(text: string): void;
  end(): void;
  take(): string;
}

/** Puts the parts of one message on one line: its end is only known when something else comes. */
function openPage(): Page {
  let text = '';
  let isOpen = false;
  const end = (): void => {
    if (isOpen) text += '\n';
    isOpen = false;
  };
  const line = (words: string): void => {
    end();
    text += `${words}\n`;
  };
  return {
    event(event) {
      const words = renderEvent(event);
      if (words === null) return;
      if (event.type === 'limit') return line(inLocalTime(cleanText(words)));
      if (event.type !== 'said') return line(cleanText(words));
      if (!event.isPart) end();
      text += cleanText(words);
      isOpen = true;
    },
    line,
    end,
    take() {
      const taken = text;
      text = '';
      return taken;
    },
  };
}
