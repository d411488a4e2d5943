import type { HostId } from '../core/ids.ts';
import type { State } from '../core/model.ts';
import type { Observed } from '../core/reconcile.ts';
import { hostsToWatch, worktreesToWatch } from '../core/reconcile.ts';
import type { World } from '../world/world.ts';

/**
 * Looks at processes, worktrees, the target and the tracker, and hands the picture to reconcile. `known` is the tracker
 * as this host saw it last: a slower host may have written an older one into the log since.
 */
export async function observe(
  world: World,
  state: State,
  me: HostId,
  known: Observed['tracker'],
  onWarning: (text: string) => void,
): Promise<Observed> {
  const deadHosts = hostsToWatch(state, me).flatMap((host) => (world.hosts.isAlive(host.mark) ? [] : [host.id]));
  const missingWorktrees = worktreesToWatch(state, me).flatMap(({ loop, path }) =>
    world.worktrees.exists(path) ? [] : [loop],
  );
  return {
    nowMs: world.clock.nowMs(),
    deadHosts,
    stoppedHosts: hostsToWatch(state, me).flatMap((host) => (world.hosts.isStopped(host.mark) ? [host.id] : [])),
    freeMb: world.disk.freeMb(),
    missingWorktrees,
    // What could not be read now is read at the next look.
    targetHead: await world.integration.targetHead().catch(() => null),
    integration: await world.integration.head().catch(() => null),
    tracker: lookAtTracker(world, onWarning) ?? known,
  };
}

function lookAtTracker(world: World, onWarning: (text: string) => void): Observed['tracker'] {
  const seen = world.tracker.look();
  if (seen === null) return null;
  if ('problems' in seen) {
    for (const problem of seen.problems) onWarning(`${problem} (the tasks read before stay in force)`);
    return null;
  }
  return { path: world.tracker.path, digest: seen.digest, tasks: seen.tasks };
}
