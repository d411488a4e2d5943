import type { Command } from '../../core/commands.ts';
import type { Event } from '../../core/events.ts';
import type { PerformContext } from '../performer.ts';

type AdvanceIntegration = Extract<Command, { type: 'advance-integration' }>;

/**
 * Moves integration to a tested car if nobody moved it since; a lost race is normal. What failed may have moved
 * it before it failed, so it is asked a second time.
 */
export async function advanceIntegration(
  { world }: PerformContext,
  { fence, from, to }: AdvanceIntegration,
): Promise<readonly Event[]> {
  const move = { from, to, fence };
  const moved = await world.integration.advance(move).catch(() => world.integration.advance(move));
  if (moved.moved) return [{ type: 'integration-advanced', fence, commit: to }];
  return [{ type: 'integration-contested', fence, now: moved.now }];
}
