import { resolve } from 'node:path';
import { EXIT } from '../../../core/errors.ts';
import type { Event } from '../../../core/events.ts';
import type { LoopId } from '../../../core/ids.ts';
import { openView } from '../../../world/git/view.ts';
import { openFileLog } from '../../../world/log/file-log.ts';
import { cleanWorktree, ourWorktrees } from '../../../world/our-worktrees.ts';
import { logFolder } from '../../../world/state-places.ts';
import type { Handler } from '../handler.ts';
import type { Project } from '../project.ts';
import { openProject, readState } from '../project.ts';

/** Removes what is landed and nothing else; says why the rest stays. */
export const handle: Handler = async (call) => {
  const project = await openProject(call);
  const { repo, config } = project;
  const worktreeRoot = resolve(repo.root, config.settings.parallel.worktreeRoot);
  const look = { repo, view: await openView(repo), state: await readState(repo), worktreeRoot };
  const found = await ourWorktrees(look);
  const removed: string[] = [];
  for (const ours of found.filter((one) => one.keep === null)) {
    if (call.flags['dryRun'] !== true) {
      if (!(await cleanWorktree(look, ours))) continue;
      if (ours.loop !== null) await noteRetired(project, ours.loop.id);
    }
    removed.push(ours.path);
  }
  const kept = found.filter((one) => one.keep !== null);
  if (call.flags['json'] === true)
    call.out.json({ version: 1, removed, kept: kept.map(({ path, branch, keep }) => ({ path, branch, why: keep })) });
  for (const path of removed) call.out.say(`${call.flags['dryRun'] === true ? 'would remove' : 'removed'} ${path}`);
  for (const { path, keep } of kept) call.out.say(`kept ${path}: ${keep ?? ''}`);
  if (found.length === 0) call.out.say('no worktree of ours');
  return EXIT.ok;
};

async function noteRetired({ repo }: Project, loop: LoopId): Promise<void> {
  const log = await openFileLog<Event>(logFolder(repo));
  for (;;) {
    const { seq } = await readState(repo);
    if ((await log.append(seq, 'cli', Date.now(), [{ type: 'worktree-retired', loop }])).ok) return;
  }
}
