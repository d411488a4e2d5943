import { writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { summaryOf } from '../harness/answers.ts';
import { landedTasks } from '../harness/git.ts';
import { markdownTasks, project } from '../harness/project.ts';
import type { ProjectSpec } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Running } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { CLAIM, iterationsOf, OWN_FILE, shellAgent, watchedGate } from '../harness/train.ts';
import { until } from '../harness/until.ts';
import { why } from '../harness/why.ts';

const RUN = ['run', '--parallel', '--max-workers', '1', '--json'];
const THREE = markdownTasks(['t1', 't2', 't3']);
const without = (id: string): string => THREE.replace(new RegExp(`.*id: ${id} .*\\n`), '');

/** A run whose first agent, that of t1, waits to be let go. */
function given(one: Scratch, spec: Partial<ProjectSpec> = {}, work = `${OWN_FILE}; ${CLAIM}`): void {
  const hold = `while [ "$RALPH_TASK_ID" = t1 ] && [ ! -e ${beside(one, 'go')} ]; do sleep 0.05; done`;
  const shell = shellAgent(one, 'shell', `${hold}; ${work}`);
  project(one, {
    tasks: { 'PRD.md': THREE },
    ...spec,
    config: { agent: 'shell', ...spec.config, 'agents.shell': shell },
  });
}

async function atWork(one: Scratch): Promise<Running> {
  const run = startRalph(one, RUN);
  await until('t1 is at work', () => iterationsOf(one, 'shell', 't1') > 0);
  return run;
}

const letGo = (one: Scratch): void => writeFileSync(beside(one, 'go'), '');

describe('mend stranger: a task that is taken out of the file', () => {
  it.each(['left there', 'committed'])(
    'mend stranger: removed while its loop runs, and %s: its work stays ready, is named, and lands when asked for',
    async (how) => {
      const one = scratch();
      given(one);
      const run = await atWork(one);
      one.put('PRD.md', without('t1'));
      if (how === 'committed') one.git('commit', '-q', '-a', '-m', 'Without t1');
      await run.waitFor(/PRD\.md changed: t1 was removed/);
      letGo(one);
      const { code, stdout, stderr } = await run.ended;
      expect([code, summaryOf(stdout).landed, summaryOf(stdout).ready], stderr).toEqual([0, ['t2', 't3'], ['t1']]);
      expect(landedTasks(one.git, 'main').sort()).toEqual(['t2', 't3']);
      expect(stderr).toMatch(/ready {3}t1 on ralph\/t1-\w+: its task is no longer in PRD\.md\n +next: ralph land t1-/);
      expect((await why(one, 't1')).sentences.join(' ')).toContain('does not land by itself: its task is no longer in');
      const again = await ralph(one, ['land', '--all']);
      expect(landedTasks(one.git, 'main').sort(), again.stderr).toEqual(['t2', 't3']);
      const land = await ralph(one, ['land', 't1'], { isCheckoutGuarded: false });
      expect(land.code, land.stderr).toBe(0);
      expect(one.git('show', 'main:t1.txt')).toBe('made by t1');
    },
  );

  it('mend stranger: removed while the gates of its train run: it does not land; put back, it lands by itself', async () => {
    const one = scratch();
    const gate = watchedGate(one, 'true');
    given(one, { config: { gates: { commands: [gate.command], base: false } } });
    letGo(one);
    gate.hold();
    const run = startRalph(one, RUN);
    await gate.begun(1);
    one.put('PRD.md', without('t1'));
    await run.waitFor(/PRD\.md changed: t1 was removed/);
    gate.letGo();
    const { code, stdout, stderr } = await run.ended;
    expect([code, summaryOf(stdout).landed, summaryOf(stdout).ready], stderr).toEqual([0, ['t2', 't3'], ['t1']]);
    one.git('checkout', '-q', '--', 'PRD.md');
    const next = await ralph(one, RUN);
    expect(summaryOf(next.stdout).landed, next.stderr).toEqual(['t1']);
    expect(iterationsOf(one, 'shell', 't1')).toBe(1);
  });

  it('mend stranger: removed before its loop is done: no further iteration, and what landed before is named', async () => {
    const one = scratch();
    given(one, {}, `${OWN_FILE}; [ "$RALPH_TASK_ID" = t1 ] || ${CLAIM}`);
    const run = await atWork(one);
    one.put('PRD.md', without('t1'));
    await run.waitFor(/PRD\.md changed: t1 was removed/);
    letGo(one);
    const { code, stdout, stderr } = await run.ended;
    expect([code, summaryOf(stdout).landed, iterationsOf(one, 'shell', 't1')], stderr).toEqual([0, ['t2', 't3'], 1]);
    expect(stderr).toMatch(/stopped t1 on ralph\/t1-\S+: its task is no longer in PRD\.md/);
    expect((await ralph(one, RUN)).code).toBe(0);
    expect(iterationsOf(one, 'shell', 't1')).toBe(1);
  });

  it('mend stranger: stopped and then removed: the next run does not go on with it', async () => {
    const one = scratch();
    given(one);
    const run = await atWork(one);
    run.signal('SIGINT');
    expect((await run.ended).code).toBe(130);
    one.put('PRD.md', without('t1'));
    letGo(one);
    const next = await ralph(one, RUN);
    expect([next.code, summaryOf(next.stdout).landed], next.stderr).toEqual([0, ['t2', 't3']]);
    expect(iterationsOf(one, 'shell', 't1')).toBe(1);
  });

  it('mend stranger: removed after it landed in the same run: the summary names it all the same', async () => {
    const one = scratch();
    given(
      one,
      {},
      `while [ "$RALPH_TASK_ID" = t2 ] && [ ! -e ${beside(one, 'go2')} ]; do sleep 0.05; done; ${OWN_FILE}; ${CLAIM}`,
    );
    letGo(one);
    const run = startRalph(one, RUN);
    await run.waitFor(/t1 landed as/);
    one.put('PRD.md', without('t1'));
    await run.waitFor(/PRD\.md changed: t1 was removed/);
    writeFileSync(beside(one, 'go2'), '');
    const { code, stdout, stderr } = await run.ended;
    expect([code, summaryOf(stdout).landed], stderr).toEqual([0, ['t1', 't2', 't3']]);
    expect((await ralph(one, ['status'])).stdout).toContain('2 tasks; 2 landed');
  });

  it('mend stranger: reworded under the same id, it lands, and the summary says so', async () => {
    const one = scratch();
    given(one);
    const run = await atWork(one);
    one.put('PRD.md', THREE.replace('Make t1', 'Make t1, blue'));
    await run.waitFor(/PRD\.md changed/);
    letGo(one);
    const { code, stdout, stderr } = await run.ended;
    expect([code, summaryOf(stdout).landed], stderr).toEqual([0, ['t1', 't2', 't3']]);
    expect(stderr).toMatch(/landed {2}t1 as \w+; reworded since it began as "Make t1"/);
    expect((await ralph(one, ['status'])).stdout).toContain('3 landed');
  });
});
