import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { summaryOf } from '../harness/answers.ts';
import { gitSays, landedTasks, refsBelow } from '../harness/git.ts';
import { beside, ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { barrier, CLAIM, iterationsOf, promptOf, readyTrain, trainProject, watchedGate } from '../harness/train.ts';
import type { WatchedGate } from '../harness/train.ts';
import { alwaysGreen, headsLanded, INT } from '../harness/values.ts';
import { KEEP_BOTH, NO_MARKERS } from '../harness/storm.ts';
import { again, why } from '../harness/why.ts';

const EIGHT = ['t1', 't2', 't3', 't4', 't5', 't6', 't7', 't8'];
const RUN = ['run', '--parallel', '--max-workers', '8', '--json'];

/** Until the first of them has landed. */
const untilOneLanded = (one: Scratch): string =>
  `until git -C '${one.repo}' show ${INT}:PRD.md 2>/dev/null | grep -qF '[x]'; do sleep 0.1; done`;

/** Everybody appends a line to one file, all on the same base; but one who is apart, and lands when others do not fit. */
function storm(one: Scratch, tasks: readonly string[], strategy: string): WatchedGate {
  const gate = watchedGate(one, NO_MARKERS);
  trainProject(one, {
    tasks,
    gate,
    files: { 'list.txt': 'the list\n' },
    script: `if grep -q '^<<<<<<<' list.txt; then ${KEEP_BOTH}; elif ! grep -q "^$RALPH_TASK_ID$" list.txt; then
      ${barrier(one, tasks.length)}; if [ $RALPH_TASK_ID = apart ]; then ${untilOneLanded(one)}; echo x > apart.txt; else echo $RALPH_TASK_ID >> list.txt; fi; fi; ${CLAIM}`,
    config: { 'parallel.conflict_resolution': { strategy } },
  });
  return gate;
}

describe('S1.6 conflict storm', () => {
  it('requeue: each goes back to its own agent with main merged in, and every line is on main once', async () => {
    const one = scratch();
    const gate = storm(one, EIGHT, 'requeue');
    const { code, stdout, stderr } = await ralph(one, RUN);
    expect(code, stderr).toBe(0);
    expect(summaryOf(stdout)).toMatchObject({ landed: EIGHT, parked: [] });
    const lines = one.git('show', 'main:list.txt').split('\n');
    expect([...lines].sort()).toEqual(['the list', ...EIGHT].sort());
    alwaysGreen(one, gate.truth);
    for (const head of headsLanded(one, INT)) one.git('merge-base', '--is-ancestor', head, 'main');
    expect(one.git('show', 'main:PRD.md')).not.toContain('[ ]');
    // One at a time is sent back, so nobody resolves for a main that has moved on by the time it is done.
    const returns = EIGHT.map((task) => iterationsOf(one, 'shell', task) - 1);
    expect(returns.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(2 * EIGHT.length);
  });

  it('requeue: the prompt names the file and whose work it met; who never resolves it is parked in the end, and markers never land', async () => {
    const one = scratch();
    const gate = watchedGate(one, 'true');
    trainProject(one, {
      tasks: ['left', 'right'],
      gate,
      files: { 'list.txt': 'the list\n' },
      script: `if [ $RALPH_ITERATION = 1 ]; then ${barrier(one, 2)}; echo $RALPH_TASK_ID >> list.txt; else echo $RALPH_ITERATION >> other-$RALPH_TASK_ID.txt; fi; ${CLAIM}`,
      config: { limits: { iterations: 4 } },
    });
    const { code, stdout } = await ralph(one, RUN);
    expect(code).toBe(1);
    const { landed, parked } = summaryOf(stdout);
    expect([landed.length, parked.length]).toEqual([1, 1]);
    const loser = parked[0]?.task ?? '';
    const prompt = promptOf(one, 'shell', loser, 2);
    expect(prompt).toContain('list.txt');
    expect(prompt).toContain(`Make ${loser}`);
    expect(prompt).toContain(`Make ${landed[0]}`);
    expect(prompt).toMatch(/conflict/i);
    const told = await why(one, loser);
    expect(told.state).toBe('parked');
    expect(told.sentences.join('\n')).toMatch(/list\.txt/);
    expect(told.sentences.join('\n')).toMatch(/conflict|merge/);
    expect(one.git('show', 'main:list.txt')).toBe(`the list\n${landed[0]}`);

    await ralph(one, ['land', loser]);
    await ralph(one, ['land', '--all']);
    alwaysGreen(one, NO_MARKERS);
    expect(one.git('show', 'main:list.txt')).toBe(`the list\n${landed[0]}`);
  });

  it('case 32: S2.6 stop: one lands, the others are parked at once with both sides kept, the files and the command; the queue goes on', async () => {
    const one = scratch();
    const gate = storm(one, ['t1', 't2', 't3', 'apart'], 'stop');
    const { code, stdout } = await ralph(one, RUN);
    expect(code).toBe(1);
    const { landed, parked } = summaryOf(stdout);
    expect(landed).toHaveLength(2);
    expect(landed).toContain('apart');
    expect(parked).toHaveLength(2);
    const winner = landed.find((task) => task !== 'apart') ?? '';
    expect(one.git('show', 'main:list.txt')).toBe(`the list\n${winner}`);
    for (const { task, reason } of parked) {
      expect(reason).toBe('conflict');
      expect(iterationsOf(one, 'shell', task)).toBe(1);
      const told = await why(one, task);
      expect(told.sentences.join('\n')).toContain('list.txt');
      const shown = again(one, told.reproduce);
      expect([shown.status, shown.stdout]).toEqual([1, expect.stringContaining('list.txt')]);
      const [branch = ''] = refsBelow(one.git, `refs/heads/ralph/${task}-*`);
      expect(one.git('show', `${branch}:list.txt`)).toBe(`the list\n${task}`);
      expect(one.git('show', 'main:PRD.md')).toContain(`[ ] Make ${task}`);
    }
    alwaysGreen(one, gate.truth);
  });

  it('ralph land has no agents: what does not merge is parked, and lands once a person has resolved it', async () => {
    const one = scratch();
    const gate = watchedGate(one, NO_MARKERS);
    await readyTrain(one, {
      tasks: ['left', 'right'],
      gate,
      files: { 'list.txt': 'the list\n' },
      script: `${barrier(one, 2)}; echo $RALPH_TASK_ID >> list.txt; ${CLAIM}`,
    });
    const { code, stdout } = await ralph(one, ['land', '--all', '--json']);
    expect(code).toBe(1);
    const loser = summaryOf(stdout).parked[0]?.task ?? '';
    const [branch = ''] = refsBelow(one.git, `refs/heads/ralph/${loser}-*`);

    const own = beside(one, 'by-hand');
    one.git('worktree', 'add', '-q', '--detach', own, branch);
    expect(gitSays(one.git, '-C', own, 'merge', '-q', 'main')).toBe(false);
    writeFileSync(join(own, 'list.txt'), 'the list\nleft\nright\n');
    one.git('-C', own, 'commit', '-q', '-a', '-m', 'Both');
    one.git('update-ref', branch, one.git('-C', own, 'rev-parse', 'HEAD'));
    one.git('worktree', 'remove', own);

    const landed = await ralph(one, ['land', loser]);
    expect(landed.code, landed.stderr).toBe(0);
    expect(landedTasks(one.git, 'main').sort()).toEqual(['left', 'right']);
    expect(one.git('show', 'main:list.txt')).toBe('the list\nleft\nright');
    alwaysGreen(one, gate.truth);
  });
});
