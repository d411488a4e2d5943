import type { Repository } from '../../world/git/repository.ts';
import { openTracker } from '../../world/tracker-file.ts';
import { openUpstreamTasks } from '../../world/upstream-tasks.ts';
import type { TrackerFile } from '../../world/world.ts';
import type { Call } from './handler.ts';

/** The task list of a host: with what is done of it on the remote branch that the target follows. */
export function openTaskFile({ env }: Call, repo: Repository, target: string | null, path: string): TrackerFile {
  const upstream = target === null ? null : openUpstreamTasks({ repo, env, target, path });
  return openTracker(repo, target, path, upstream);
}
