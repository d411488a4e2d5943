import { join } from 'node:path';
import { EXIT } from '../../../core/model/errors.ts';
import type { HostPolicy } from '../../../core/model/model.ts';
import { shellLine } from '../../../core/model/shell-word.ts';
import type { Facts } from '../../../core/fold/fold.ts';
import type { Event } from '../../../core/model/events.ts';
import type { RunLine } from '../../../core/views/runs.ts';
import { runsView } from '../../../core/views/runs.ts';
import type { Summary } from '../../../core/views/summary.ts';
import { summarize } from '../../../core/views/summary.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import type { Driven } from './drive-host.ts';
import type { Settings } from '../../../core/model/settings.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import { logFolder, ralphFolder } from '../../../world/git/run/state-places.ts';
import { readLogOnly } from '../../../world/log/file-log.ts';
import type { Answer, Call } from '../../call/handler.ts';
import { showSummary } from '../show/show-summary.ts';

/** What came of a run; `exit` also counts what stopped it. */
export interface RunAnswer extends Summary {
  /** Null: this only landed, or the log cannot be read any more. */
  readonly run: RunFigures | null;
}

interface RunFigures {
  readonly n: number;
  readonly duration_ms: number;
  readonly iterations: number;
  readonly cost_usd: number | null;
  readonly gate_runs: number;
  readonly gate_runs_saved: number;
}

interface Ending {
  /** The command that goes on with what was interrupted; absent: the same once more. */
  readonly resume?: string;
  /** What it was put aside for is that the budget of this run is spent. */
  readonly isSpent?: boolean;
}

/** Says what came of a run. */
export async function finishRun(
  call: Call,
  { before, state, settings, signal, over }: Driven,
  policy: HostPolicy,
  ending: Ending = {},
): Promise<Answer<RunAnswer>> {
  const { resume = `ralph ${shellLine(call.words)}`, isSpent = false } = ending;
  const summary = summarize(state, policy, before);
  const isLeft = summary.stopped.length + summary.waiting.length + summary.open.length > 0;
  // What its time left to do is no failure.
  const isInTime = over !== null && summary.parked.length === 0;
  const own = summary.exit !== EXIT.parked ? summary.exit : isSpent ? EXIT.limit : isInTime ? EXIT.ok : summary.exit;
  const exit = signal === null ? own : signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
  const run = policy.slots === 0 ? null : await lastRun(call);
  showSummary(call.out, summary, policy.target, run);
  if (signal === null && over !== null && isLeft)
    call.out.say(`the run has reached its time limit (${over}); everything is kept. to continue: ${resume}`);
  if (signal !== null) call.out.say(`stopped; everything is kept. resume: ${resume}`);
  if (policy.slots > 0) await writeReportAtEnd(call, settings);
  return {
    data: call.flags['events'] === true ? null : { ...summary, run: run === null ? null : figures(run), exit },
    exit,
  };
}

/** What the log says of the run that ends; null: it cannot be read any more. */
async function lastRun({ cwd }: Call): Promise<RunLine | null> {
  try {
    const records: readonly Facts[] = await readLogOnly<Event>(logFolder(findRepository(cwd))).read(0);
    return runsView(records).at(-1) ?? null;
  } catch {
    return null;
  }
}

const figures = ({
  n,
  since,
  ended,
  last_at: last,
  iterations,
  cost_usd: cost,
  gate_runs: runs,
  gate_runs_saved: saved,
}: RunLine): RunFigures => ({
  n,
  duration_ms: Math.max(0, (ended ?? last) - since),
  iterations,
  cost_usd: cost,
  gate_runs: runs,
  gate_runs_saved: saved,
});

/** The run is over whatever becomes of its report. */
async function writeReportAtEnd({ cwd, out }: Call, settings: Settings): Promise<void> {
  const { onFinish } = settings.report;
  if (onFinish === null) return;
  try {
    const repo = findRepository(cwd);
    const { makeReport, writeReport } = await import('./make-report.ts');
    const report = await makeReport(repo, settings);
    if (report !== null) writeReport(join(ralphFolder(repo), onFinish), report);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    out.say(out.style.yellow(`warning: no report in .ralph/${cleanLine(onFinish)}: ${cleanLine(why)}`));
  }
}
