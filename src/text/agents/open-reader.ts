import type { AgentEvent, Protocol, Reader } from './agent-event.ts';
import { openAcp } from './readers/acp.ts';
import { openClaude } from './readers/claude.ts';
import { openCodexAppServer } from './readers/codex-app-server.ts';
import { openCodex } from './readers/codex.ts';
import { parseBag } from './readers/json.ts';
import { openPi } from './readers/pi.ts';
import { sniff } from './readers/sniff.ts';
import type { Moment } from './readers/reset-time.ts';

type Known = Exclude<Protocol, 'jsonl' | 'text'>;

const OPENERS: Readonly<Record<Known, (moment: Moment) => Reader>> = {
  claude: openClaude,
  codex: openCodex,
  'codex-app-server': openCodexAppServer,
  acp: openAcp,
  pi: openPi,
};

/** A reader for one run of an agent. The moment helps with times told without a day or a zone. */
export function openReader(protocol: Protocol, moment: Moment): Reader {
  switch (protocol) {
    case 'text':
      return { read: () => [] };
    case 'jsonl':
      return openSniffing(moment);
    default:
      return unbreakable(OPENERS[protocol](moment));
  }
}

/** A client says who it is soon; looking at every line of a flood would keep the host busy. */
const SNIFFS_MAX = 10_000;

/** The first line that some client would print decides whose lines these are. */
function openSniffing(moment: Moment): Reader {
  let found: Reader | null = null;
  let tries = 0;
  return {
    read(line) {
      if (found === null && (tries += 1) <= SNIFFS_MAX) {
        const bag = parseBag(line);
        const protocol = bag === null ? null : sniff(bag);
        if (protocol !== null) found = openReader(protocol, moment);
      }
      return found?.read(line) ?? [];
    },
  };
}

/** Whatever a stranger prints, an iteration must not end by it: nesting can be deeper than the stack. */
function unbreakable(reader: Reader): Reader {
  return {
    read(line): readonly AgentEvent[] {
      try {
        return reader.read(line);
      } catch {
        return [];
      }
    },
  };
}
