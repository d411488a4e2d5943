import { resolve } from 'node:path';
import { EXIT } from '../../../core/model/errors.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { plainView } from '../../../world/git/run/view.ts';
import { ourWorktrees } from '../../../world/loops/our-worktrees.ts';
import type { Handler } from '../../call/handler.ts';
import { columns } from '../../call/output.ts';
import { openProject, readState } from '../../call/project.ts';

export const handle: Handler = async (call) => {
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
    status: loop?.phase.at ?? (isSpare ? 'spare' : use),
    spare: isSpare,
    keep,
  }));
  if (call.flags['json'] === true) call.out.json({ version: 1, worktrees: rows });
  else if (rows.length === 0) call.out.say('no worktree of ours');
  else
    call.out.data(
      columns(
        rows.map((row) => [row.status, row.task ?? '-', row.branch ?? '-', row.path, row.keep ?? 'can be cleaned']),
        call.out.width,
      ),
    );
  return EXIT.ok;
};
