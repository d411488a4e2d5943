import type { Loop, State } from '../../core/model/model.ts';
import { isWorking } from '../../core/model/model.ts';
import { iterationTokens } from '../agents/quiet-loop.ts';
import { stopTree } from '../processes/stop-tree.ts';
import { findAllMarked } from '../processes/find-processes.ts';
import type { MarkedProcess } from '../processes/find-processes.ts';
import { fixable, foreign } from './repair.ts';
import type { Repair, RepairPlace } from './repair.ts';

const CHECK = 'processes';
const GRACE_MS = 3000;

interface Leftover extends MarkedProcess {
  readonly of: Loop;
  /** Its mark is one we gave out in this repository: another clone may have a loop of the same name. */
  readonly isOurs: boolean;
}

/** What an agent started lives on, though its loop does not work any more. */
export function leftoverProcessesRepair(place: RepairPlace, state: State): Repair {
  return {
    check: CHECK,
    look: async () =>
      findLeftovers(place, state).map(({ identity: { pid }, of, isOurs }) => {
        const message = `process ${pid} of loop ${of.id} lives on, though the loop does not work any more`;
        return isOurs ? fixable(CHECK, message) : foreign(CHECK, 'warn', message, `kill ${pid}`);
      }),
    fix: async () => {
      const ours = findLeftovers(place, state).filter(({ isOurs }) => isOurs);
      for (const token of new Set(ours.map((one) => one.token)))
        await stopTree({ identity: null, token, graceMs: GRACE_MS });
      return ours.map(({ identity, of }) => `ended process ${identity.pid} of loop ${of.id}`);
    },
  };
}

function findLeftovers({ repo }: RepairPlace, state: State): readonly Leftover[] {
  return findAllMarked().flatMap((marked) => {
    const of = marked.loop === null ? undefined : state.loops[marked.loop as keyof typeof state.loops];
    if (of === undefined || isWorking(of)) return [];
    return [{ ...marked, of, isOurs: iterationTokens(repo, of.id).includes(marked.token) }];
  });
}
