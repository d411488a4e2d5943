import { join, resolve } from 'node:path';
import type { Settings } from '../core/settings.ts';
import { ourProgram } from './agent-run/our-program.ts';
import { openAgents } from './agents.ts';
import type { ChosenAgent } from './choose-agent.ts';
import { realClock } from './clock.ts';
import { reach } from './failpoint.ts';
import { openForesight } from './foresight.ts';
import { openDisk } from './disk.ts';
import { lacksWhenFresh } from './fresh-lacks.ts';
import { openGates } from './gates.ts';
import { takeUpTrust } from './git/hold-trust.ts';
import type { Identity } from './git/identity.ts';
import type { Repository } from './git/repository.ts';
import { readSigning } from './git/signing.ts';
import { type GitView, openView } from './git/view.ts';
import { realIds } from './ids.ts';
import { madeFolders } from './in-place/made-folders.ts';
import { openIntegration } from './integration.ts';
import { openFileLog } from './log/file-log.ts';
import { openWorktrees } from './loop-worktrees.ts';
import { isAlive, isStopped, ownIdentity } from './processes/identity.ts';
import { showLife } from './processes/sign-of-life.ts';
import { openProjection } from './projection.ts';
import { openPrompts } from './prompts.ts';
import { type Provisions, readProvisions } from './provisions.ts';
import { openRegenerate } from './regenerate.ts';
import { openSeal } from './seal/seal.ts';
import { settledBy } from './settle-conflicts.ts';
import { ensureRalphFolder, logFolder } from './state-places.ts';
import type { TrackerFile, World } from './world.ts';

export interface WorldOrder {
  readonly repo: Repository;
  readonly identity: Identity;
  readonly settings: Settings;
  /** Empty: nothing is worked on, only landed. */
  readonly agents: readonly ChosenAgent[];
  readonly target: string;
  readonly tracker: TrackerFile;
  readonly env: NodeJS.ProcessEnv;
  /** Hears what is done to worktrees before they are used, and what of it did not work. */
  readonly tell: (text: string) => void;
}

export async function openWorld(order: WorldOrder): Promise<World> {
  const { repo, identity, settings, agents, target, tracker, env } = order;
  const view = await openView(repo);
  ensureRalphFolder(repo);
  const worktreeRoot = resolve(repo.root, settings.parallel.worktreeRoot);
  const { merge } = settings.landing;
  await showLife(join(repo.stateDir, 'alive'), ownIdentity());
  await takeUpTrust(repo.commonDir);
  reach('host.opened');
  const provisions = await provisionsOf(order, view);
  const worktrees = openWorktrees({
    repo,
    view,
    identity,
    worktreeRoot,
    trackerPath: tracker.path,
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
    integration: openIntegration({
      repo,
      view,
      identity,
      target,
      tracker,
      signing: await readSigning(repo, settings.landing.sign),
      merge,
      regenerate: openRegenerate({
        repo,
        view,
        env,
        gates: settings.gates,
        withWorktree: (commit, act) => worktrees.withGateWorktree(commit, act),
      }),
    }),
    agents: openAgents({
      repo,
      agents: new Map(agents.map((agent) => [agent.name, agent.settings])),
      env,
      clock: realClock,
      signal: settings.completionSignal,
      limits: settings.limits,
      identity,
      program: ourProgram(),
    }),
    gates: openGates(repo, settings.gates, env),
    provided: provisions.key,
    lacks: (path) => lacksWhenFresh(repo.root, path, settings.worktree),
    foresight: openForesight({ repo, view, isSettled: settledBy(tracker.path, merge) }),
    seal: openSeal({ repo, view, identity, ignored: settings.keep.ignored, made, worktreeRoot }),
    disk: openDisk([repo.commonDir, worktreeRoot]),
    projection: openProjection(repo, tracker.path),
    prompts: openPrompts(repo, settings.prompt),
  };
}

const provisionsOf = ({ repo, settings, env, tell }: WorldOrder, view: GitView): Promise<Provisions> =>
  readProvisions(repo, view, { settings: settings.worktree, passEnv: settings.gates.passEnv, env, tell });
