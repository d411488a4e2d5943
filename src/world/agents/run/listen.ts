import { join } from 'node:path';
import { saysDone } from '../../../text/agents/completion.ts';
import { openReader } from '../../../text/agents/open-reader.ts';
import type { Report } from '../../../text/agents/report.ts';
import { createReporter } from '../../../text/agents/reporter.ts';
import { textReport } from '../../../text/agents/text-report.ts';
import { readTail } from '../../os/tail.ts';
import type { AgentFile } from './agent-file.ts';
import { createFollower } from './follow.ts';

export type Completion = Parameters<typeof saysDone>[1];

const FINAL_TEXT_BYTES = 64 * 1024;

/** What an iteration tells on its standard output, followed while it runs. */
export interface Listener {
  /** Reads on; a signal leaves the rest for later. */
  advance(signal: AbortSignal): Promise<void>;
  turns(): number;
  /** What it told in all, once it has ended. */
  report(): Promise<Report>;
  /** Whether it has said that it is done, as the last thing so far. */
  isOver(completion: Completion): boolean;
  /** How many lines were too long to be read. */
  skipped(): number;
}

/** From the beginning of the file, whoever started the iteration: everything it told counts. */
export function listen(dir: string, agent: AgentFile, nowMs: number): Listener {
  const file = join(dir, 'stdout.log');
  if (agent.protocol === 'text') return listenToText(file);
  const utcOffsetMin = -new Date(nowMs).getTimezoneOffset();
  const reader = openReader(agent.protocol, { nowMs, utcOffsetMin });
  const reporter = createReporter({ protocol: agent.protocol, price: agent.price });
  const follower = createFollower(file, (line) => reporter.take(reader.read(line)));
  return {
    advance: (signal) => follower.advance(signal),
    turns: () => reporter.turns(),
    report: async () => {
      await follower.finish();
      const report = reporter.report();
      // Lines in no shape we know: then its words count as they stand.
      return agent.protocol === 'jsonl' && report.isTerminal === null
        ? textReport(readTail(file, FINAL_TEXT_BYTES))
        : report;
    },
    isOver: (completion) => {
      if (agent.protocol === 'jsonl') return endsDone(file, completion);
      const { isTerminal, failure, finalText } = reporter.report();
      // Some clients tell of each step like of the last one: what the agent itself said decides.
      return isTerminal === true && failure === null && saysDone(finalText, completion);
    },
    skipped: () => follower.skipped(),
  };
}

const endsDone = (file: string, completion: Completion): boolean =>
  saysDone(textReport(readTail(file, FINAL_TEXT_BYTES)).finalText, completion);

/** Plain words tell nothing on the way; what counts stands at the end. */
function listenToText(file: string): Listener {
  return {
    advance: () => Promise.resolve(),
    turns: () => 0,
    report: () => Promise.resolve(textReport(readTail(file, FINAL_TEXT_BYTES))),
    isOver: (completion) => endsDone(file, completion),
    skipped: () => 0,
  };
}
