import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { summaryOf } from '../harness/answers.ts';
import { eventsOf, parseEvents } from '../harness/events.ts';
import { refsBelow } from '../harness/git.ts';
import { HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';

const RUN = ['run', '--parallel', '--max-workers', '2'];
const GATE = 'grep -q good value.txt || { echo VALUE-IS-WRONG-77; exit 1; }';

describe('the loop', () => {
  it('a claim with red gates feeds the failure back, and the next iteration mends it', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a'],
      agent: {
        iterations: [
          [{ write: { path: 'value.txt', text: 'bad' } }, { claim: true }],
          [
            { prompt: { path: beside(one, 'second-prompt') } },
            {
              fixOnGateFailure: { when: 'VALUE-IS-WRONG-77', steps: [{ write: { path: 'value.txt', text: 'good' } }] },
            },
            { claim: true },
          ],
        ],
      },
      config: { gates: { commands: ['true', GATE] } },
    });
    const { code, stdout } = await ralph(one, [...RUN, '--events']);
    expect(code).toBe(0);
    expect(one.git('show', 'main:value.txt')).toBe('good');
    const verdicts = eventsOf(parseEvents(stdout), 'a')
      .filter((event) => event.type === 'gates-ended')
      .map((event) => event['verdict'] ?? (event['report'] as { verdict?: unknown } | undefined)?.verdict);
    expect(verdicts).toEqual(['red', 'green']);
    expect(readFileSync(beside(one, 'second-prompt'), 'utf8')).toContain('grep -q good value.txt');
  });

  it('each iteration is a fresh process in the same worktree, told what earlier ones did', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a'],
      agent: {
        iterations: [
          [{ write: { path: 'half.txt', text: 'half' } }, { print: 'I-GOT-HALF-WAY' }],
          [{ prompt: { path: beside(one, 'second-prompt') } }, ...HONEST],
        ],
      },
    });
    expect((await ralph(one, RUN)).code).toBe(0);
    const prompt = readFileSync(beside(one, 'second-prompt'), 'utf8');
    expect(prompt).toMatch(/I-GOT-HALF-WAY|half\.txt/);
    expect(prompt).not.toContain(`${one.repo}/PRD.md`);
    const [first, second] = starts(one);
    expect([first?.iteration, second?.iteration]).toEqual([1, 2]);
    expect(first?.pid).not.toBe(second?.pid);
    expect(first?.cwd).toBe(second?.cwd);
  });

  it('red gates for ever: parked, worktree and branch kept, nothing landed', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a', 'b'],
      byTask: { a: [{ write: { path: 'BROKEN', text: '${iteration}' } }, { claim: true }] },
      config: { limits: { iterations: 2 } },
    });
    const { code, stdout } = await ralph(one, [...RUN, '--json']);
    expect(code).toBe(1);
    const summary = summaryOf(stdout);
    expect(summary).toMatchObject({ landed: ['b'], parked: [{ task: 'a' }] });
    expect(String(summary.parked[0]?.next)).toContain('ralph ');
    expect(existsSync(join(starts(one).find((call) => call.task === 'a')?.cwd ?? '', 'BROKEN'))).toBe(true);
    const branch = refsBelow(one.git, 'refs/heads/ralph/').find((ref) =>
      one.git('ls-tree', '--name-only', ref).includes('BROKEN'),
    );
    expect(branch).toBeDefined();
    expect(one.git('ls-tree', '--name-only', 'main')).not.toContain('BROKEN');
  });

  it('case 44: stop rules: iterations, no_progress, and consecutive_failures, counted anew after a good one', async () => {
    const one = scratch();
    project(one, {
      // The first of a list has no earlier task to wait for.
      tasks: ['thinks', 'writes', 'fails'],
      byTask: {
        writes: [{ write: { path: 'x', text: '${iteration}' } }],
        thinks: [{ print: 'thinking' }],
        fails: { iterations: [[{ exit: 1 }], [{ write: { path: 'x', text: '1' } }], [{ exit: 1 }], [{ exit: 1 }]] },
      },
      config: { limits: { iterations: 5, no_progress: 3, consecutive_failures: 2 } },
    });
    const { code, stdout } = await ralph(one, ['run', '--parallel', '--max-workers', '3', '--json']);
    expect(code).toBe(1);
    const count = (task: string): number => starts(one).filter((call) => call.task === task).length;
    const ended = summaryOf(stdout).parked.map(({ task, reason }) => [task, reason, count(task)]);
    expect(Object.fromEntries(ended.map(([task, ...how]) => [task, how]))).toEqual({
      writes: ['iterations', 5],
      thinks: ['no-progress', 3],
      fails: ['failures', 4],
    });
  });

  it('an agent that escapes, nests a repository or checks out another branch harms nobody', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a', 'b', 'c', 'good'],
      byTask: {
        a: [{ escape: { path: 'escaped.txt', text: 'out' } }, ...HONEST],
        b: [{ gitInit: { path: 'nested' } }, { write: { path: 'nested/inner.txt', text: 'x' } }, ...HONEST],
        c: [{ checkout: { ref: 'HEAD~1' } }, ...HONEST],
      },
      config: { limits: { iterations: 2 } },
    });
    const { code, stdout } = await ralph(one, [...RUN, '--json']);
    expect([0, 1]).toContain(code);
    const summary = summaryOf(stdout);
    expect(summary.landed).toContain('good');
    expect([...summary.landed, ...summary.parked.map((parked) => parked.task)].sort()).toEqual(['a', 'b', 'c', 'good']);
    expect(one.git('log', '--format=%s', 'main')).toContain('Plan the work');
    expect(existsSync(join(one.repo, 'escaped.txt'))).toBe(false);
  });
});
