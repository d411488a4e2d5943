import { describe, expect, it } from 'vitest';

import { summaryOf } from './harness/answers.ts';
import { gitSays, refsBelow } from './harness/git.ts';
import { ralph } from './harness/ralph.ts';
import type { Scratch } from './harness/scratch.ts';
import { scratch } from './harness/scratch.ts';
import { KEEP_BOTH, NO_MARKERS } from './harness/storm.ts';
import { barrier, CLAIM, iterationsOf, shellAgent, trainProject, watchedGate } from './harness/train.ts';
import type { WatchedGate } from './harness/train.ts';
import { alwaysGreen } from './harness/values.ts';
import { why } from './harness/why.ts';

const EIGHT = ['t1', 't2', 't3', 't4', 't5', 't6', 't7', 't8'];
const RUN = ['run', '--parallel', '--max-workers', '8', '--json'];
const TRUTH = `${NO_MARKERS} && test ! -e BROKEN`;

/** Owners that append and can do nothing else; conflicts are for another agent. */
function storm(one: Scratch, tasks: readonly string[], resolver: string): WatchedGate {
  const gate = watchedGate(one, TRUTH);
  trainProject(one, {
    tasks,
    gate,
    files: { 'list.txt': 'the list\n', 'other.txt': 'leave me\n' },
    script: `grep -q "^$RALPH_TASK_ID$" list.txt || { ${barrier(one, tasks.length)}; echo $RALPH_TASK_ID >> list.txt; }; ${CLAIM}`,
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

  it.each([
    ['leaves the markers', 'echo $RALPH_ITERATION >> list.txt'],
    ['does nothing', 'true'],
    ['resolves one marker of three', "sed -i '/^<<<<<<< /d' list.txt"],
    ['edits other files as well', `${KEEP_BOTH}; echo mine now > other.txt`],
    ['makes a gate red', `${KEEP_BOTH}; touch BROKEN`],
    ['breaks off', 'exit 3'],
  ])('a resolver that %s: nothing wrong lands, the work is kept and the reason told', async (_, resolver) => {
    const one = scratch();
    const gate = storm(one, ['left', 'right'], resolver);
    const { code, stdout } = await ralph(one, RUN);
    expect(code).toBe(1);
    const { landed, parked } = summaryOf(stdout);
    expect([landed.length, parked.length]).toEqual([1, 1]);
    const loser = parked[0]?.task ?? '';
    alwaysGreen(one, gate.truth);
    expect(one.git('show', 'main:list.txt')).toBe(`the list\n${landed[0]}`);
    expect(one.git('show', 'main:other.txt')).toBe('leave me');
    expect(gitSays(one.git, 'cat-file', '-e', 'main:BROKEN')).toBe(false);
    const told = await why(one, loser);
    expect(told.status).toBe('parked');
    expect(told.sentences.join('\n')).toMatch(/list\.txt|other\.txt|BROKEN|gate/);
    const kept = [...refsBelow(one.git, `refs/heads/ralph/${loser}-*`), ...refsBelow(one.git, 'refs/paralph/keep/')];
    expect(kept.some((ref) => one.git('log', '--format=%H', '-S', loser, ref, '--', 'list.txt') !== '')).toBe(true);
    expect(one.git('show', 'main:PRD.md')).toContain(`[ ] Make ${loser}`);
  });
});
