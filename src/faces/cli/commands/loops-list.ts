import { costInWords } from '../../../core/cost-view.ts';
import { EXIT } from '../../../core/errors.ts';
import type { LoopRow } from '../../../core/loops-view.ts';
import { countRows, isOver, loopRows } from '../../../core/loops-view.ts';
import { shortLine } from '../../../text/screen/clean.ts';
import { findRepository } from '../../../world/git/repository.ts';
import type { Handler } from '../handler.ts';
import { age } from '../keep-view.ts';
import { columns } from '../output.ts';
import { readState } from '../project.ts';

const PROMPT_CHARS_MAX = 48;
const SHA_DIGITS = 12;

/** Reads the log and nothing else, so it works with a broken configuration too, and writes nothing. */
export const handle: Handler = async ({ cwd, flags, out }) => {
  const rows = loopRows(await readState(findRepository(cwd)), Date.now());
  const shown = flags['all'] === true ? rows : rows.filter((row) => !isOver(row));
  if (flags['json'] === true) {
    out.json(shown);
    return EXIT.ok;
  }
  if (rows.length === 0) {
    out.data('No loops');
    out.say('start one: ralph run "what to do", or ralph run --parallel for the task file');
    return EXIT.ok;
  }
  out.data(`Loops: ${counted(rows)}`);
  if (shown.length > 0) out.data(table(shown, flags['all'] === true));
  const hidden = rows.filter((row) => !shown.includes(row));
  if (hidden.length > 0) out.data(`not shown: ${counted(hidden)}; with them: ralph loops --all`);
  return EXIT.ok;
};

const counted = (rows: readonly LoopRow[]): string =>
  countRows(rows)
    .map(([status, count]) => `${count} ${status}`)
    .join(', ');

function table(rows: readonly LoopRow[], withCommit: boolean): string {
  const head = ['ID', 'STATUS', 'AGE', 'ITER', 'GATES', 'COST', 'PLACE', 'BRANCH', 'TASK', 'NEXT'];
  const lines = rows.map((row) => [
    row.id,
    statusCell(row),
    age(row.age_ms),
    String(row.iterations),
    row.gates ?? '-',
    costInWords(row),
    row.place,
    row.branch,
    shortLine(row.prompt === '' ? row.task : row.prompt, PROMPT_CHARS_MAX),
    row.next,
  ]);
  if (!withCommit) return columns([head, ...lines]);
  const commits = ['COMMIT', ...rows.map((row) => row.commit?.slice(0, SHA_DIGITS) ?? '-')];
  return columns([head, ...lines].map((line, at) => [...line.slice(0, -1), commits[at] ?? '-', ...line.slice(-1)]));
}

/** The status and, in brackets, why it is so. */
function statusCell({ status, reason, detail }: LoopRow): string {
  const why = reason ?? detail;
  return why === null || why === status ? status : `${status} (${why})`;
}
