import { writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { summaryOf } from '../harness/answers.ts';
import { crashAt, killAgents, killHost } from '../harness/crash.ts';
import { landedTasks } from '../harness/git.ts';
import { calls, HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { endings, isHere, RUN, runToTheEnd, say, startsOf, wait } from '../harness/recovery.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';
import { INT, watchRefs } from '../harness/values.ts';
import { why } from '../harness/why.ts';

describe('S4.4 killed, and run again', () => {
  it('recovery 1: spawned, and its worktree half made: made whole, one agent started', async () => {
    const one = scratch();
    project(one, { tasks: ['a'] });
    watchRefs(one);
    for (const point of ['wt.intent', 'wt.after_admin', 'wt.checked_out', 'run.intent']) await crashAt(one, RUN, point);
    expect(starts(one)).toEqual([]);
    await runToTheEnd(one, ['a']);
    expect(startsOf(one)).toEqual({ a: 1 });
  });

  it('recovery 2: working, and its agent died too: respawned with all it had made, and not for ever', async () => {
    const one = scratch();
    const begun = [
      { write: { path: 'first.txt', text: 'committed\n' } },
      { commit: 'First' },
      { leaveDirty: { path: 'second.txt', text: 'staged\n' } },
      { leaveDirty: { path: 'README.md', text: '# dirty\n' } },
      say(one),
      wait(one, 'never'),
    ];
    project(one, {
      tasks: ['a', 'doomed'],
      byTask: {
        a: { iterations: [begun, HONEST] },
        doomed: { iterations: [[{ write: { path: 'doomed.txt', text: 'x' } }, ...begun], [{ exit: 137 }]] },
      },
      config: { limits: { iterations: 9, consecutive_failures: 3 } },
    });
    const host = startRalph(one, RUN);
    await until('both agents at work', () => isHere(one, 'a') && isHere(one, 'doomed'));
    for (const { cwd } of starts(one)) one.git('-C', cwd, 'add', 'second.txt');
    await killHost(host);
    await killAgents(one);
    const { code, stdout } = await ralph(one, [...RUN.slice(0, -1), '--json']);
    expect(code).toBe(1);
    expect(summaryOf(stdout)).toMatchObject({ landed: ['a'], parked: [{ task: 'doomed', reason: 'failures' }] });
    expect(startsOf(one)).toEqual({ a: 2, doomed: 3 });
    for (const [path, text] of [
      ['first.txt', 'committed'],
      ['second.txt', 'staged'],
      ['README.md', '# dirty'],
      ['a.txt', 'made by a'],
    ] as const)
      expect(one.git('show', `main:${path}`)).toBe(text);
    const { next } = await why(one, 'doomed');
    expect(JSON.stringify(next)).toContain('ralph');
    const [branch = ''] = one.git('for-each-ref', '--format=%(refname)', 'refs/heads/ralph/doomed-*').split('\n');
    for (const path of ['first.txt', 'second.txt', 'doomed.txt']) one.git('cat-file', '-e', `${branch}:${path}`);
  });

  it('recovery 3: committed, while nobody watched: harvested with its exit code, not started again', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a', 'b'],
      byTask: {
        a: [
          say(one),
          wait(one, 'go'),
          { write: { path: 'a.txt', text: 'made by a\n' } },
          { commit: 'A' },
          { claim: true },
        ],
        b: { iterations: [[say(one), wait(one, 'go'), { exit: 3 }], HONEST] },
      },
    });
    watchRefs(one);
    const host = startRalph(one, RUN);
    await until('both agents at work', () => isHere(one, 'a') && isHere(one, 'b'));
    await killHost(host);
    writeFileSync(beside(one, 'go'), '');
    await until('both agents ended', () => calls(one).filter((call) => call.ended).length === 2);
    const events = await runToTheEnd(one, ['a', 'b']);
    expect(startsOf(one)).toEqual({ a: 1, b: 2 });
    expect(endings(events, [...host.events(), ...events])).toEqual({
      'a 1': ['claimed', 0],
      'b 1': ['failed', 3],
      'b 2': ['claimed', 0],
    });
  });

  it('recovery 4: ready and green, and its landing cut wherever that is possible: lands once', async () => {
    const one = scratch();
    project(one, { tasks: ['a', 'b'] });
    watchRefs(one);
    const points = ['train.held', 'land.before_cas', 'land.after_cas', 'publish.journal', 'publish.merged'];
    for (const point of points) {
      await crashAt(one, RUN, point);
      const isLanded = points.indexOf(point) >= 2;
      expect(landedTasks(one.git, INT).length > 0, point).toBe(isLanded);
    }
    await runToTheEnd(one, ['a', 'b']);
    expect(startsOf(one)).toEqual({ a: 1, b: 1 });
  });
});
