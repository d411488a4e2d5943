import { isPromptTracker, promptTracker } from '../../../core/model/tasks.ts';
import { findTaskSourceOrNull } from '../../../world/trackers/find-source.ts';
import { readCommitter } from '../../../world/git/run/identity.ts';
import type { ChosenAgent } from '../../../world/agents/choose-agent.ts';
import type { FoundForge } from '../../../world/forge/find-forge.ts';
import { openWorld } from '../../../world/real-world.ts';
import { promptTrackerFile } from '../../../world/trackers/tracker-file.ts';
import type { World } from '../../../world/contract/world.ts';
import type { Call } from '../../call/handler.ts';
import { openTaskFile } from './open-task-file.ts';
import type { Project } from '../../call/project.ts';
import { takeUpLost } from './start-project.ts';

interface LandingWorldOptions {
  readonly isTesting?: boolean;
  readonly forge?: FoundForge | null;
  /** Who reviews. */
  readonly agents?: readonly ChosenAgent[];
}

/** The world for a command that lands or publishes and starts no agent but a reviewer. What only publishes runs no gate, so nothing is read for one. */
export async function openLandingWorld(
  call: Call,
  project: Project,
  target: string,
  { isTesting = true, forge = null, agents = [] }: LandingWorldOptions = {},
): Promise<World> {
  const { repo, config } = project;
  const { settings } = config;
  // Prompts are in the log, and so is what landed before its task file was taken away: there is nothing to read and nothing to tick.
  const path = (await findTaskSourceOrNull({ repo, target: config.target }, settings)) ?? promptTracker('');
  const tracker = isPromptTracker(path)
    ? { ...promptTrackerFile(path, '', []), look: () => Promise.resolve(null) }
    : openTaskFile(call, { repo, settings, target, path });
  const identity = await readCommitter(repo, settings.landing.sign);
  await takeUpLost(project, { identity, target, tracker: tracker.path });
  return openWorld({
    repo,
    identity,
    settings: isTesting ? settings : { ...settings, worktree: { ...settings.worktree, copy: [] } },
    agents,
    target,
    tracker,
    env: call.env,
    tell: (text) => call.out.say(text),
    forge,
  });
}
