import { describe, expect, it } from 'vitest';

import { summaryOf } from '../harness/answers.ts';
import { ralph } from '../harness/ralph.ts';
import { savedScene } from '../harness/saved.ts';
import type { Scratch } from '../harness/scratch.ts';
import { CLAIM, OWN_FILE, readyTrain, userCommits, watchedGate } from '../harness/train.ts';
import type { WatchedGate } from '../harness/train.ts';
import { accountFor, alwaysGreen, isGreen } from '../harness/values.ts';
import { again, why } from '../harness/why.ts';

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
    expect(told).toMatchObject({ state: 'parked', reason: 'red' });
    expect(told.gate?.command).toBe(gate.command);
    expect(told.gate?.tail).toContain(`${culprit} is forbidden`);
    expect(again(one, told.reproduce).stdout).toContain(`${culprit} is forbidden`);
  }
}

const MENDABLE = TRUTH.replace('test ! -e $bad.txt', 'test ! -e $bad.txt || test -e $bad.allowed');

/** The second car allows what the first one brings. */
const mendable = savedScene(async (one) => {
  const gate = watchedGate(one, MENDABLE);
  await readyTrain(one, {
    tasks: ['bad', 't0', 't1'],
    gate,
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

  it('a later car that mends an earlier one lands both', async () => {
    const one = await mendable();
    expect((await ralph(one, ['land', 'bad'])).code).toBe(1);
    const { code, stderr } = await ralph(one, ['land', 't0', 't1', ...setting({ gate_slots: 1 })]);
    alwaysGreen(one, MENDABLE);
    expect(code, stderr).toBe(0);
    expect(accountFor(one, ['bad', 't0', 't1']).kept).toEqual(['bad']);
    const line = one.git('log', '--first-parent', '--format=%H', 'main').split('\n');
    expect(line.filter((commit) => !isGreen(one, commit, MENDABLE))).toHaveLength(1);
  });
});
