import type { PullView } from '../../../core/views/pull-view.ts';
import { pullViews } from '../../../core/views/pull-view.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import type { Handler } from '../../call/handler.ts';
import { columns } from '../../call/output.ts';
import { openProject, readState } from '../../call/project.ts';
import { rulesFor } from '../run/forge-for.ts';

/** The pull requests of loops, as they were seen last. */
export const handle: Handler<{ readonly pulls: readonly PullView[] }> = async (call) => {
  const project = await openProject(call);
  const all = pullViews(await readState(project.repo), rulesFor(project));
  const pulls = call.flags['all'] === true ? all : all.filter(({ state }) => state !== 'merged');
  if (pulls.length === 0) return { data: { pulls }, says: ['no pull request is open'] };
  return { data: { pulls }, text: columns(pulls.map(row)), says: [] };
};

export const row = (pull: PullView): string[] => [
  pull.number === null ? '-' : `#${pull.number}`,
  cleanLine(pull.task),
  pull.state,
  pull.checks === null ? '' : `checks ${pull.checks}`,
  cleanLine(pull.waits),
];
