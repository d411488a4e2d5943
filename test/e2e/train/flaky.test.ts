import { writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { summaryOf } from '../harness/answers.ts';
import { beside, ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { CLAIM, OWN_FILE, readyTrain, trainProject, userCommits, watchedGate } from '../harness/train.ts';
import type { WatchedGate } from '../harness/train.ts';
import { accountFor, alwaysGreen } from '../harness/values.ts';
import { why } from '../harness/why.ts';

const SIX = ['t0', 't1', 't2', 't3', 't4', 't5'];
const FOUR = SIX.slice(0, 4);
const TRUTH = 'for bad in $(cat forbidden.txt); do test ! -e $bad.txt || exit 1; done';
/** A red tree is run six times: three in ten that lie, never twice in a row, cannot outvote that. */
const PATIENT = { flake_retries: 5, gate_slots: 1 };

/** Three of ten runs lie, counted over all runs there are, once the test says so. */
function flakyGate(one: Scratch): { readonly gate: WatchedGate; readonly begin: () => void } {
  const [on, count] = [beside(one, 'flaky'), beside(one, 'flaky-count')];
  const lie = `if test -e ${on}; then echo x >> ${count}; case $(wc -l < ${count}) in *1|*4|*7) echo a lie; exit 1;; esac; fi`;
  const gate = watchedGate(one, TRUTH);
  return { gate: { ...gate, command: `${lie}; ${gate.command}` }, begin: () => writeFileSync(on, '') };
}

describe('S1.5 a gate that lies three times in ten', () => {
  it('nobody is parked for it but the one that is really red, and all the others land', async () => {
    const one = scratch();
    const { gate, begin } = flakyGate(one);
    const script = `${OWN_FILE}; ${CLAIM}`;
    await readyTrain(one, { tasks: SIX, gate, script, files: { 'forbidden.txt': '' }, config: { landing: PATIENT } });
    userCommits(one, { 'forbidden.txt': 't3\n' });
    begin();
    const { code, stdout } = await ralph(one, ['land', '--all', '--json']);
    expect(code).toBe(1);
    const innocent = SIX.filter((task) => task !== 't3');
    expect(summaryOf(stdout)).toMatchObject({ landed: innocent, parked: [{ task: 't3' }] });
    expect(accountFor(one, SIX)).toEqual({ landed: innocent, kept: ['t3'] });
    expect(await why(one, 't3')).toMatchObject({ state: 'parked', reason: 'red' });
    alwaysGreen(one, gate.truth);
  });

  it('in a whole run, where it lies to the agents as well', async () => {
    const one = scratch();
    const { gate, begin } = flakyGate(one);
    trainProject(one, {
      tasks: FOUR,
      gate,
      script: `${OWN_FILE}; ${CLAIM}`,
      files: { 'forbidden.txt': '' },
      config: { landing: PATIENT, limits: { iterations: 20, no_progress: 20 } },
    });
    begin();
    const { code, stdout, stderr } = await ralph(one, ['run', '--parallel', '--max-workers', '3', '--json']);
    expect(code, stderr).toBe(0);
    expect(summaryOf(stdout)).toMatchObject({ landed: FOUR, parked: [] });
    alwaysGreen(one, gate.truth);
    expect(accountFor(one, FOUR).landed).toEqual(FOUR);
  });
});
