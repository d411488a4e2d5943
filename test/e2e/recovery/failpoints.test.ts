import { rmSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import type { Cell } from '../../chaos/matrix/run-cell.ts';
import { runCell } from '../../chaos/matrix/run-cell.ts';
import { bundle, fallible } from '../harness/bundle.ts';
import { killAll } from '../harness/processes.ts';

/**
 * A sample of the matrix that `npm run chaos -- --matrix` runs whole: steps of a task's way, each way to fail. Hosts killed
 * while a worktree is made, while a train lands and while it is published are in recovery.test.ts.
 */
const SAMPLE: readonly Cell[] = [
  { point: 'log.append.linked', action: 'kill' },
  { point: 'run.after_spawn', action: 'kill' },
  { point: 'iter.committed', action: 'enospc' },
  { point: 'run.exit_seen', action: 'throw' },
  { point: 'update.moved', action: 'kill' },
  { point: 'train.held', action: 'stop' },
  { point: 'retire.pooled', action: 'kill' },
  { point: 'place.moved', action: 'enospc' },
];

describe('a host that meets a failpoint leaves everything in order for the next', () => {
  it.each(SAMPLE)('$point=$action', async (cell) => {
    const { violations, notes, folder } = await runCell({ main: bundle().main, fallible: fallible() }, cell);
    if (folder !== null) {
      killAll(folder);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
    expect(violations, notes.join('\n')).toEqual([]);
  });
});
