import { AppError } from '../../../core/model/errors.ts';
import type { Event } from '../../../core/model/events.ts';
import type { Settings } from '../../../core/model/settings.ts';
import type { ReportView } from '../../../core/views/report.ts';
import { reportView } from '../../../core/views/report.ts';
import { runsView } from '../../../core/views/runs.ts';
import type { Facts } from '../../../core/fold/fold.ts';
import { reportHtml } from '../../../text/report/report-html.ts';
import type { TimeOf } from '../../../text/report/report-text.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { openView } from '../../../world/git/run/view.ts';
import { logFolder } from '../../../world/git/run/state-places.ts';
import { readLogOnly } from '../../../world/log/file-log.ts';
import { sizesOf } from '../../../world/loops/loop-diff.ts';
import { localTime } from '../../../world/os/clock.ts';
import { placeFile } from '../../../world/os/files.ts';
import { errnoOf, systemFailure } from '../../../world/os/system-failure.ts';

/** `last`, `all` or the number of a run; null: there was none. */
export async function makeReport(
  repo: Repository,
  { limits, project }: Pick<Settings, 'limits' | 'project'>,
  asked: unknown = 'last',
): Promise<ReportView | null> {
  const records: readonly Facts[] = await readLogOnly<Event>(logFolder(repo)).read(0);
  const runs = runsView(records);
  const run = asked === 'all' ? null : asked === 'last' ? runs.length : Number(asked);
  if (run !== null && !Number.isSafeInteger(run))
    throw new AppError('E_USAGE', `--run ${String(asked)}: not last, all or a number`, {
      remedy: 'ralph report --help',
    });
  if (runs.length === 0 || (run !== null && (run < 1 || run > runs.length))) return null;
  const chosen = run === null ? runs : runs.slice(run - 1, run);
  const commits = chosen.flatMap(({ landed }) => landed.map(({ commit }) => commit));
  const sizes = commits.length === 0 ? new Map<string, never>() : await sizesOf(await openView(repo), commits);
  return reportView(records, { run, nowMs: Date.now(), attempts: limits.attempts, limits: project, sizes });
}

/** Whole or not at all: who looks meanwhile sees the one before. */
export function writeReport(file: string, report: ReportView): void {
  try {
    placeFile(file, reportHtml(report, timeFor(report)));
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    const { message, code } = systemFailure('the report cannot be written', error);
    // What only a disk can help is the disk's; anything else is the name that was given.
    throw new AppError(code === 'E_DISK' ? code : 'E_USAGE', message, {
      facts: [file],
      remedy: 'ralph report --html report.html',
    });
  }
}

/** The time of day; with its day where the report is about more than one. */
export function timeFor({ since, until }: ReportView): TimeOf {
  const dayOf = (iso: string): string => localTime(Date.parse(iso)).slice(0, 'yyyy-mm-dd'.length);
  const isOneDay = dayOf(since) === dayOf(until);
  return (iso) => localTime(Date.parse(iso)).slice(isOneDay ? 'yyyy-mm-dd '.length : 0, 'yyyy-mm-dd hh:mm'.length);
}
