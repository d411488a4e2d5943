import { join } from 'node:path';
import type { FailureKind } from '../../core/failure.ts';
import { classifyMessage } from '../../text/agents/classify.ts';
import type { IterationEnd, Report } from '../../text/agents/report.ts';
import { shortLine } from '../../text/screen/clean.ts';
import { readTail } from '../processes/tail.ts';

const TAIL_BYTES = 4096;
const MESSAGE_CHARS_MAX = 300;
/** What is worth believing of a client that never began: that it may not, or may not yet. */
const TELLING: ReadonlySet<FailureKind> = new Set<FailureKind>(['auth', 'limit', 'rate', 'model']);

/** A client that dies without a word of its protocol has mostly said why elsewhere: the last line of its errors is the reason. */
export function withComplaint(dir: string, end: IterationEnd, report: Report): Report {
  const { isTerminal, failure, limit, denials, usage } = report;
  const isTold = isTerminal !== false || failure !== null || limit !== null || denials > 0;
  if (end.how !== 'exited' || end.code === 0 || isTold) return report;
  const line = lastComplaint(dir);
  if (line === '') return report;
  const kind = classifyMessage(line);
  const hasBegun = usage.turns > 0 || report.session !== null;
  const message = `exit ${end.code}: ${line}`;
  return { ...report, failure: { kind: !hasBegun && TELLING.has(kind) ? kind : 'unfinished', message } };
}

function lastComplaint(dir: string): string {
  const lines = readTail(join(dir, 'stderr.log'), TAIL_BYTES).split('\n');
  return lines
    .map((line) => shortLine(line, MESSAGE_CHARS_MAX).trim())
    .filter((line) => line !== '')
    .slice(-1)
    .join('');
}
