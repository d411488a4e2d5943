import { resolve } from 'node:path';
import { standing } from '../../../core/views/standing.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { plainView } from '../../../world/git/run/view.ts';
import { ourWorktrees } from '../../../world/loops/our-worktrees.ts';
import type { Handler } from '../../call/handler.ts';
import { columns } from '../../call/output.ts';
import { openProject, readState } from '../../call/project.ts';

interface WorktreeRow {
  readonly path: string;
  readonly branch: string | null;
  readonly use: string;
  readonly loop: string | null;
  readonly task: string | null;
  readonly state: string;
  readonly spare: boolean;
  readonly keep: string | null;
}

export const handle: Handler<{ readonly worktrees: readonly WorktreeRow[] }> = async (call) => {
  const { repo, config } = await openProject(call);
  const state = await readState(repo);
  const worktreeRoot = resolve(repo.root, config.settings.parallel.worktreeRoot);
  const found = await ourWorktrees({ repo, view: plainView(repo), state, worktreeRoot });
  const rows = found.map(({ path, branch, use, loop, keep, isSpare }) => ({
    path,
    branch,
    use,
    loop: loop?.id ?? null,
    task: loop === null ? null : taskIdOf(state, loop.task),
    state: loop === null ? (isSpare ? 'spare' : use) : standing(state, loop).state,
    spare: isSpare,
    keep,
  }));
  return {
    data: { worktrees: rows },
    text: columns(
      rows.map((row) => [row.state, row.task ?? '-', row.branch ?? '-', row.path, row.keep ?? 'can be cleaned']),
      call.out.width,
    ),
    says: rows.length === 0 ? ['no paralph worktrees'] : [],
  };
};
