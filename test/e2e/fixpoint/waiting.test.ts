import { readFileSync, writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { eventsOf, parseEvents } from '../harness/events.ts';
import { beside, ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { shellProject } from '../harness/shell-agent.ts';
import { markdownTasks } from '../harness/project.ts';

const RUN = ['run', '--parallel', '--max-workers', '3', '--events'];

/** Works only where the files it needs are; `say` is what it does without them. */
const needing = (needs: Readonly<Record<string, string>>, say: string): string => `
  echo "$RALPH_TASK_ID" >> "$CALLS"
  case $RALPH_TASK_ID in ${Object.entries(needs)
    .map(([task, need]) => `${task}) need='${need}';;`)
    .join(' ')} *) need='';; esac
  for one in $need; do if [ ! -e "$one.txt" ]; then ${say}; exit 0; fi; done
  sleep 0.2
  echo "made by $RALPH_TASK_ID" > "$RALPH_TASK_ID.txt"
  echo '<promise>COMPLETE</promise>'`;

function backlog(one: Scratch, tasks: readonly string[], agent: string): void {
  shellProject(one, agent.replaceAll('$CALLS', beside(one, 'calls')), { tasks: { 'PRD.md': markdownTasks(tasks) } });
}

const callsOf = (one: Scratch, task: string): number =>
  readFileSync(beside(one, 'calls'), 'utf8')
    .split('\n')
    .filter((line) => line === task).length;

describe('a run that ends when nothing more can land', () => {
  it('a task that needs earlier ones waits for them without a slot, and lands', async () => {
    const one = scratch();
    backlog(one, ['a', 'b', 'c', 'd'], needing({ b: 'a', c: 'b', d: 'c' }, 'echo nothing to do here'));
    const { code, stdout } = await ralph(one, RUN);
    expect(code).toBe(0);
    for (const task of ['a', 'b', 'c', 'd']) expect(one.git('show', `main:${task}.txt`)).toBe(`made by ${task}`);
    expect(callsOf(one, 'd')).toBeLessThanOrEqual(4);
    // Waiting is no attempt, and keeps no worktree.
    const events = parseEvents(stdout);
    expect(eventsOf(events, 'd').filter(({ type }) => type === 'task-claimed')).toHaveLength(1);
    expect(eventsOf(events, 'd').map(({ type }) => type)).toContain('worktree-retired');
  });

  it('a task that names what it lacks begins again when that has landed, in any order of the list', async () => {
    const one = scratch();
    const names = 'echo "I need $one first."; echo "<promise>WAITING: $one</promise>"';
    backlog(one, ['d', 'c', 'b', 'a'], needing({ b: 'a', c: 'b', d: 'c' }, names));
    expect((await ralph(one, RUN)).code).toBe(0);
    for (const task of ['a', 'b', 'c', 'd']) {
      expect(one.git('show', `main:${task}.txt`)).toBe(`made by ${task}`);
      expect(callsOf(one, task)).toBeLessThanOrEqual(2);
    }
  });

  it('says it by a verb as well, and a wrong id is answered at once', async () => {
    const one = scratch();
    const verb = `ralph wait nobody 2> ${beside(one, 'wrong')} || ralph wait b 2> ${beside(one, 'self')} || ralph wait $one`;
    backlog(one, ['b', 'a'], needing({ b: 'a' }, verb));
    expect((await ralph(one, RUN)).code).toBe(0);
    expect(one.git('show', 'main:b.txt')).toBe('made by b');
    expect(callsOf(one, 'b')).toBe(2);
    expect(readFileSync(beside(one, 'wrong'), 'utf8')).toContain('no task is called "nobody"');
    expect(readFileSync(beside(one, 'self'), 'utf8')).toContain('cannot wait for itself');
  });

  it('is told what landed since, and which tasks are open', async () => {
    const one = scratch();
    backlog(one, ['a', 'b'], needing({ b: 'a' }, 'echo nothing to do here'));
    writeFileSync(
      beside(one, 'agent.sh'),
      readFileSync(beside(one, 'agent.sh'), 'utf8').replace(
        '> /dev/null',
        `> ${beside(one, 'prompt')}-$RALPH_TASK_ID-$RALPH_ITERATION`,
      ),
    );
    expect((await ralph(one, RUN)).code).toBe(0);
    expect(readFileSync(beside(one, 'prompt-b-1'), 'utf8')).toMatch(
      /Other open tasks[^]*a: Make a[^]*<promise>WAITING: ID/,
    );
    const second = readFileSync(beside(one, 'prompt-b-2'), 'utf8');
    expect(second).toMatch(/What landed since your last iteration[^]*Make a[^]*a\.txt/);
  });

  it('a task that can never work is parked once, and nothing waits for it for ever', async () => {
    const one = scratch();
    const names = 'echo "<promise>WAITING: $one</promise>"';
    backlog(one, ['never', 'b', 'a'], needing({ never: 'nothing', b: 'never a' }, names));
    const { code, stdout, stderr } = await ralph(one, RUN);
    expect(code).toBe(1);
    expect(one.git('show', 'main:a.txt')).toBe('made by a');
    const parked = parseEvents(stdout).filter(({ type }) => type === 'loop-waited');
    expect(parked).toHaveLength(1);
    expect(stderr).toMatch(/waited for never/);
    expect(callsOf(one, 'b')).toBeLessThanOrEqual(6);
  });
});
