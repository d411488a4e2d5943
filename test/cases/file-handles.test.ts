import { expect, it } from 'vitest';

import { starts } from '../e2e/harness/project.ts';
import { ralph } from '../e2e/harness/ralph.ts';
import { scratch } from '../e2e/harness/scratch.ts';
import { barrier, CLAIM, OWN_FILE, trainProject, watchedGate } from '../e2e/harness/train.ts';
import { accountFor, alwaysGreen } from '../e2e/harness/values.ts';

it('case 53: with 64 file handles it says that they do not do, and begins nothing', async () => {
  const one = scratch();
  const tasks = Array.from({ length: 12 }, (_, at) => `t${at + 1}`);
  const gate = watchedGate(one, 'test ! -e BROKEN');
  trainProject(one, { tasks, gate, script: `${barrier(one, 12)}; ${OWN_FILE}; ${CLAIM}` });
  const args = ['run', '--parallel', '--max-workers', '12', '--json'];
  const few = await ralph(one, args, { prefix: ['sh', '-c', 'ulimit -n 64; exec "$@"', 'sh'], timeoutMs: 120_000 });
  expect(few.code).toBe(4);
  expect(few.stderr).toMatch(/E_PROCESS.*only 64 files may be open at once/);
  expect(few.stderr).toMatch(/ulimit -n \d+/);
  expect(starts(one)).toEqual([]);
  expect((await ralph(one, ['doctor'])).code).toBe(0);
  expect((await ralph(one, args)).code).toBe(0);
  expect(accountFor(one, tasks, 'main').landed).toEqual([...tasks].sort());
  alwaysGreen(one, gate.truth);
});
