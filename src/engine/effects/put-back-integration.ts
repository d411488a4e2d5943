import type { Command } from '../../core/model/commands.ts';
import type { Event } from '../../core/model/events.ts';
import type { PerformContext } from './perform-context.ts';

type PutBackIntegration = Extract<Command, { type: 'put-back-integration' }>;

/** What nothing vouches for is kept, and the ref goes back to where the log has it. */
export async function putBackIntegration(
  { world }: PerformContext,
  { found, to }: PutBackIntegration,
): Promise<readonly Event[]> {
  const done = await world.integration.putBack({ found, to });
  return [done === null ? { type: 'integration-left', found } : { type: 'integration-put-back', found, ...done }];
}
