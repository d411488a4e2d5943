import type { Sha } from '../../core/model/ids.ts';
import type { Loop } from '../../core/model/model.ts';
import { taskIdOf, trackerOf } from '../../core/model/tasks.ts';
import { landingMessage } from '../../text/commit-message.ts';
import type { PerformContext } from './perform-context.ts';

/** The message of a landing, with the trailers by which it is known again and those who helped. */
export async function landingText(
  { world, state, policy, landing }: Pick<PerformContext, 'world' | 'state' | 'policy' | 'landing'>,
  loop: Loop & { readonly head: Sha },
  base: Sha,
): Promise<string> {
  const found = await world.integration.coAuthors(base, loop.head).catch(() => []);
  return landingMessage({
    task: taskIdOf(state(), loop.task),
    title: loop.title,
    tracker: trackerOf(state(), loop.task),
    loop: loop.id,
    head: loop.head,
    attempt: loop.attempt,
    branch: loop.branch,
    agent: loop.agent,
    iterations: loop.counted,
    target: policy.target,
    ...(loop.reverts === undefined ? { template: landing.message } : { undoes: loop.reverts.commit }),
    coAuthors: found,
  });
}
