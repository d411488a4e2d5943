import { leftOutOfGates } from '../processes/environment.ts';
import { readTailSince } from '../os/tail.ts';

/** How much of the output is searched for names. */
const OUTPUT_BYTES_MAX = 1 << 20;

export interface FailedCommand {
  readonly logFile: string;
  /** Where its output begins in the log. */
  readonly offset: number;
  readonly env: NodeJS.ProcessEnv;
  readonly passEnv: readonly string[];
}

/** What a command may have failed for: variables left out of its environment that it, or what it printed, speaks of. */
export function missedBy(command: string, { logFile, offset, env, passEnv }: FailedCommand): readonly string[] {
  const leftOut = leftOutOfGates(env, passEnv);
  if (leftOut.length === 0) return [];
  const words = new Set(`${command}\n${readTailSince(logFile, OUTPUT_BYTES_MAX, offset)}`.match(/\w+/g));
  return leftOut.filter((name) => words.has(name)).sort();
}

/** A line of ours below the end of an output. */
export const withLine = (tail: string, line: string): string =>
  tail.trim() === '' ? `(${line})` : `${tail.trimEnd()}\n(${line})`;
