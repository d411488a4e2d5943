import { writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { summaryOf } from '../harness/answers.ts';
import { gitSays, refsBelow } from '../harness/git.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { KEEP_BOTH, NO_MARKERS } from '../harness/storm.ts';
import { barrier, CLAIM, iterationsOf, shellAgent, trainProject, watchedGate } from '../harness/train.ts';
import type { WatchedGate } from '../harness/train.ts';
import { alwaysGreen } from '../harness/values.ts';

const EIGHT = ['t1', 't2', 't3', 't4', 't5', 't6', 't7', 't8'];
const RUN = ['run', '--parallel', '--max-workers', '8', '--json'];
const TRUTH = `${NO_MARKERS} && test ! -e BROKEN`;

/** A list for each kind of task: what stands before its `-`. */
const KIND = '${RALPH_TASK_ID%-*}';
const LIST = `${KIND}.list`;

/** Owners that append and can do nothing else; conflicts are for another agent. */
function storm(one: Scratch, tasks: readonly string[], resolver: string, list = 'list.txt', first = ':'): WatchedGate {
  const gate = watchedGate(one, TRUTH);
  const lists = tasks.map((task) => list.replace(KIND, task.split('-')[0] ?? ''));
  trainProject(one, {
    tasks,
    gate,
    files: { ...Object.fromEntries(lists.map((path) => [path, 'the list\n'])), 'other.txt': 'leave me\n' },
    script: `grep -q "^$RALPH_TASK_ID$" ${list} || { ${barrier(one, tasks.length)}; ${first}; echo $RALPH_TASK_ID >> ${list}; }; ${CLAIM}`,
    config: {
      'parallel.conflict_resolution': { strategy: 'ai_resolve', ai_agent: 'resolver' },
      'agents.resolver': shellAgent(one, 'resolver', `${resolver}\n${CLAIM}`),
      limits: { iterations: 3, no_progress: 2 },
      landing: { max_attempts: 1 },
    },
  });
  return gate;
}

describe('S1.6 ai_resolve', () => {
  it('an agent for conflicts resolves a storm: everybody lands, every line is on main once', async () => {
    const one = scratch();
    const gate = storm(one, EIGHT, KEEP_BOTH);
    const { code, stdout, stderr } = await ralph(one, RUN);
    expect(code, stderr).toBe(0);
    expect(summaryOf(stdout)).toMatchObject({ landed: EIGHT, parked: [] });
    expect(one.git('show', 'main:list.txt').split('\n').sort()).toEqual(['the list', ...EIGHT].sort());
    alwaysGreen(one, gate.truth);
    for (const task of EIGHT) expect(iterationsOf(one, 'shell', task)).toBe(1);
  });

  it('a resolver that leaves a marker, edits other files, makes a gate red or breaks off: nothing wrong lands, the work is kept, and its owner has one more go', async () => {
    const one = scratch();
    const wrongs = {
      marker: "sed -i '/^<<<<<<< /d' list.txt",
      stray: `${KEEP_BOTH}; echo mine now > other.txt`,
      red: `${KEEP_BOTH}; touch BROKEN`,
      quits: 'exit 3',
    };
    const cases = Object.entries(wrongs).map(([kind, act]) => `${kind}-*) ${act.replaceAll('list.txt', LIST)};;`);
    const tasks = [...Object.keys(wrongs).flatMap((kind) => [`${kind}-left`, `${kind}-right`]), 'late-one'];
    const go = beside(one, 'go');
    const first = `[ $RALPH_TASK_ID != late-one ] || until [ -e '${go}' ]; do sleep 0.1; done`;
    const gate = storm(one, tasks, `case $RALPH_TASK_ID in ${cases.join(' ')} esac`, LIST, first);
    const run = startRalph(one, ['run', '--parallel', '--max-workers', String(tasks.length), '--json']);
    await run.waitFor(/(?: parked \((?:conflict|red)\)[^]*){4}/);
    writeFileSync(go, '');
    const { code, stdout, stderr } = await run.ended;
    // What the resolver could not mend gets one more loop of its owner, since something has landed after it was put aside.
    expect(code, stderr).toBe(0);
    const { landed } = summaryOf(stdout);
    expect(landed.toSorted()).toEqual(tasks.toSorted());
    alwaysGreen(one, gate.truth);
    expect(one.git('show', 'main:other.txt')).toBe('leave me');
    expect(gitSays(one.git, 'cat-file', '-e', 'main:BROKEN')).toBe(false);
    const { loops } = JSON.parse((await ralph(one, ['loops', 'list', '--all', '--json'])).stdout) as {
      readonly loops: readonly { readonly task: string; readonly branch: string; readonly commit: string | null }[];
    };
    for (const kind of Object.keys(wrongs)) {
      const list = `${kind}.list`;
      const own = tasks.filter((task) => task.startsWith(`${kind}-`));
      expect(one.git('show', `main:${list}`).split('\n').sort()).toEqual(['the list', ...own].sort());
      // One of the two was put aside first, and what it had made is kept.
      const aside = loops.filter(({ task, commit }) => own.includes(task) && commit === null);
      expect([kind, aside.length]).toEqual([kind, 1]);
      const [{ task, branch } = { task: '', branch: '' }] = aside;
      const kept = [...refsBelow(one.git, `refs/heads/${branch}`), ...refsBelow(one.git, 'refs/paralph/keep/')];
      expect(kept.some((ref) => one.git('log', '--format=%H', '-S', task, ref, '--', list) !== '')).toBe(true);
    }
  });
});
