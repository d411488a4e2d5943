import type { HostId, Sha } from '../core/model/ids.ts';
import { taskKey } from '../core/model/ids.ts';
import { knownOf } from '../core/loops/integration-value.ts';
import type { State } from '../core/model/model.ts';
import type { Observed } from '../core/plan/reconcile.ts';
import { worktreesToWatch } from '../core/plan/reconcile.ts';
import { landedAndOpen } from '../core/model/tasks.ts';
import type { World } from '../world/contract/world.ts';
import { commitsToHold } from './effects/build-train.ts';
import type { HostsSeen } from './watch-hosts.ts';

/** What this host remembers from look to look. */
export interface Memory {
  readonly hosts: (state: State, me: HostId) => HostsSeen;
  /** The tracker as this host saw it last: a slower host may have written an older one into the log since. */
  tracker: Observed['tracker'];
}

/** Looks at processes, worktrees, the target and the tracker, and hands the picture to reconcile. */
export async function observe(
  world: World,
  state: State,
  me: HostId,
  memory: Memory,
  onWarning: (text: string) => void,
): Promise<Observed> {
  const missingWorktrees = worktreesToWatch(state, me).flatMap(({ loop, path }) =>
    world.worktrees.exists(path) ? [] : [loop],
  );
  const hosts = memory.hosts(state, me);
  await fenceOff(world, state, hosts);
  const targetHead = await world.integration.targetHead().catch(() => null);
  if (targetHead !== null && targetHead !== state.targetHead)
    await world.integration.followReset(knownOf(state)).catch(() => undefined);
  memory.tracker = (await lookAtTracker(world, onWarning)) ?? memory.tracker;
  return {
    ...hosts,
    nowMs: world.clock.nowMs(),
    day: world.clock.today(),
    freeMb: world.disk.freeMb(),
    missingWorktrees,
    // What could not be read now is read at the next look.
    targetHead,
    integration: await lookAtIntegration(world, state),
    unheldCommits: unheldCommits(world, state, me),
    tracker: memory.tracker,
    takenBack: await takenBack(world, state, memory.tracker),
  };
}

async function takenBack(
  { integration, tracker: { path, claims } }: World,
  state: State,
  seen: Observed['tracker'],
): Promise<NonNullable<Observed['takenBack']>> {
  const tasks = seen?.tasks ?? state.trackers[path]?.tasks ?? [];
  const open = landedAndOpen(state, path, { tasks, target: integration.target });
  if (claims !== undefined) {
    const closed = open.filter(({ task }) => state.landed[taskKey(path, task)]?.isClosed === true);
    const again = closed.length === 0 ? [] : await claims.reopened(closed.map(({ task }) => task)).catch(() => []);
    return closed.flatMap(({ task, commit }) => (again.includes(task) ? [{ task: taskKey(path, task), commit }] : []));
  }
  const found = await integration.takenBack(path, open).catch(() => []);
  return found.map(({ task, commit }) => ({ task: taskKey(path, task), commit }));
}

/** What could not be asked now is asked at the next look. */
async function lookAtIntegration({ integration }: World, state: State): Promise<Observed['integration']> {
  const known = knownOf(state);
  try {
    return { seen: await integration.seen(known), known };
  } catch {
    return null;
  }
}

/** Only its own host puts them back: of another's train they may be gone for a reason. */
function unheldCommits({ integration }: World, state: State, me: HostId): readonly Sha[] {
  const { landing } = state;
  const policy = state.hosts[me]?.policy;
  if (landing?.host !== me || landing.stage.at !== 'testing' || policy === undefined) return [];
  const commits = commitsToHold(landing.cars, policy.method);
  return commits.length === 0 ? [] : integration.unheldCommits(landing.fence, commits);
}

/**
 * A suspended host goes on some day where it was, and a dead one may have left a git behind that still works. So before the
 * log lets its train go, git is told to refuse it.
 */
async function fenceOff(world: World, { landing }: State, { deadHosts, stoppedHosts }: HostsSeen): Promise<void> {
  if (landing === null || ![...deadHosts, ...stoppedHosts].includes(landing.host)) return;
  await world.integration.releaseTrains();
}

async function lookAtTracker(world: World, onWarning: (text: string) => void): Promise<Observed['tracker']> {
  const seen = await world.tracker.look();
  if (seen === null) return null;
  if ('problems' in seen) {
    for (const problem of seen.problems) onWarning(`${problem} (the tasks read before stay in force)`);
    return null;
  }
  for (const warning of seen.warnings ?? []) onWarning(warning);
  const { digest, tasks, upstream } = seen;
  return { path: world.tracker.path, digest, tasks, ...(upstream === undefined ? {} : { upstream }) };
}
