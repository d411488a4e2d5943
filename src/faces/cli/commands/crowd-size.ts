import { AppError } from '../../../core/model/errors.ts';
import type { State } from '../../../core/model/model.ts';
import { howMany } from '../../../core/model/describe-time.ts';
import { isPromptTracker } from '../../../core/model/tasks.ts';
import { crowdOf } from '../../../core/plan/crowd.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import type { Handler } from '../../call/handler.ts';
import { readState } from '../../call/project.ts';
import { writeFacts } from '../../call/write-facts.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';

const CROWD_MAX = 256;

interface CrowdSize {
  readonly max: number;
  readonly was: number;
  readonly at_work: number;
}

/** How many loops may be at work in the runs that are alive; without a number, how many are. */
export const handle: Handler<CrowdSize> = async (call) => {
  const [word] = call.args;
  const repo = findRepository(call.cwd);
  if (word === undefined) {
    const { atWork, max } = crowdOf(await readState(repo));
    return { data: { max, was: max, at_work: atWork }, text: `${atWork} of at most ${howMany(max, 'loop')} at work` };
  }
  refuseInLoop(call, 'workers');
  const max = readNumber(word);
  requireRun(await readState(repo), max);
  const before = await writeFacts(repo, async (state) => {
    requireRun(state, max);
    return [{ type: 'workers-set', max }];
  });
  const { atWork, max: was } = crowdOf(before);
  const over = atWork > max ? `; ${atWork} are, and nothing new starts until fewer than ${max} are` : '';
  const told = `at most ${howMany(max, 'loop')} at work, until this run ends (before: ${was})${over}`;
  return { data: { max, was, at_work: atWork }, says: [told] };
};

function readNumber(word: string): number {
  const max = /^\d{1,4}$/.test(word) ? Number(word) : 0;
  if (max >= 1 && max <= CROWD_MAX) return max;
  throw new AppError('E_USAGE', `${JSON.stringify(word)} is no number of workers: write 1 to ${CROWD_MAX}`, {
    remedy: /^0+$/.test(word) ? 'ralph pause' : 'ralph workers 2',
  });
}

function requireRun({ hosts }: State, max: number): void {
  const isRun = Object.values(hosts).some(
    ({ policy }) => policy.slots > 0 && policy.only === null && !isPromptTracker(policy.tracker),
  );
  if (isRun) return;
  throw new AppError('E_USAGE', 'no run works through a task file now', {
    facts: [`for every run from now on: ralph config set parallel.max_workers ${max}`],
    remedy: `ralph run --parallel --max-workers ${max}`,
  });
}
