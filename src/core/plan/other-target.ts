import { AppError } from '../model/errors.ts';
import type { HostPolicy, Loop, ProcessMark, State } from '../model/model.ts';
import { isWorking, loopsOf } from '../model/model.ts';
import { shellWord } from '../model/shell-word.ts';
import { trackerOf } from '../model/tasks.ts';
import { isWithdrawn } from '../loops/withdrawn.ts';

/**
 * All hosts of a repository land from one queue. With two branches to land on, what was made for one would land on the other: the
 * second has to wait until nothing is left for the first.
 */
export function refuseOtherTarget(state: State, policy: HostPolicy, isAlive: (mark: ProcessMark) => boolean): void {
  const { target } = policy;
  const other = Object.values(state.hosts).find((host) => host.policy.target !== target && isAlive(host.mark));
  if (other !== undefined)
    throw new AppError(
      'E_BUSY',
      `process ${other.mark.pid} lands on ${other.policy.target} in this repository, and this would land on ${target}`,
      {
        remedy: 'ralph loops stop',
        facts: ['there is one queue: the second branch has its turn when the first is done'],
      },
    );
  const [first] = loopsOf(state).filter(
    (loop) => loop.target !== undefined && loop.target !== target && isTakenUp(state, loop, policy),
  );
  if (first?.target === undefined) return;
  const goesOn = first.phase.at === 'ready' ? 'loops process' : 'run';
  throw new AppError('E_BUSY', `loop ${first.id} was made for ${first.target}, and this would land it on ${target}`, {
    remedy: `ralph ${goesOn} --target ${shellWord(first.target)}`,
    facts: [`or discard it, its work is kept: ralph loops discard ${first.id}`],
  });
}

/** What waits to land, whoever made it, and what a host that works through this task file would go on with. */
function isTakenUp(state: State, loop: Loop, { only, tracker, slots }: HostPolicy): boolean {
  if (isWithdrawn(state, loop)) return false;
  if (loop.phase.at === 'ready') return loop.phase.queued;
  return isWorking(loop) && only === null && slots > 0 && trackerOf(state, loop.task) === tracker;
}
