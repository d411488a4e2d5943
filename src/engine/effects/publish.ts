import { unreachable } from '../../core/model/assert.ts';
import type { Command } from '../../core/model/commands.ts';
import type { Event } from '../../core/model/events.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { World } from '../../world/contract/world.ts';
import type { PerformContext } from './perform-context.ts';

type Publish = Extract<Command, { type: 'publish' }>;

export async function publish({ world }: PerformContext, { to }: Publish): Promise<readonly Event[]> {
  return [await publishTo(world, to)];
}

export type PublishEvent = Extract<Event, { type: 'published' | 'publish-blocked' | 'publish-diverged' }>;

/** Moves the user's branch to what landed, or says what of theirs is in the way. */
export async function publishTo(world: Pick<World, 'publish'>, to: Sha): Promise<PublishEvent> {
  const done = await world.publish(to);
  switch (done.outcome) {
    case 'published':
    case 'current':
      return { type: 'published', to };
    case 'blocked':
      return { type: 'publish-blocked', to, why: done.why, paths: done.paths };
    case 'diverged':
      return { type: 'publish-diverged', to };
    default:
      return unreachable(done);
  }
}
