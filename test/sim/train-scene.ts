import type { LoopId, Sha } from '../../src/core/model/ids.ts';
import type { Phase, TrainPolicy } from '../../src/core/model/model.ts';
import { task, tellTale, TRAIN } from './tale.ts';
import type { Tale } from './tale.ts';

export interface TrainScene {
  readonly tale: Tale;
  readonly loops: readonly [LoopId, LoopId, LoopId];
}

/** Three loops in the queue. */
export function queued(train: Partial<TrainPolicy> = {}): TrainScene {
  const tale = tellTale();
  tale.join('h1', { train: { ...TRAIN, ...train } });
  tale.read(task('a'), task('b'), task('c'), task('d'));
  return { tale, loops: [tale.ready('a'), tale.ready('b'), tale.ready('c')] };
}

/** The three as a train c1, c2, c3 on a main whose tree is `main-tree`. */
export function train(policy: Partial<TrainPolicy> = {}): TrainScene {
  const { tale, loops } = queued(policy);
  tale.startLanding();
  tale.build([
    [loops[0], 'c1'],
    [loops[1], 'c2'],
    [loops[2], 'c3'],
  ]);
  return { tale, loops };
}

/** The commits whose gates run. */
export const tests = ({ tale }: TrainScene): readonly Sha[] | undefined =>
  tale.state().landing?.runs.map((run) => run.commit);
export const phases = ({ tale, loops }: TrainScene): readonly Phase['at'][] =>
  loops.map((id) => tale.loop(id).phase.at);
