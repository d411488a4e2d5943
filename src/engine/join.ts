import type { HostId } from '../core/model/ids.ts';
import { refuseOtherTarget } from '../core/plan/other-target.ts';
import type { World } from '../world/contract/world.ts';
import { findLost } from './find-lost.ts';
import type { HostOrder } from './host.ts';
import type { Journal } from './journal.ts';

type Outside = Pick<World, 'clock' | 'hosts' | 'integration' | 'worktrees'>;

/**
 * Writes that this host is there, with what the log lacked when it was read. Where somebody else wrote first, that may not be
 * lacking any more: then the repository is looked at again.
 */
export async function join(
  world: Outside,
  journal: Journal,
  me: HostId,
  { policy, opening }: Pick<HostOrder, 'policy' | 'opening'>,
): Promise<void> {
  for (let isIn = false; !isIn;) {
    const state = journal.state();
    refuseOtherTarget(state, policy, (mark) => world.hosts.isAlive(mark));
    const found = await findLost(world, state, policy);
    const joined = { type: 'host-joined', host: me, mark: world.hosts.own, policy } as const;
    isIn = await journal.append(me, world.clock.nowMs(), [joined, ...found, ...opening(state)]);
  }
}
