import { describe, expect, it } from 'vitest';

import { summaryOf } from '../harness/answers.ts';
import { ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { barrier, CLAIM, iterationsOf, promptOf, trainProject, watchedGate } from '../harness/train.ts';
import { why } from '../harness/why.ts';

const RUN = ['run', '--parallel', '--max-workers', '2', '--json'];

/** Conflicts that leave nothing in a file to find: what each side does, and how to see in main whose it is. */
const CASES = [
  {
    name: 'two versions of an image',
    path: 'image.bin',
    left: "printf 'left\\0' > image.bin",
    right: "printf 'right\\0' > image.bin",
  },
  {
    name: 'one deletes what the other changes',
    path: 'shared.txt',
    left: 'git rm -q shared.txt',
    right: 'echo right >> shared.txt',
  },
  {
    name: 'a file and a link of one name',
    path: 'thing',
    left: 'echo left > thing',
    right: 'ln -s right thing',
  },
] as const;

describe('S1.6 conflicts without markers', () => {
  it.each(CASES)('$name: an agent that does nothing about it lands nothing', async ({ left, right, path }) => {
    const one = scratch();
    const gate = watchedGate(one, 'true');
    trainProject(one, {
      tasks: ['left', 'right'],
      gate,
      files: { 'shared.txt': 'one\ntwo\nthree\n', 'image.bin': 'base\0' },
      script: `if [ $RALPH_ITERATION = 1 ]; then ${barrier(one, 2)}; case $RALPH_TASK_ID in left) ${left};; right) ${right};; esac; fi; ${CLAIM}`,
      config: { limits: { iterations: 3, no_progress: 2 }, landing: { max_attempts: 1 } },
    });
    const { code, stdout, stderr } = await ralph(one, RUN);
    const { landed, parked } = summaryOf(stdout);
    expect([code, landed.length, parked.length], stderr).toEqual([1, 1, 1]);
    const [winner = ''] = landed;
    const loser = parked[0]?.task ?? '';
    // What the winner made is on main as it made it.
    const branch = one.git('log', '-1', '--format=%(trailers:key=Ralph-Head,valueonly)', '--grep=Ralph-Loop', 'main');
    expect(one.git('diff', '--name-only', branch.trim(), 'main', '--', '.', ':!PRD.md')).toBe('');
    expect((await why(one, loser)).sentences.join('\n')).toContain(path);
    if (iterationsOf(one, 'shell', loser) > 1) {
      expect(promptOf(one, 'shell', loser, 2)).toContain(path);
      expect(promptOf(one, 'shell', loser, 2)).toContain(`Make ${winner}`);
    }
  });
});
