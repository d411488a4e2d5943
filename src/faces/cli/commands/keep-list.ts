import { plainView } from '../../../world/git/run/view.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import { landedKeeps } from '../../../world/keep/expire.ts';
import { listKeeps } from '../../../world/keep/list-keeps.ts';
import type { Handler } from '../../call/handler.ts';
import type { KeepView } from '../show/keep-view.ts';
import { age, filesText, keepView } from '../show/keep-view.ts';
import { columns } from '../../call/output.ts';
import { readState } from '../../call/project.ts';

/** Everything that was kept before something was taken away. Changes nothing. */
export const handle: Handler<{ readonly keeps: readonly KeepView[] }> = async (call) => {
  const repo = findRepository(call.cwd);
  const view = plainView(repo);
  const state = await readState(repo);
  const keeps = await listKeeps(view);
  const landed = await landedKeeps(view, state, keeps);
  const shown = keeps.map((keep) => ({ keep, view: keepView(state, keep, landed.has(keep)) }));
  const data = { keeps: shown.map((one) => one.view) };
  if (shown.length === 0) return { data, says: ['nothing is kept'] };
  const rows = shown.map(({ keep, view: { id, act, task, loop, branch, files, why } }) => [
    id,
    age(Date.now() - keep.atMs),
    keep.isUndone ? `${act}, undone` : act,
    task ?? loop ?? '-',
    branch ?? '-',
    filesText(files),
    landed.has(keep) ? 'landed' : 'not landed',
    why,
  ]);
  return {
    data,
    text: columns([['ID', 'AGE', 'BEFORE', 'TASK', 'BRANCH', 'FILES', 'COMMITS', 'WHY'], ...rows], call.out.width),
    says: ['to look at one: ralph keep show ID   to restore it: ralph keep restore ID'],
  };
};
