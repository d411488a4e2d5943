import type { HostId } from '../core/model/ids.ts';
import type { State } from '../core/model/model.ts';
import { hostsToWatch } from '../core/plan/reconcile.ts';
import type { World } from '../world/contract/world.ts';

/** Shorter than this is a debugger or a hurried Ctrl-Z, and nobody has to do anything about it. */
const SUSPENDED_MS_MIN = 10_000;
/** Looks further apart than this did not see what was between them: this host was suspended, too. */
const GAP_MS_MAX = 5000;

export interface HostsSeen {
  readonly deadHosts: readonly HostId[];
  /** Suspended at every look for a while. */
  readonly stoppedHosts: readonly HostId[];
}

/** Looks at the other hosts' processes, and remembers since when it has seen one suspended. */
export function createHostLook({
  hosts,
  clock,
}: Pick<World, 'hosts' | 'clock'>): (state: State, me: HostId) => HostsSeen {
  let since = new Map<HostId, number>();
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  return (state, me) => {
    const nowMs = clock.awakeMs();
    if (nowMs - lookedAtMs > GAP_MS_MAX) since = new Map();
    lookedAtMs = nowMs;
    const others = hostsToWatch(state, me);
    const suspended = others.filter((host) => hosts.isStopped(host.mark));
    since = new Map(suspended.map(({ id }) => [id, since.get(id) ?? nowMs]));
    return {
      deadHosts: others.filter((host) => !hosts.isAlive(host.mark)).map(({ id }) => id),
      stoppedHosts: [...since].filter(([, atMs]) => nowMs - atMs >= SUSPENDED_MS_MIN).map(([id]) => id),
    };
  };
}
