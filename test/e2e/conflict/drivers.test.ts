import { describe, expect, it } from 'vitest';

import { summaryOf } from '../harness/answers.ts';
import { ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { barrier, CLAIM, iterationsOf, OWN_FILE, trainProject, watchedGate } from '../harness/train.ts';
import { accountFor, alwaysGreen } from '../harness/values.ts';

const FOUR = ['t1', 't2', 't3', 't4'];
const STOP = { 'parallel.conflict_resolution': { strategy: 'stop' } };
const RUN = ['run', '--parallel', '--max-workers', '8', '--json'];

describe('S1.6 files with a rule of their own', () => {
  it('ticks of neighbours in PRD.md never conflict; CHANGELOG.md keeps the lines of everybody; nobody is sent back', async () => {
    const one = scratch();
    const gate = watchedGate(one, 'test ! -e BROKEN');
    trainProject(one, {
      tasks: FOUR,
      gate,
      files: { 'CHANGELOG.md': '# Changes\n\n- the start\n' },
      script: `${barrier(one, 4)}; ${OWN_FILE}; sed -i "2a - by $RALPH_TASK_ID" CHANGELOG.md; ${CLAIM}`,
      config: STOP,
    });
    const { code, stdout, stderr } = await ralph(one, RUN);
    expect(code, stderr).toBe(0);
    expect(summaryOf(stdout).landed).toEqual(FOUR);
    const lines = one.git('show', 'main:CHANGELOG.md').split('\n');
    expect(lines.slice(0, 2)).toEqual(['# Changes', '']);
    expect(lines.slice(2).sort()).toEqual([...FOUR.map((task) => `- by ${task}`), '- the start'].sort());
    expect(one.git('show', 'main:PRD.md').match(/\[x\]/g)).toHaveLength(4);
    for (const task of FOUR) expect(iterationsOf(one, 'shell', task)).toBe(1);
    alwaysGreen(one, gate.truth);
    accountFor(one, FOUR);
  });

  it('ticks of neighbours in prd.json never conflict; union names other files; regenerate makes one anew from what landed', async () => {
    const one = scratch();
    const make = 'cat parts/* > all.lock';
    const gate = watchedGate(one, 'test ! -e parts || { cat parts/* | cmp -s - all.lock; }');
    const userStories = FOUR.map((id) => ({ id, title: `Make ${id}`, passes: false }));
    trainProject(one, {
      tasks: { 'prd.json': JSON.stringify({ userStories }, null, 2) },
      gate,
      files: { 'parts/0': 'start\n', 'all.lock': 'start\n', 'docs/news.txt': 'start\n', 'CHANGELOG.md': 'start\n' },
      script: `${barrier(one, 4)}; ${OWN_FILE}; echo $RALPH_TASK_ID >> docs/news.txt; echo $RALPH_TASK_ID > parts/$RALPH_TASK_ID; ${make}; ${CLAIM}`,
      config: {
        'landing.merge': { union: ['docs/*.txt'] },
        'landing.merge.regenerate': { '"all.lock"': make },
        ...STOP,
      },
    });
    const { code, stdout, stderr } = await ralph(one, RUN);
    expect(code, stderr).toBe(0);
    expect(summaryOf(stdout).landed).toEqual(FOUR);
    expect(one.git('show', 'main:all.lock')).toBe(['start', ...FOUR].join('\n'));
    expect(one.git('show', 'main:docs/news.txt').split('\n').sort()).toEqual(['start', ...FOUR]);
    expect(one.git('show', 'main:prd.json').match(/"passes": true/g)).toHaveLength(4);
    for (const task of FOUR) expect(iterationsOf(one, 'shell', task)).toBe(1);
    alwaysGreen(one, gate.truth);
  });

  it('a command that fails to make it leaves a conflict, and nothing wrong lands', async () => {
    const one = scratch();
    const gate = watchedGate(one, 'test ! -e parts || { cat parts/* | cmp -s - all.lock; }');
    trainProject(one, {
      tasks: ['t1', 't2'],
      gate,
      files: { 'parts/0': 'start\n', 'all.lock': 'start\n' },
      script: `${barrier(one, 2)}; ${OWN_FILE}; echo $RALPH_TASK_ID > parts/$RALPH_TASK_ID; cat parts/* > all.lock; ${CLAIM}`,
      config: { 'landing.merge.regenerate': { '"all.lock"': 'echo cannot; exit 1' }, ...STOP },
    });
    const { code, stdout } = await ralph(one, RUN);
    expect(code).toBe(1);
    expect(summaryOf(stdout)).toMatchObject({ landed: [expect.any(String)], parked: [{ reason: 'conflict' }] });
    alwaysGreen(one, gate.truth);
  });
});
