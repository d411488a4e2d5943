import { describeMs } from '../../core/model/describe-time.ts';
import type { Figure, NeedsYou, ReportView } from '../../core/views/report.ts';
import { describeSize } from '../../core/views/report.ts';
import { cleanLine } from '../screen/clean.ts';

/** How a moment is written: `02:41`, or with its day. */
export type TimeOf = (iso: string) => string;

/** A report as lines for a terminal, or as Markdown. */
export function reportText(report: ReportView, timeOf: TimeOf, isMarkdown: boolean): string {
  const head = (text: string): readonly string[] => (isMarkdown ? ['', `## ${text}`, ''] : ['', text]);
  const word = (text: string): string => (isMarkdown ? escapeMarkdown(cleanLine(text)) : cleanLine(text));
  const code = (text: string): string => (isMarkdown ? codeSpan(cleanLine(text)) : cleanLine(text));
  const item = (text: string): string => (isMarkdown ? `- ${text}` : `  ${text}`);
  const below = (text: string): string => `    ${text}`;
  const section = (name: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [...head(name), ...lines];
  return [
    isMarkdown ? `# ${word(report.verdict)}` : word(report.verdict),
    '',
    `${describeRuns(report)}, ${timeOf(report.since)} to ${timeOf(report.until)}${report.is_over ? '' : ', still running'}`,
    '',
    ...report.figures.flatMap((figure) => figureLine(figure, item)),
    ...section(
      'Needs you',
      report.needs_you.flatMap((one) => [
        item(
          `${isMarkdown ? `**${word(nameOf(one))}**` : word(nameOf(one))} ${one.state} (${one.reason}): ${word(one.detail)}`,
        ),
        ...one.lines
          .map((line) => below(isMarkdown ? code(line) : `| ${cleanLine(line)}`))
          .map((line) => (isMarkdown ? `${line}  ` : line)),
        below(`next: ${code(one.next)}`),
      ]),
    ),
    ...section(
      'Landed',
      report.landed.map((one) =>
        item(
          `${timeOf(one.at)} ${word(one.task)} ${code(one.commit.slice(0, 10))}${one.size === null ? '' : ` ${describeSize(one.size)}`}: ${word(one.title)}`,
        ),
      ),
    ),
    ...section(
      'Limits met',
      report.limits.map(({ at, of, detail }) => item(`${timeOf(at)} ${of}: ${word(detail)}`)),
    ),
  ].join('\n');
}

export const nameOf = ({ task, title }: Pick<NeedsYou, 'task' | 'title'>): string => task ?? title;

export function describeRuns({ runs, runs_in_all: all }: ReportView): string {
  const [first] = runs;
  return runs.length === 1 ? `Run ${first} of ${all}` : `Runs ${first} to ${runs.at(-1)} of ${all}`;
}

function figureLine(figure: Figure, item: (text: string) => string): readonly string[] {
  if (figure.now === null) return [];
  const before = figure.before === null ? '' : ` (run before: ${amount(figure.unit, figure.before)})`;
  return [item(`${figure.what}: ${amount(figure.unit, figure.now)}${before}`)];
}

export function amount(unit: Figure['unit'], value: number): string {
  if (unit === 'usd') return `$${value.toFixed(2)}`;
  return unit === 'ms' ? describeMs(value) : String(value);
}

const escapeMarkdown = (text: string): string => text.replaceAll(/[\\`*_[\]<>#|!]/g, String.raw`\$&`);

/** A run of backticks inside is shorter than the one around. */
function codeSpan(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}
