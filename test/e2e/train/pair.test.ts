import { describe, expect, it } from 'vitest';

import { summaryOf } from '../harness/answers.ts';
import { ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { barrier, CLAIM, iterationsOf, OWN_FILE, promptOf, trainProject, watchedGate } from '../harness/train.ts';
import type { WatchedGate } from '../harness/train.ts';
import { accountFor, alwaysGreen } from '../harness/values.ts';
import { again, why } from '../harness/why.ts';

const RUN = ['run', '--parallel', '--max-workers', '3', '--json'];
const TASKS = ['left', 'right', 'third'];
const APART = 'test ! -e left.txt || test ! -e right.txt || test -e glue.txt || { echo "they need glue"; exit 1; }';

/** Left and right are green alone and red together; what they do when they come back is up to the test. */
function pair(one: Scratch, comesBack: string, config: Record<string, Record<string, unknown>> = {}): WatchedGate {
  const gate = watchedGate(one, APART);
  trainProject(one, {
    tasks: TASKS,
    gate,
    script: `if [ "$RALPH_ITERATION" -gt 1 ]; then ${comesBack}; else ${barrier(one, 3)}; ${OWN_FILE}; fi; ${CLAIM}`,
    config: { limits: { iterations: 3 }, ...config },
  });
  return gate;
}

const losing = (landed: readonly string[]): { readonly loser: string; readonly winner: string } =>
  landed.includes('left') ? { loser: 'right', winner: 'left' } : { loser: 'left', winner: 'right' };

describe('S1.5 two that are green alone and red together', () => {
  it('one lands; the other is sent back with it merged in, is told of both, and is parked and explained in the end', async () => {
    const one = scratch();
    const gate = pair(one, 'test -e left.txt; test -e right.txt; echo no idea >> "$RALPH_TASK_ID.txt"');
    const { code, stdout } = await ralph(one, RUN);
    expect(code).toBe(1);
    const { landed, parked } = summaryOf(stdout);
    expect(landed).toHaveLength(2);
    expect(landed).toContain('third');
    const { loser, winner } = losing(landed);
    expect(parked.map(({ task }) => task)).toEqual([loser]);

    const prompt = promptOf(one, 'shell', loser, 2);
    expect(prompt).toContain(`Make ${loser}`);
    expect(prompt).toContain(`Make ${winner}`);
    expect(prompt).toContain(gate.command);
    expect(prompt).toContain('they need glue');
    expect(iterationsOf(one, 'shell', winner)).toBe(1);

    const told = await why(one, loser);
    expect(told.state).toBe('parked');
    expect(told.sentences.join('\n')).toMatch(/together|merged with main they are red/);
    expect(told.sentences.join('\n')).toContain(winner);
    expect(told.gate?.command).toBe(gate.command);
    expect(told.gate?.tail).toContain('they need glue');
    const shown = again(one, told.reproduce);
    expect(shown.status).not.toBe(0);
    expect(shown.stdout + shown.stderr).toContain('they need glue');

    alwaysGreen(one, gate.truth);
    expect(accountFor(one, TASKS).kept).toEqual([loser]);
    expect(one.git('show', 'main:PRD.md')).toContain(`[ ] Make ${loser}`);
  });

  it('an agent that mends it: both land', async () => {
    const one = scratch();
    const gate = pair(one, 'test -e left.txt; test -e right.txt; echo glue > glue.txt');
    const { code, stdout, stderr } = await ralph(one, RUN);
    expect(code, stderr).toBe(0);
    expect(summaryOf(stdout)).toMatchObject({ landed: TASKS, parked: [] });
    expect(one.git('show', 'main:glue.txt')).toBe('glue');
    expect(['left', 'right'].reduce((sum, task) => sum + iterationsOf(one, 'shell', task), 0)).toBe(3);
    alwaysGreen(one, gate.truth);
    expect(accountFor(one, TASKS).landed).toEqual(TASKS);
    expect(one.git('show', 'main:PRD.md')).not.toContain('[ ]');
  });

  it('landing.max_attempts = 0: it is parked at once, and nobody works on it again', async () => {
    const one = scratch();
    const gate = pair(one, 'echo glue > glue.txt', { landing: { max_attempts: 0 } });
    const { code, stdout } = await ralph(one, RUN);
    expect(code).toBe(1);
    const { landed, parked } = summaryOf(stdout);
    const { loser, winner } = losing(landed);
    expect(parked).toMatchObject([{ task: loser, reason: 'red' }]);
    expect(iterationsOf(one, 'shell', loser)).toBe(1);
    const told = await why(one, loser);
    expect(told).toMatchObject({ state: 'parked', reason: 'red' });
    expect(told.sentences.join('\n')).toContain(winner);
    expect(told.gate?.tail).toContain('they need glue');
    expect(again(one, told.reproduce).status).not.toBe(0);
    alwaysGreen(one, gate.truth);
    expect(accountFor(one, TASKS).kept).toEqual([loser]);
  });
});
