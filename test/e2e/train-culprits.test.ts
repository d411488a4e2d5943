import { writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { summaryOf } from './harness/answers.ts';
import { beside, ralph } from './harness/ralph.ts';
import { savedScene } from './harness/saved.ts';
import type { Scratch } from './harness/scratch.ts';
import { CLAIM, OWN_FILE, readyTrain, userCommits, watchedGate } from './harness/train.ts';
import type { WatchedGate } from './harness/train.ts';
import { accountFor, alwaysGreen, isGreen } from './harness/values.ts';
import { again, why } from './harness/why.ts';

const TEN = ['t0', 't1', 't2', 't3', 't4', 't5', 't6', 't7', 't8', 't9'];
/** The user can forbid what was allowed when the work was done. */
const TRUTH = 'for bad in $(cat forbidden.txt); do test ! -e $bad.txt || { echo "$bad is forbidden"; exit 1; }; done';

const truthOf = (one: Scratch): WatchedGate => watchedGate(one, TRUTH);

// One after the other: they land in the order in which they became ready, and where a culprit stands decides how long it takes.
const tenReady = savedScene((one) =>
  readyTrain(
    one,
    { tasks: TEN, gate: truthOf(one), script: `${OWN_FILE}; ${CLAIM}`, files: { 'forbidden.txt': '' } },
    1,
  ),
);

async function ten(forbidden: readonly string[]): Promise<[Scratch, WatchedGate]> {
  const one = await tenReady();
  userCommits(one, { 'forbidden.txt': forbidden.join('\n'), 'mine.txt': 'mine\n' });
  return [one, truthOf(one)];
}

const setting = (landing: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(landing).flatMap(([key, value]) => ['--set', `landing.${key}=${String(value)}`]);

async function judged(
  [one, gate]: readonly [Scratch, WatchedGate],
  landing: Readonly<Record<string, unknown>>,
  culprits: readonly string[],
): Promise<void> {
  const { code, stdout, stderr } = await ralph(one, ['land', '--all', '--json', ...setting(landing)]);
  expect(code, stderr).toBe(1);
  const { landed, parked } = summaryOf(stdout);
  expect(parked.map(({ task }) => task).sort()).toEqual(culprits);
  expect(landed).toEqual(TEN.filter((task) => !culprits.includes(task)));
  expect(accountFor(one, TEN)).toEqual({ landed, kept: culprits });
  alwaysGreen(one, gate.truth);
  for (const culprit of culprits) {
    const told = await why(one, culprit);
    expect(told).toMatchObject({ status: 'parked', reason: 'red' });
    expect(told.gate?.command).toBe(gate.command);
    expect(told.gate?.tail).toContain(`${culprit} is forbidden`);
    expect(again(one, told.reproduce).stdout).toContain(`${culprit} is forbidden`);
  }
}

const MENDABLE = TRUTH.replace('test ! -e $bad.txt', 'test ! -e $bad.txt || test -e $bad.allowed');

/** The second car allows what the first one brings. */
const mendable = savedScene(async (one) => {
  const reds = beside(one, 'reds-of-t0');
  const gate = watchedGate(one, MENDABLE);
  const noted = gate.command.replace('exit 1', `test $bad != t0 || echo red >> ${reds}; exit 1`);
  // Both together are judged only once the first alone is known to be red.
  const late = `if test -e ${beside(one, 'patient')} && test -e t0.txt && test -e t1.txt; then until [ "$(cat ${reds} | wc -l)" -ge 2 ]; do sleep 0.1; done; fi`;
  await readyTrain(one, {
    tasks: ['bad', 't0', 't1'],
    gate: { ...gate, command: `${noted} && { ${late}; }` },
    script: `if [ $RALPH_TASK_ID = t1 ]; then : > t0.allowed; fi; ${OWN_FILE}; ${CLAIM}`,
    files: { 'forbidden.txt': '' },
  });
  userCommits(one, { 'forbidden.txt': 'bad\nt0\n' });
});

describe('S1.5 culprits in a train', () => {
  it('one in the middle of ten: found in fewer runs than one after the other takes, everybody else lands', async () => {
    const [one, gate] = await ten(['t5']);
    const before = gate.runs();
    await judged([one, gate], { gate_slots: 1, flake_retries: 0 }, ['t5']);
    expect(gate.runs() - before).toBeLessThan(TEN.length);
  });

  it('two of ten: both found, everybody else lands, in no more runs than one after the other', async () => {
    const [one, gate] = await ten(['t2', 't7']);
    const before = gate.runs();
    await judged([one, gate], { gate_slots: 1, flake_retries: 0 }, ['t2', 't7']);
    // One after the other, the user's commit and each of the ten are tested once.
    expect(gate.runs() - before).toBeLessThanOrEqual(1 + TEN.length);
  });

  it('the first and the last, on several slots, each red run confirmed', async () => {
    await judged(await ten(['t0', 't9']), { gate_slots: 3 }, ['t0', 't9']);
  });

  it('none: ten land in very few runs', async () => {
    const [one, gate] = await ten([]);
    const before = gate.runs();
    expect((await ralph(one, ['land', '--all', ...setting({ gate_slots: 1 })])).code).toBe(0);
    expect(accountFor(one, TEN).landed).toEqual(TEN);
    expect(gate.runs() - before).toBeLessThanOrEqual(3);
    alwaysGreen(one, gate.truth);
  });

  it.each([false, true])('strict_every_commit = %s: a later car that mends an earlier one', async (strict) => {
    const one = await mendable();
    if (strict) writeFileSync(beside(one, 'patient'), '');
    // Once something was red, several slots are used to test each car by itself.
    const flags = setting({ strict_every_commit: strict, gate_slots: strict ? 16 : 1 });
    expect((await ralph(one, ['land', 'bad', ...flags])).code).toBe(1);
    const { code, stderr } = await ralph(one, ['land', 't0', 't1', ...flags]);
    alwaysGreen(one, MENDABLE);
    expect(code, stderr).toBe(1);
    expect(accountFor(one, ['bad', 't0', 't1']).kept).toEqual(strict ? ['bad', 't0'] : ['bad']);
    const line = one.git('log', '--first-parent', '--format=%H', 'main').split('\n');
    expect(line.filter((commit) => !isGreen(one, commit, MENDABLE))).toHaveLength(strict ? 0 : 1);
  });
});
