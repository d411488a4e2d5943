import { resolve } from 'node:path';
import { EXIT } from '../../../core/errors.ts';
import type { LoopId } from '../../../core/ids.ts';
import { openView } from '../../../world/git/view.ts';
import { cleanWorktree, ourWorktrees } from '../../../world/our-worktrees.ts';
import type { Handler } from '../handler.ts';
import { openProject, readState } from '../project.ts';
import { refuseInLoop } from '../refuse-in-loop.ts';
import { writeFacts } from '../write-facts.ts';

/** Removes what is landed and nothing else; says why the rest stays. */
export const handle: Handler = async (call) => {
  if (call.flags['dryRun'] !== true) refuseInLoop(call, 'parallel clean');
  const { repo, config } = await openProject(call);
  const worktreeRoot = resolve(repo.root, config.settings.parallel.worktreeRoot);
  const look = { repo, view: await openView(repo), state: await readState(repo), worktreeRoot };
  const found = await ourWorktrees(look);
  const removed: string[] = [];
  const retired: LoopId[] = [];
  for (const ours of found.filter((one) => one.keep === null)) {
    if (call.flags['dryRun'] !== true) {
      if (!(await cleanWorktree(look, ours))) continue;
      if (ours.loop !== null) retired.push(ours.loop.id);
    }
    removed.push(ours.path);
  }
  if (retired.length > 0)
    await writeFacts(repo, async () => retired.map((loop) => ({ type: 'worktree-retired', loop })));
  const kept = found.filter((one) => one.keep !== null);
  if (call.flags['json'] === true)
    call.out.json({ version: 1, removed, kept: kept.map(({ path, branch, keep }) => ({ path, branch, why: keep })) });
  for (const path of removed) call.out.say(`${call.flags['dryRun'] === true ? 'would remove' : 'removed'} ${path}`);
  for (const { path, keep } of kept) call.out.say(`kept ${path}: ${keep ?? ''}`);
  if (found.length === 0) call.out.say('no worktree of ours');
  return EXIT.ok;
};
