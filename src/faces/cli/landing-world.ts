import { isPromptTracker } from '../../core/tasks.ts';
import { readIdentity } from '../../world/git/identity.ts';
import { openWorld } from '../../world/real-world.ts';
import { promptTrackerFile } from '../../world/tracker-file.ts';
import type { World } from '../../world/world.ts';
import type { Call } from './handler.ts';
import { openTaskFile } from './open-task-file.ts';
import { trackerOrPrompts } from './open-tasks.ts';
import { readState } from './project.ts';
import type { Project } from './project.ts';
import { takeUpLost } from './start-project.ts';

/** The world for a command that lands or publishes and starts no agent. */
export async function openLandingWorld(call: Call, project: Project, target: string): Promise<World> {
  const { repo, config } = project;
  const { settings } = config;
  const path = await trackerOrPrompts(project, () => readState(repo));
  // Each prompt is in the log; here is only nothing to read and nothing to tick.
  const tracker = isPromptTracker(path)
    ? { ...promptTrackerFile(path, '', []), look: () => Promise.resolve(null) }
    : openTaskFile(call, repo, target, path);
  const identity = await readIdentity(repo);
  await takeUpLost(project, { identity, target, tracker: tracker.path });
  return openWorld({
    repo,
    identity,
    settings,
    agents: [],
    target,
    tracker,
    env: call.env,
    tell: (text) => call.out.say(text),
  });
}
