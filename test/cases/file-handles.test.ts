import { expect, it } from 'vitest';

import { summaryOf } from '../e2e/harness/answers.ts';
import type { Parked } from '../e2e/harness/answers.ts';
import { ralph } from '../e2e/harness/ralph.ts';
import { scratch } from '../e2e/harness/scratch.ts';
import { barrier, CLAIM, OWN_FILE, trainProject, watchedGate } from '../e2e/harness/train.ts';
import { accountFor, alwaysGreen } from '../e2e/harness/values.ts';

it('case 53: with 64 file handles it says so where they do not do, and loses nothing', async () => {
  const one = scratch();
  const tasks = Array.from({ length: 12 }, (_, at) => `t${at + 1}`);
  const gate = watchedGate(one, 'test ! -e BROKEN');
  trainProject(one, { tasks, gate, script: `${barrier(one, 12)}; ${OWN_FILE}; ${CLAIM}` });
  const args = ['run', '--parallel', '--max-workers', '12', '--json'];
  const few = await ralph(one, args, { prefix: ['sh', '-c', 'ulimit -n 64; exec "$@"', 'sh'], timeoutMs: 120_000 });
  expect([0, 1]).toContain(few.code);
  const parked: readonly (Parked & { readonly detail?: string })[] = summaryOf(few.stdout).parked;
  for (const { task, reason, detail } of parked) {
    expect([task, reason, detail]).toEqual([task, 'broken', expect.stringContaining('EMFILE')]);
    expect((await ralph(one, ['tasks', 'reset', task])).code).toBe(0);
  }
  expect((await ralph(one, ['doctor'])).code).toBe(0);
  expect((await ralph(one, args)).code).toBe(0);
  expect(accountFor(one, tasks, 'main').landed).toEqual([...tasks].sort());
  alwaysGreen(one, gate.truth);
});
