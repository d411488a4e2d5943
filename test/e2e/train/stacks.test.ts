import { describe, expect, it } from 'vitest';

import { summaryOf } from '../harness/answers.ts';
import { gitSays, landedTasks } from '../harness/git.ts';
import { ralph } from '../harness/ralph.ts';
import { savedScene } from '../harness/saved.ts';
import type { Scratch } from '../harness/scratch.ts';
import { CLAIM, OWN_FILE, readyTrain, userCommits, watchedGate } from '../harness/train.ts';
import type { WatchedGate } from '../harness/train.ts';
import { accountFor, alwaysGreen, INT } from '../harness/values.ts';
import { why } from '../harness/why.ts';

const TRUTH = 'for bad in $(cat forbidden.txt); do test ! -e $bad.txt || { echo "$bad is forbidden"; exit 1; }; done';
const TASKS = ['base', 'other', 'top'];

const gateOf = (one: Scratch): WatchedGate => watchedGate(one, TRUTH);

/** The agent of `top` takes in the branch of `base`, and tells nobody. */
const ready = savedScene((one) => {
  const branch = "$(git for-each-ref --format='%(refname)' 'refs/heads/ralph/base-*')";
  return readyTrain(one, {
    tasks: TASKS,
    gate: gateOf(one),
    script: `if [ $RALPH_TASK_ID = top ]; then
        until b=${branch} && test -n "$b" && git cat-file -e $b:base.txt 2>/dev/null; do sleep 0.1; done
        git merge -q --no-edit $b
      fi; ${OWN_FILE}; test $RALPH_TASK_ID != base || git add -A; test $RALPH_TASK_ID != base || git commit -qm Base; ${CLAIM}`,
    files: { 'forbidden.txt': '' },
    config: { landing: { gate_slots: 1 } },
  });
});

async function stacked(): Promise<[Scratch, WatchedGate]> {
  const one = await ready();
  return [one, gateOf(one)];
}

const holds = (one: Scratch, ref: string, task: string): boolean =>
  gitSays(one.git, 'cat-file', '-e', `${ref}:${task}.txt`);

describe('S1.5 stacks nobody declared', () => {
  it.each(['merge', 'squash', 'rebase'])(
    'method %s: what holds the work of another does not land before it',
    async (method) => {
      const [one, gate] = await stacked();
      const set = ['--set', `landing.method=${method}`];
      const { code, stdout, stderr } = await ralph(one, ['land', 'top', '--json', ...set]);
      const landed = landedTasks(one.git, INT);
      if (landed.includes('top')) expect(landed).toEqual(['base', 'top']);
      else expect(holds(one, INT, 'base'), `${code} ${stdout} ${stderr}`).toBe(false);
      expect((await ralph(one, ['land', '--all', ...set])).code).toBe(0);
      const order = landedTasks(one.git, 'main');
      expect([...order].sort()).toEqual(TASKS);
      expect(order.indexOf('base')).toBeLessThan(order.indexOf('top'));
      alwaysGreen(one, gate.truth);
      accountFor(one, TASKS);
    },
  );

  it('what is put aside keeps what was built on it from landing, and it says so', async () => {
    const [one, gate] = await stacked();
    userCommits(one, { 'forbidden.txt': 'base\n' });
    const { code, stdout } = await ralph(one, ['land', '--all', '--json']);
    expect(code).toBe(1);
    expect(summaryOf(stdout).landed).toEqual(['other']);
    expect(holds(one, INT, 'base') || holds(one, INT, 'top')).toBe(false);
    expect(await why(one, 'base')).toMatchObject({ state: 'parked', reason: 'red' });
    const told = await why(one, 'top');
    expect(told.state).not.toBe('landed');
    expect(told.sentences.join('\n')).toContain('base');
    expect(accountFor(one, TASKS)).toEqual({ landed: ['other'], kept: ['base', 'top'] });
    alwaysGreen(one, gate.truth);
  });
});
