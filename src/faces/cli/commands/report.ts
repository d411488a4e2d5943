import { resolve } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import type { ReportView } from '../../../core/views/report.ts';
import type { TimelineView } from '../../../core/views/timeline.ts';
import { withTimes } from '../../../core/views/timeline.ts';
import { reportText } from '../../../text/report/report-text.ts';
import type { Call, Handler } from '../../call/handler.ts';
import { openProject } from '../../call/project.ts';
import { makeReport, timeFor, writeReport } from '../run/make-report.ts';

/** What came of the last run, of another one, or of all. */
type ReportData = Omit<ReportView, 'timeline'> & { readonly timeline: TimelineView<string> };

export const handle: Handler<ReportData | { readonly file: string; readonly verdict: string }> = async (call) => {
  const { html, md, json } = call.flags;
  if ([html, md, json].filter((flag) => flag !== undefined).length > 1)
    throw new AppError('E_USAGE', 'of --html, --md and --json a report has one', { remedy: 'ralph report --help' });
  const { repo, config } = await openProject(call);
  const report = await makeReport(repo, config.settings, call.flags['run']);
  if (report === null) throw noRun(call.flags['run']);
  if (typeof html === 'string') {
    const file = resolve(call.cwd, html);
    writeReport(file, report);
    return { data: { file, verdict: report.verdict }, says: [`${report.verdict}: ${file}`] };
  }
  return {
    data: { ...report, timeline: withTimes(report.timeline) },
    text: reportText(report, timeFor(report), md === true),
  };
};

function noRun(asked: Call['flags'][string] | undefined): AppError {
  const isNumber = asked !== undefined && asked !== 'last' && asked !== 'all';
  return new AppError(
    'E_UNKNOWN_ID',
    isNumber ? `there is no run ${String(asked)} here` : 'nothing has run here yet, so there is nothing to report',
    { remedy: isNumber ? 'ralph report --run all' : 'ralph run' },
  );
}
