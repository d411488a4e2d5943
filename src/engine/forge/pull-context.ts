import { invariant } from '../../core/model/assert.ts';
import type { LoopId, Sha } from '../../core/model/ids.ts';
import type { Host, HostPolicy, Loop, State } from '../../core/model/model.ts';
import type { Pull } from '../../core/model/pull.ts';
import { NO_PULL } from '../../core/model/pull.ts';
import { taskIdOf, tickOf } from '../../core/model/tasks.ts';
import type { LandingSettings, PullSettings } from '../../core/model/settings.ts';
import type { ForgeDoor, Marking } from '../../world/contract/pull-git.ts';
import type { World } from '../../world/contract/world.ts';

/** What acts on a forge are handed. */
export interface PullContext {
  readonly world: World;
  readonly door: ForgeDoor;
  readonly state: () => State;
  readonly host: () => Host | null;
  readonly policy: HostPolicy;
  readonly gateCommands: readonly string[];
  readonly landing: Pick<LandingSettings, 'message' | 'auto'>;
  readonly pull: PullSettings;
  readonly force: AbortSignal;
  readonly signal: AbortSignal;
  readonly onWarning: (text: string) => void;
}

export interface Pulled extends Loop {
  readonly pull: Pull;
}

export function loopOf({ state }: PullContext, id: LoopId): Pulled {
  const loop = state().loops[id];
  invariant(loop !== undefined, `no loop ${id}`);
  return { ...loop, pull: loop.pull ?? NO_PULL };
}

/** What marks its task as done; where no file lists it there is nothing to mark. */
export function markingOf({ state }: PullContext, loop: Loop): Marking {
  const { tick, tracker } = tickOf(state(), loop);
  return { id: tick, tracker };
}

export const taskNameOf = ({ state }: PullContext, loop: Loop): string => taskIdOf(state(), loop.task);

export const targetOf = ({ policy }: PullContext, loop: Loop): string => loop.target ?? policy.target;

/** Where main is by now, as the log will have it after the next look. */
export async function mainNow({ world, door, state }: PullContext): Promise<Sha | null> {
  const head = await door.git.fetchTarget();
  const { integration, granted } = state();
  await world.integration.sync({ head: integration, granted }).catch(() => undefined);
  return head;
}
