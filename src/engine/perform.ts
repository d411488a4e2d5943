import { unreachable } from '../core/model/assert.ts';
import type { Command } from '../core/model/commands.ts';
import type { Event } from '../core/model/events.ts';
import { advanceIntegration } from './effects/advance-integration.ts';
import { buildTrain } from './effects/build-train.ts';
import { findBase } from './effects/find-base.ts';
import { makeWorktree } from './effects/make-worktree.ts';
import { publish } from './effects/publish.ts';
import { putBackIntegration } from './effects/put-back-integration.ts';
import { retireWorktree } from './effects/retire-worktree.ts';
import { runGates } from './effects/run-gates.ts';
import { runIteration } from './effects/run-iteration.ts';
import { testBase } from './effects/test-base.ts';
import { testCandidate } from './effects/test-candidate.ts';
import { testIntegration } from './effects/test-integration.ts';
import { updateWorktree } from './effects/update-worktree.ts';
import type { PerformContext } from './effects/perform-context.ts';

/** Carries one command to the world and brings back what happened. No event: stopped, nothing to tell. */
export function perform(context: PerformContext, command: Command, signal: AbortSignal): Promise<readonly Event[]> {
  switch (command.type) {
    case 'make-worktree':
      return makeWorktree(context, command, signal);
    case 'run-iteration':
      return runIteration(context, command, signal);
    case 'run-gates':
      return runGates(context, command, signal);
    case 'build-train':
      return buildTrain(context, command);
    case 'test-candidate':
      return testCandidate(context, command, signal);
    case 'find-base':
      return findBase(context, command);
    case 'test-base':
      return testBase(context, command, signal);
    case 'advance-integration':
      return advanceIntegration(context, command);
    case 'test-integration':
      return testIntegration(context, command, signal);
    case 'put-back-integration':
      return putBackIntegration(context, command);
    case 'update-worktree':
      return updateWorktree(context, command);
    case 'retire-worktree':
      return retireWorktree(context, command);
    case 'publish':
      return publish(context, command);
    default:
      return unreachable(command);
  }
}
