import { join, resolve } from 'node:path';
import { AGENT_LIMITS, ourProgram } from './agents/run/agent-place.ts';
import { openAgents } from './agents/agents.ts';
import { openCheckout } from './checkout/commit-in-place.ts';
import { realClock } from './os/clock.ts';
import { reach } from './os/failpoint.ts';
import { openForesight } from './foresight/foresight.ts';
import { openDisk } from './os/disk.ts';
import { lacksWhenFresh } from './setup/fresh-lacks.ts';
import { openGateWorktrees } from './gates/gate-worktree.ts';
import { openGates } from './gates/gates.ts';
import { takeUpTrust } from './git/run/trusted-folder.ts';
import { unsigned } from './git/run/identity.ts';
import { openView } from './git/run/view.ts';
import { realIds } from './ids.ts';
import { madeFolders } from './setup/setup-plan.ts';
import { openIntegration } from './landing/integration.ts';
import type { FoundForge } from './forge/find-forge.ts';
import { withoutToken } from './forge/withhold-token.ts';
import { openFileLog } from './log/file-log.ts';
import { openWorktrees } from './loops/loop-worktrees.ts';
import { isAlive, isStopped, ownIdentity, showLife } from './processes/identity.ts';
import { openProjection } from './projection.ts';
import { openPrompts } from './prompts/prompts.ts';
import { readProvisions } from './setup/provisions.ts';
import { openRegenerate } from './landing/regenerate.ts';
import { openPublish } from './seal/is-leak.ts';
import { openSeal } from './seal/seal.ts';
import { settledBy } from './git/merge/settle-conflicts.ts';
import { ensureRalphFolder, logFolder } from './git/run/state-places.ts';
import { GITHUB, pathOf } from '../core/model/tasks.ts';
import type { Settings } from '../core/model/settings.ts';
import type { ChosenAgent } from './agents/choose-agent.ts';
import type { Identity } from './git/run/identity.ts';
import type { Repository } from './git/run/repository.ts';
import type { GitView } from './git/run/view.ts';
import type { Provisions } from './setup/provisions.ts';
import type { Tracker } from './contract/tracker.ts';
import type { ForgeDoor } from './contract/pull-git.ts';
import type { World } from './contract/world.ts';

export interface WorldOrder {
  readonly repo: Repository;
  readonly identity: Identity;
  readonly settings: Settings;
  /** Empty: nothing is worked on, only landed. */
  readonly agents: readonly ChosenAgent[];
  readonly target: string;
  readonly tracker: Tracker;
  readonly env: NodeJS.ProcessEnv;
  /** Hears what is done to worktrees before they are used, and what of it did not work. */
  readonly tell: (text: string) => void;
  /** Its agents are told what to do as workers of an orchestrator are. */
  readonly isTestFirst?: boolean;
  /** Pull requests are opened there, and main is what the remote has; absent: they are not. */
  readonly forge?: FoundForge | null;
}

export async function openWorld(order: WorldOrder): Promise<World> {
  const { repo, identity, settings, agents, target, tracker } = order;
  const env = withoutToken(order.env, settings.forge, order.forge != null || tracker.path === GITHUB);
  const view = await openView(repo);
  ensureRalphFolder(repo);
  const worktreeRoot = resolve(repo.root, settings.parallel.worktreeRoot);
  const { merge } = settings.landing;
  await showLife(join(repo.stateDir, 'alive'), ownIdentity());
  await takeUpTrust(repo.commonDir);
  reach('host.opened');
  const provisions = await provisionsOf({ ...order, env }, view);
  const gateWorktrees = openGateWorktrees(repo, worktreeRoot, provisions);
  const worktrees = openWorktrees({
    repo,
    view,
    identity,
    worktreeRoot,
    names: { branch: settings.parallel.branch, path: settings.parallel.worktreePath },
    trackerPath: pathOf(tracker.path),
    union: merge.union,
    ignored: settings.keep.ignored,
    maxNew: settings.landing.maxNew,
    provisions,
  });
  const made = madeFolders(repo.root, settings.worktree.keep);
  return {
    clock: realClock,
    ids: realIds(repo),
    log: await openFileLog(logFolder(repo)),
    hosts: { own: ownIdentity(), isAlive, isStopped },
    tracker,
    worktrees,
    checkout: openCheckout({ repo, view, identity, maxNew: settings.landing.maxNew }),
    integration: openIntegration({
      repo,
      view,
      identity,
      target,
      targetRef: targetRefOf(order),
      tracker,
      merge,
      regenerate: openRegenerate({
        repo,
        view,
        env,
        gates: settings.gates,
        withWorktree: (commit, act) => gateWorktrees.withWorktree(commit, act),
      }),
    }),
    publish: openPublish({ repo, view }, target),
    agents: openAgents({
      repo,
      agents: new Map(agents.map((agent) => [agent.name, agent.settings])),
      env,
      clock: realClock,
      limits: AGENT_LIMITS,
      identity,
      program: ourProgram(),
    }),
    gates: { ...openGates(repo, settings.gates, env), ...gateWorktrees },
    provided: provisions.key,
    lacks: (path) => lacksWhenFresh(repo.root, path, settings.worktree),
    foresight: openForesight({ repo, view, isSettled: settledBy(pathOf(tracker.path), merge) }),
    seal: openSeal({ repo, view, identity: unsigned(identity), ignored: settings.keep.ignored, made, worktreeRoot }),
    disk: openDisk([repo.commonDir, worktreeRoot]),
    projection: openProjection(repo, tracker.path, settings, realClock),
    prompts: openPrompts(repo, settings.prompt, order.isTestFirst === true),
    forge: await openForgeDoor(order, view),
  };
}

/** Under pull requests main is what the remote has: they would hold the user's own unpushed commits otherwise. */
const targetRefOf = ({ forge, target }: WorldOrder): string =>
  forge == null ? `refs/heads/${target}` : `refs/remotes/${forge.remote}/${target}`;

async function openForgeDoor(order: WorldOrder, view: GitView): Promise<ForgeDoor | null> {
  const { forge: found, repo, identity, env, tracker, target, settings } = order;
  if (found == null) return null;
  const { openDoor } = await import('./forge/open-forge.ts');
  return openDoor({ found, listened: settings.forge.listened, repo, view, identity, env, tracker, target });
}

const provisionsOf = ({ repo, settings, env, tell }: WorldOrder, view: GitView): Promise<Provisions> =>
  readProvisions(repo, view, { settings: settings.worktree, passEnv: settings.gates.passEnv, env, tell });
