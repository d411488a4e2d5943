import type { PullView } from '../../../core/views/pull-view.ts';
import { pullViews } from '../../../core/views/pull-view.ts';
import { AppError } from '../../../core/model/errors.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import type { Handler } from '../../call/handler.ts';
import { columns } from '../../call/output.ts';
import { openProject, readState } from '../../call/project.ts';
import { findLoop } from '../../call/find-loop.ts';
import { rulesFor } from '../run/forge-for.ts';

/** One pull request: where it stands, and what it waits for. */
export const handle: Handler<{ readonly pull: PullView }> = async (call) => {
  const project = await openProject(call);
  const state = await readState(project.repo);
  const views = pullViews(state, rulesFor(project));
  const [id = ''] = call.args;
  const byNumber = views.find(({ number }) => number !== null && (id === String(number) || id === `#${number}`));
  const loop = byNumber === undefined ? findLoop(state, id) : null;
  const pull = byNumber ?? views.find((one) => one.loop === loop?.id);
  if (pull === undefined)
    throw new AppError('E_USAGE', `${id} has no pull request`, { remedy: `ralph pr open ${shellWord(id)}` });
  const rows: readonly (readonly [string, string])[] = [
    ['pull request', pull.number === null ? 'not opened yet' : `#${pull.number} ${pull.url ?? ''}`],
    ['task', `${pull.task}, ${pull.title}`],
    ['state', pull.state],
    ['branch', `${pull.branch}${pull.head === null ? '' : ` at ${pull.head.slice(0, 10)}`}`],
    ['checks', [pull.checks ?? 'not asked yet', ...pull.failed].join(', ')],
    ['approved by', pull.approved.join(', ')],
    ['changes wanted by', pull.changes.join(', ')],
    ['comments', String(pull.comments)],
    ['went back', `${pull.rounds} times`],
    ['merged as', pull.commit ?? ''],
    ['waits for', pull.waits],
    ['next', pull.next ?? ''],
  ];
  const text = columns(rows.flatMap(([name, value]) => (value === '' ? [] : [[name, cleanLine(value)]])));
  return { data: { pull }, text };
};
