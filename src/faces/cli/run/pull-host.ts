import { AppError } from '../../../core/model/errors.ts';
import type { Event } from '../../../core/model/events.ts';
import type { State } from '../../../core/model/model.ts';
import { chooseAgents } from '../../../world/agents/choose-agent.ts';
import type { ChosenAgent } from '../../../world/agents/choose-agent.ts';
import { preflight } from '../../../world/git/files/preflight.ts';
import type { Call } from '../../call/handler.ts';
import type { Project } from '../../call/project.ts';
import { driveHost } from './drive-host.ts';
import type { Driven } from './drive-host.ts';
import { forgeFor, withForge } from './forge-for.ts';
import { openLandingWorld } from './landing-world.ts';
import { landPolicy } from './policy.ts';

interface PullHost {
  /** It merges what may be merged, whatever the settings say. */
  readonly isMerger: boolean;
  /** It goes on while pull requests are open. */
  readonly isFollowing: boolean;
  readonly opening: (state: State) => readonly Event[];
}

/** A host without slots that does what there is to do on the forge. Agents start only where loops run. */
export async function drivePulls(call: Call, project: Project, { opening, ...how }: PullHost): Promise<Driven> {
  const { repo, config } = project;
  const { settings } = config;
  const { target } = await preflight(repo, settings.landing.target);
  const found = await forgeFor(call, { repo, settings, target });
  const agents = how.isMerger ? reviewers(call, project) : [];
  const world = await openLandingWorld(call, project, target, { forge: found, agents });
  const policy = landPolicy({ settings, tracker: world.tracker.path, target, env: call.env });
  const own = withForge({ ...policy, mergePolicy: 'pr' }, settings, {
    found,
    repo,
    ...how,
    reviewer: agents[0]?.name,
  });
  return driveHost(call, { world, policy: own, settings, opening });
}

/** Without an agent, people review. */
function reviewers({ env }: Call, { repo, config }: Project): readonly ChosenAgent[] {
  try {
    return chooseAgents(config.settings, env, repo.root).slice(0, 1);
  } catch (error) {
    if (error instanceof AppError && error.code === 'E_NO_AGENT') return [];
    throw error;
  }
}
