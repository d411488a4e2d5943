import { costInWords } from '../../../core/views/cost-view.ts';
import type { LoopRow, TipOf } from '../../../core/views/loops-view.ts';
import { countRows, isOver, loopRows } from '../../../core/views/loops-view.ts';
import { shortLine } from '../../../text/screen/clean.ts';
import type { TableColumn } from '../../../text/screen/table.ts';
import { fitTable } from '../../../text/screen/table.ts';
import { readRefFile } from '../../../world/git/refs/ref-files.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import type { Handler } from '../../call/handler.ts';
import { age } from '../show/keep-view.ts';
import { readState } from '../../call/project.ts';

const PROMPT_CHARS_MAX = 48;
const SHA_DIGITS = 12;
/** A title that is cut shorter says nothing any more. */
const TASK_LEAST = 16;
/** The longest state without its reason, and a sign that there is one. */
const STATE_LEAST = 'discarded …'.length;

/** Reads the log and where branches stand, and nothing else, so it works with a broken configuration too, and writes nothing. */
export const handle: Handler<{ readonly loops: readonly LoopRow[] }> = async ({ cwd, flags, out }) => {
  const repo = findRepository(cwd);
  const tipOf: TipOf = (branch) => readRefFile(repo.commonDir, `refs/heads/${branch}`) ?? null;
  const rows = loopRows(await readState(repo), Date.now(), tipOf);
  const shown = flags['all'] === true ? rows : rows.filter((row) => !isOver(row));
  const data = { loops: shown };
  if (rows.length === 0) {
    out.data('No loops');
    out.say('start one: ralph run "what to do", or ralph run --parallel for the task file');
    return { data };
  }
  out.data(`Loops: ${counted(rows)}`);
  if (shown.length > 0) out.data(table(shown, flags['all'] === true, out.width));
  const hidden = rows.filter((row) => !shown.includes(row));
  if (hidden.length > 0) out.data(`not shown: ${counted(hidden)}; with them: ralph loops --all`);
  return { data };
};

const counted = (rows: readonly LoopRow[]): string =>
  countRows(rows)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');

/** What a row is, where it stands and what to do next are always told; the rest as far as there is room. */
function table(rows: readonly LoopRow[], withCommit: boolean, width: number): string {
  const column = (head: string, rank: number | null, cell: (row: LoopRow) => string): TableColumn => ({
    head,
    rank,
    cells: rows.map(cell),
  });
  const task = (row: LoopRow): string => shortLine(row.title === '' ? row.task : row.title, PROMPT_CHARS_MAX);
  const all: readonly TableColumn[] = [
    column('ID', null, (row) => row.id),
    { ...column('STATE', null, stateCell), least: STATE_LEAST },
    column('AGE', 3, (row) => age(row.age_ms)),
    column('ITER', 4, (row) => String(row.iterations)),
    column('GATES', 2, (row) => row.gates ?? '-'),
    column('COST', 5, costInWords),
    column('PLACE', 7, (row) => row.place),
    column('BRANCH', 6, (row) => row.branch),
    { ...column('TASK', 1, task), least: TASK_LEAST },
    ...(withCommit ? [column('COMMIT', 8, (row) => row.commit?.slice(0, SHA_DIGITS) ?? '-')] : []),
    { ...column('NEXT', null, (row) => row.next), below: 'next: ' },
  ];
  return fitTable(all, width);
}

/** The state and, in brackets, why it is so. */
function stateCell({ state, reason }: LoopRow): string {
  return reason === null || reason === 'manual' ? state : `${state} (${reason})`;
}
