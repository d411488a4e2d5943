import { existsSync, writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { CLAIM, promptOf, trainProject, watchedGate } from '../harness/train.ts';
import { until } from '../harness/until.ts';

describe('S1.6 conflicts that can be seen coming', () => {
  it('status shows them while both loops work, and the next iteration is told', async () => {
    const one = scratch();
    const gate = watchedGate(one, 'true');
    const [at, go] = [beside(one, 'at'), beside(one, 'go')];
    trainProject(one, {
      tasks: ['left', 'right', 'third'],
      gate,
      files: { 'shared.txt': 'one\ntwo\nthree\n' },
      // The third one lands when the two have met: a landing is always followed by a look at who is at work.
      script: `if [ $RALPH_TASK_ID = third ]; then
          while ! test -e ${at}-left-2 || ! test -e ${at}-right-2; do sleep 0.1; done; echo x > third.txt; ${CLAIM}; exit 0
        fi
        if [ $RALPH_ITERATION = 1 ]; then sed -i "s/two/$RALPH_TASK_ID/" shared.txt; fi
        : > ${at}-$RALPH_TASK_ID-$RALPH_ITERATION
        while [ ! -e ${go}-$RALPH_TASK_ID-$RALPH_ITERATION ]; do sleep 0.1; done
        if [ $RALPH_ITERATION = 3 ]; then git checkout -q HEAD~1 -- shared.txt 2>/dev/null || true; echo x > $RALPH_TASK_ID.txt; fi
        if [ $RALPH_ITERATION -ge 3 ]; then ${CLAIM}; fi`,
      config: { limits: { iterations: 4 }, 'parallel.conflict_resolution': { strategy: 'stop' } },
    });
    const run = startRalph(one, ['run', '--parallel', '--max-workers', '3', '--events']);
    for (const task of ['left', 'right']) writeFileSync(`${go}-${task}-1`, '');
    await until('both at work on what they committed', () =>
      ['left', 'right'].every((task) => existsSync(`${at}-${task}-2`)),
    );
    const seen = await until('the warning in status', async () => {
      const { stdout } = await ralph(one, ['status'], { isCheckoutGuarded: false });
      return /conflict/i.test(stdout) && stdout;
    });
    expect(seen).toContain('shared.txt');
    const { stdout } = await ralph(one, ['status', '--json'], { isCheckoutGuarded: false });
    expect(stdout).toContain('shared.txt');
    await until('the event', () => run.events().some((event) => event.type === 'conflicts-foreseen'));
    writeFileSync(`${go}-left-2`, '');
    await until('the next iteration of left', () => existsSync(`${at}-left-3`));
    const prompt = promptOf(one, 'shell', 'left', 3);
    expect(prompt).toMatch(/conflict/i);
    expect(prompt).toContain('shared.txt');
    expect(prompt).toContain('right');
    for (const name of ['left-3', 'left-4', 'right-2', 'right-3', 'right-4']) writeFileSync(`${go}-${name}`, '');
    expect([0, 1]).toContain((await run.ended).code);
  });

  it('loops that do not meet are left in peace', async () => {
    const one = scratch();
    const gate = watchedGate(one, 'true');
    const [at, go] = [beside(one, 'at'), beside(one, 'go')];
    trainProject(one, {
      tasks: ['left', 'right', 'third'],
      gate,
      files: { 'shared.txt': `${Array.from({ length: 20 }, (_, line) => `line ${line}`).join('\n')}\n` },
      script: `case $RALPH_TASK_ID in left) sed -i 1s/line/left/ shared.txt;; right) sed -i 20s/line/right/ shared.txt;; third) echo x > third.txt;; esac
        if [ $RALPH_ITERATION = 1 ]; then exit 0; fi
        : > ${at}-$RALPH_TASK_ID
        while [ ! -e ${go} ]; do sleep 0.1; done; ${CLAIM}`,
    });
    const run = startRalph(one, ['run', '--parallel', '--max-workers', '3', '--events']);
    await until('all at work', () => ['left', 'right', 'third'].every((task) => existsSync(`${at}-${task}`)));
    const { stdout } = await ralph(one, ['status'], { isCheckoutGuarded: false });
    expect(stdout).not.toMatch(/conflict/i);
    writeFileSync(go, '');
    const { code } = await run.ended;
    expect(code).toBe(0);
    expect(
      run
        .events()
        .filter((event) => event.type === 'conflicts-foreseen' && Object.keys(event['found'] as object).length > 0),
    ).toEqual([]);
  });
});
