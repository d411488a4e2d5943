import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { shellProject } from '../harness/shell-agent.ts';
import { CLAIM, OWN_FILE } from '../harness/train.ts';

const GATE = 'echo "looked at $(ls *.txt)"; test ! -e BROKEN.txt';
const COMMIT = 'git add -A; git commit -q -m "Make it whole"';

/** All that the workers of a task wrote down. */
function logOf(one: Scratch, task: string): string {
  const folder = join(one.repo, '.ralph/logs');
  const names = readdirSync(folder).filter((name) => new RegExp(`^worker-\\d+-${task}\\.log$`).test(name));
  return names.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
}

/** That one comes after the other. */
function expectInOrder(text: string, ...parts: readonly RegExp[]): void {
  let rest = text;
  for (const part of parts) {
    const found = part.exec(rest);
    expect(found, `${part} in\n${rest}`).not.toBe(null);
    rest = rest.slice((found?.index ?? 0) + (found?.[0].length ?? 0));
  }
}

describe('the log of a worker', () => {
  it('trip 12: holds its claim, iterations, commits, the output of its gates, verdicts and landing', async () => {
    const one = scratch();
    shellProject(
      one,
      `echo "words of $RALPH_ITERATION"; if [ $RALPH_ITERATION = 1 ]; then touch BROKEN.txt; else rm BROKEN.txt; ${OWN_FILE}; ${COMMIT}; fi; ${CLAIM}`,
      { tasks: ['t1'], config: { gates: { commands: ['echo lint is fine', GATE] } } },
    );
    expect((await ralph(one, ['run'])).code).toBe(0);
    expectInOrder(
      logOf(one, 't1'),
      /\] t1 starts in slot 1 on ralph\/t1-\w+\n/,
      /\] its worktree is /,
      /\] iteration 1 of t1-\w+ started/,
      /^words of 1$/m,
      /\] commit [0-9a-f]{7,} .*\n/,
      /\] t1 iteration 1: says it is done/,
      /\] gate: echo lint is fine\nlint is fine\n/,
      /\] gate: echo "looked at .*\nlooked at BROKEN\.txt\n/,
      /\] t1 gates red: .*looked at/,
      /\] iteration 2 of t1-\w+ started/,
      /^words of 2$/m,
      /\] commit [0-9a-f]{7,} Make it whole\n/,
      /\] t1 iteration 2: says it is done/,
      /\] gate: echo "looked at .*\nlooked at t1\.txt\n/,
      /\] t1 gates green\n/,
      /\] t1 is ready and queued/,
      /\] t1 landed as [0-9a-f]{10}\n/,
    );
  });

  it('trip 12: holds why it was parked, and what persons and other hosts did to it', async () => {
    const one = scratch();
    const fails = `if [ $RALPH_TASK_ID = bad ]; then echo 'src/a.js:3: no such thing' >&2; exit 7; fi`;
    shellProject(one, `${fails}; ${OWN_FILE}; ${CLAIM}`, {
      tasks: ['bad', 'good'],
      config: { parallel: { merge_policy: 'manual' }, limits: { consecutive_failures: 1 } },
    });
    expect((await ralph(one, ['run', '--parallel'])).code).toBe(1);
    expectInOrder(
      logOf(one, 'bad'),
      /\] bad starts/,
      /\] bad parked \(failures\): 1 failures in a row; shell: exit 7: src\/a\.js:3: no such thing; kept on ralph\/bad-/,
    );
    expect(logOf(one, 'good'), 'of another').not.toMatch(/\bbad\b/);
    expect((await ralph(one, ['land', 'good'])).code).toBe(0);
    expectInOrder(logOf(one, 'good'), /\] good is ready on /, /\] a person asked for it/, /\] good landed as /);
    expect((await ralph(one, ['task', 'reset', 'bad'])).code).toBe(0);
    expect(logOf(one, 'bad')).toMatch(/\] a person freed its task\n/);
    expect(logOf(one, 'good').match(/landed as/g), 'told once').toHaveLength(1);
  });
});
