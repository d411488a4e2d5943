import { describePutBack } from '../../../core/views/describe-put-back.ts';
import { EXIT } from '../../../core/model/errors.ts';
import type { Sha } from '../../../core/model/ids.ts';
import { vouchedFor } from '../../../core/loops/integration-value.ts';
import type { State } from '../../../core/model/model.ts';
import { isGreenTree } from '../../../core/loops/odds.ts';
import type { PublishEvent } from '../../../engine/effects/publish.ts';
import { publishTo } from '../../../engine/effects/publish.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { preflight } from '../../../world/git/files/preflight.ts';
import type { World } from '../../../world/contract/world.ts';
import type { Answer, Handler } from '../../call/handler.ts';
import { openLandingWorld } from '../run/landing-world.ts';
import { readState } from '../../call/project.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { settleIntegration } from '../run/settle-integration.ts';
import { nextToPublish } from '../show/show-summary.ts';
import { startProject } from '../run/start-project.ts';
import { writeFacts } from '../../call/write-facts.ts';

/** Moves your branch to everything that has landed; lands nothing new. */
interface Published {
  readonly target: string;
  readonly outcome: 'nothing' | 'refused' | 'published' | 'blocked' | 'diverged';
  readonly to: Sha | null;
  readonly paths: readonly string[];
}

export const handle: Handler<Published> = async (call) => {
  refuseInLoop(call, 'publish');
  const project = await startProject(call);
  const { repo, config } = project;
  const { target } = await preflight(repo, config.settings.landing.target);
  const world = await openLandingWorld(call, project, target, { isTesting: false });
  const putBack = await settleIntegration(repo, target);
  if (putBack !== null && putBack.found !== null)
    return refuse(target, { to: putBack.found, why: describePutBack(putBack, target), next: 'ralph publish' });
  const state = await readState(repo);
  const { to, strange } = await whatToPublish(world, state, target);
  if (strange !== null) {
    const why = `the log holds no green verdict of ${strange}`;
    return refuse(target, { to: strange, why, next: 'ralph land --all' });
  }
  if (to === null || Object.keys(state.landed).length === 0) {
    return { data: { target, outcome: 'nothing', to: null, paths: [] }, says: ['nothing has landed yet'] };
  }
  const event = await publishTo(world, to);
  await writeFacts(repo, () => Promise.resolve([event]));
  return inWords(target, event);
};

/** What the log vouches for; beside it, what is on integration and nothing vouches for. */
async function whatToPublish(
  { integration }: World,
  state: State,
  target: string,
): Promise<{ readonly to: Sha | null; readonly strange: Sha | null }> {
  if (state.suspect !== null && state.suspect.at !== 'intruded') return { to: null, strange: state.suspect.head };
  const { head } = vouchedFor(state, target);
  const isHere = state.target === null || state.target === target;
  if (head !== null || !isHere || state.integration === null) return { to: head, strange: null };
  // What an older version landed: the verdict is all that it left, unless the target holds it already.
  const seen = await integration.seen({ head: null, granted: [] });
  const isThere = seen.head === state.integration && seen.facts?.isTargets === true;
  const isProved = isThere || isGreenTree(state, await integration.treeOf(state.integration));
  return isProved ? { to: state.integration, strange: null } : { to: null, strange: state.integration };
}

interface Refused {
  readonly to: Sha;
  readonly why: string;
  readonly next: string;
}

function refuse(target: string, { to, why, next }: Refused): Answer<Published> {
  const says = [`${target} was not moved: ${cleanLine(why)}`, `next: ${next}`];
  return { data: { target, outcome: 'refused', to, paths: [] }, says, exit: EXIT.needsPerson };
}

function inWords(target: string, event: PublishEvent): Answer<Published> {
  const { to } = event;
  switch (event.type) {
    case 'published':
      return {
        data: { target, outcome: 'published', to, paths: [] },
        says: [`${target} holds everything that landed, up to ${to.slice(0, 10)}`],
      };
    case 'publish-blocked': {
      const { paths, why } = event;
      const names = paths.length === 0 ? '' : `: ${cleanLine(paths.join(', '))}`;
      const says = [`${target} was not moved: ${cleanLine(why)}${names}`, `next: ${nextToPublish(paths)}`];
      return { data: { target, outcome: 'blocked', to, paths }, says, exit: EXIT.needsPerson };
    }
    case 'publish-diverged':
      return {
        data: { target, outcome: 'diverged', to, paths: [] },
        says: [`${target} has commits of its own, which must be merged and tested first. next: ralph land --all`],
        exit: EXIT.needsPerson,
      };
  }
}
