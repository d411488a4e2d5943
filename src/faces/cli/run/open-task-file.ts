import { isOutside } from '../../../core/model/tasks.ts';
import type { Settings } from '../../../core/model/settings.ts';
import { createAsking } from '../../../world/landing/ask-upstream.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { openTracker } from '../../../world/trackers/tracker-file.ts';
import { openUpstreamTasks } from '../../../world/landing/upstream-tasks.ts';
import type { Tracker } from '../../../world/contract/tracker.ts';
import type { Call } from '../../call/handler.ts';
import { openOutside } from '../../call/open-outside.ts';
import { mayFetch } from '../show/say-upstream.ts';

interface TaskFileOrder {
  readonly repo: Repository;
  readonly settings: Settings;
  readonly target: string | null;
  readonly path: string;
}

/** The task list of a host: with what is done of it on the remote branch that the target follows. */
export function openTaskFile(call: Call, { repo, settings, target, path }: TaskFileOrder): Tracker {
  const { env } = call;
  if (isOutside(path)) return openOutside(path, { repo, settings, env, isHost: true });
  if (target === null) return openTracker(repo, target, path);
  const file = openTracker(repo, target, path, openUpstreamTasks({ repo, env, target, path }));
  return mayFetch(call, settings) ? { ...file, ask: createAsking({ repo, env, target }) } : file;
}
