import { NO_USAGE } from '../../core/model/usage.ts';
import type { Report } from './report.ts';

/** What is known of an agent that prints plain text: the end of it. */
export function textReport(tail: string): Report {
  return {
    session: null,
    finalText: tail,
    isTerminal: null,
    failure: null,
    limit: null,
    denials: 0,
    usage: NO_USAGE,
  };
}
