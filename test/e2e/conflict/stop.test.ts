import { writeFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import type { Step } from '../../scripted/scenario.ts';
import { HONEST, project, starts } from '../harness/project.ts';
import { beside, startRalph } from '../harness/ralph.ts';
import { say, wait } from '../harness/recovery.ts';
import { scratch } from '../harness/scratch.ts';
import { why } from '../harness/why.ts';

it('S2.6 strategy = "stop" leaves a conflict to a person, whatever lands after it', async () => {
  const one = scratch();
  const clash = (other: string, text: string): readonly Step[] => [
    say(one),
    wait(one, `here-${other}`),
    { write: { path: 'same.txt', text } },
    { claim: true },
  ];
  project(one, {
    tasks: ['t1', 't2', 't3'],
    byTask: { t1: clash('t2', 'one\n'), t2: clash('t1', 'two\n'), t3: [wait(one, 'go'), ...HONEST] },
    config: { 'parallel.conflict_resolution': { strategy: 'stop' } },
  });
  const run = startRalph(one, ['run', '--parallel', '--max-workers', '3']);
  await run.waitFor(/parked \(conflict\)/);
  writeFileSync(beside(one, 'go'), '');
  const ended = await run.ended;
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringMatching(/t3 landed[^]*2 landed, 0 ready, 1 parked/)]);
  expect(
    starts(one)
      .map(({ task }) => task)
      .toSorted(),
  ).toEqual(['t1', 't2', 't3']);
  const parked = [await why(one, 't1'), await why(one, 't2')].filter(({ state }) => state === 'parked');
  expect(parked).toMatchObject([{ reason: 'conflict' }]);
});
