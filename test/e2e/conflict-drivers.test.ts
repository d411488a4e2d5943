import { describe, expect, it } from 'vitest';

import { summaryOf } from './harness/answers.ts';
import { ralph } from './harness/ralph.ts';
import { scratch } from './harness/scratch.ts';
import { barrier, CLAIM, iterationsOf, OWN_FILE, trainProject, watchedGate } from './harness/train.ts';
import { accountFor, alwaysGreen } from './harness/values.ts';

const FOUR = ['t1', 't2', 't3', 't4'];
const RUN = ['run', '--parallel', '--max-workers', '8', '--json'];

describe('S1.6 files with a rule of their own', () => {
  it('CHANGELOG.md keeps the lines of everybody, and nobody is sent back', async () => {
    const one = scratch();
    const gate = watchedGate(one, 'test ! -e BROKEN');
    trainProject(one, {
      tasks: FOUR,
      gate,
      files: { 'CHANGELOG.md': '# Changes\n\n- the start\n' },
      script: `${barrier(one, 4)}; ${OWN_FILE}; sed -i "2a - by $RALPH_TASK_ID" CHANGELOG.md; ${CLAIM}`,
    });
    const { code, stdout, stderr } = await ralph(one, RUN);
    expect(code, stderr).toBe(0);
    expect(summaryOf(stdout).landed).toEqual(FOUR);
    const lines = one.git('show', 'main:CHANGELOG.md').split('\n');
    expect(lines.slice(0, 2)).toEqual(['# Changes', '']);
    expect(lines.slice(2).sort()).toEqual([...FOUR.map((task) => `- by ${task}`), '- the start'].sort());
    for (const task of FOUR) expect(iterationsOf(one, 'shell', task)).toBe(1);
    alwaysGreen(one, gate.truth);
    accountFor(one, FOUR);
  });

  it('landing.merge.union names other files, and none', async () => {
    const one = scratch();
    const gate = watchedGate(one, 'true');
    trainProject(one, {
      tasks: ['t1', 't2'],
      gate,
      files: { 'docs/news.txt': 'start\n', 'CHANGELOG.md': 'start\n' },
      script: `${barrier(one, 2)}; ${OWN_FILE}; echo $RALPH_TASK_ID >> docs/news.txt; ${CLAIM}`,
      config: {
        'landing.merge': { union: ['docs/*.txt'] },
        'parallel.conflict_resolution': { strategy: 'stop' },
      },
    });
    expect((await ralph(one, RUN)).code).toBe(0);
    expect(one.git('show', 'main:docs/news.txt').split('\n').sort()).toEqual(['start', 't1', 't2']);
  });

  it('landing.merge.regenerate makes a file anew from what landed', async () => {
    const one = scratch();
    const make = 'cat parts/* > all.lock';
    const gate = watchedGate(one, 'test ! -e parts || { cat parts/* | cmp -s - all.lock; }');
    trainProject(one, {
      tasks: FOUR,
      gate,
      files: { 'parts/0': 'start\n', 'all.lock': 'start\n' },
      script: `${barrier(one, 4)}; ${OWN_FILE}; echo $RALPH_TASK_ID > parts/$RALPH_TASK_ID; ${make}; ${CLAIM}`,
      config: { 'landing.merge.regenerate': { '"all.lock"': make } },
    });
    const { code, stdout, stderr } = await ralph(one, RUN);
    expect(code, stderr).toBe(0);
    expect(summaryOf(stdout).landed).toEqual(FOUR);
    expect(one.git('show', 'main:all.lock')).toBe(['start', ...FOUR].join('\n'));
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
      config: {
        'landing.merge.regenerate': { '"all.lock"': 'echo cannot; exit 1' },
        'parallel.conflict_resolution': { strategy: 'stop' },
      },
    });
    const { code, stdout } = await ralph(one, RUN);
    expect(code).toBe(1);
    expect(summaryOf(stdout)).toMatchObject({ landed: [expect.any(String)], parked: [{ reason: 'conflict' }] });
    alwaysGreen(one, gate.truth);
  });

  it.each([
    ['PRD.md', (ids: readonly string[]) => ids.map((id) => `- [ ] Make ${id} <!-- id: ${id} -->\n`).join('')],
    [
      'prd.json',
      (ids: readonly string[]) =>
        JSON.stringify({ userStories: ids.map((id) => ({ id, title: `Make ${id}`, passes: false })) }, null, 2),
    ],
  ])('ticks of neighbours in %s never conflict', async (name, text) => {
    const one = scratch();
    const tasks = ['t1', 't2', 't3', 't4', 't5', 't6', 't7', 't8'];
    const gate = watchedGate(one, 'true');
    trainProject(one, {
      tasks: { [name]: name === 'PRD.md' ? `## Tasks\n\n${text(tasks)}` : text(tasks) },
      gate,
      script: `${barrier(one, 8)}; ${OWN_FILE}; ${CLAIM}`,
      config: { 'parallel.conflict_resolution': { strategy: 'stop' } },
    });
    const { code, stdout, stderr } = await ralph(one, RUN);
    expect(code, stderr).toBe(0);
    expect(summaryOf(stdout).landed).toEqual(tasks);
    const tracker = one.git('show', `main:${name}`);
    expect(tracker.match(/\[x\]|"passes": true/g)).toHaveLength(8);
    for (const task of tasks) expect(iterationsOf(one, 'shell', task)).toBe(1);
  });
});
