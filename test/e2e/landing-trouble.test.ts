import { describe, expect, it } from 'vitest';

import type { Step } from '../../src/scripted/scenario.ts';
import { summaryOf } from './harness/answers.ts';
import { gitSays, landedTasks, refsBelow } from './harness/git.ts';
import { HONEST, project } from './harness/project.ts';
import { beside, ralph } from './harness/ralph.ts';
import type { Scratch } from './harness/scratch.ts';
import { scratch } from './harness/scratch.ts';

const RUN = ['run', '--parallel', '--max-workers', '3'];

/** Both stand on the same base before either lands. */
const meet = (one: Scratch, own: string, other: string, ...steps: Step[]): Step[] => [
  { write: { path: beside(one, own), text: '' } },
  { waitForFile: { path: beside(one, other), timeoutMs: 20_000 } },
  ...steps,
  { claim: true },
];

describe('S2.6 landings that do not go through', () => {
  it('case 32: S2.6 two tasks edit one line: one lands, the other is parked, both sides kept, the queue goes on', async () => {
    const one = scratch();
    const edit = (text: string): Step => ({ write: { path: 'README.md', text: `# ${text}\n` } });
    project(one, {
      tasks: ['left', 'right', 'third'],
      byTask: {
        left: meet(one, 'l', 'r', edit('left')),
        right: meet(one, 'r', 'l', edit('right')),
      },
      config: { 'parallel.conflict_resolution': { strategy: 'stop' } },
    });
    const { code, stdout, stderr } = await ralph(one, [...RUN, '--json']);
    expect(code).toBe(1);
    const { landed, parked } = summaryOf(stdout);
    expect(landed).toContain('third');
    expect(landed).toHaveLength(2);
    const loser = parked[0]?.task ?? '';
    const winner = landed.find((task) => task !== 'third') ?? '';
    expect([loser, winner].sort()).toEqual(['left', 'right']);
    expect(JSON.stringify(parked[0]?.reason)).toMatch(/conflict/i);
    expect(stdout + stderr).toContain('README.md');
    expect(one.git('show', 'main:README.md')).toBe(`# ${winner}`);
    const kept = refsBelow(one.git, 'refs/heads/ralph/').filter(
      (ref) => one.git('show', `${ref}:README.md`) === `# ${loser}`,
    );
    expect(kept).toHaveLength(1);
    expect(one.git('show', 'main:PRD.md')).toContain(`[ ] Make ${loser}`);
  });

  it('two tasks green alone and red together: one lands, the other is parked, main stays green', async () => {
    const one = scratch();
    project(one, {
      tasks: ['left', 'right', 'third'],
      byTask: {
        left: meet(one, 'l', 'r', { write: { path: 'left.txt', text: 'x' } }),
        right: meet(one, 'r', 'l', { write: { path: 'right.txt', text: 'x' } }),
      },
      config: {
        gates: { commands: ['! { test -e left.txt && test -e right.txt; }'] },
        landing: { max_attempts: 0 },
      },
    });
    const { code, stdout } = await ralph(one, [...RUN, '--json']);
    expect(code).toBe(1);
    const { landed, parked } = summaryOf(stdout);
    expect(landed).toContain('third');
    expect(parked).toHaveLength(1);
    expect(JSON.stringify(parked[0]?.reason)).toMatch(/red|gate/i);
    const files = ['left', 'right'].filter((task) => gitSays(one.git, 'cat-file', '-e', `main:${task}.txt`));
    expect(files).toHaveLength(1);
    const kept = refsBelow(one.git, 'refs/heads/ralph/').filter((ref) =>
      gitSays(one.git, 'cat-file', '-e', `${ref}:${parked[0]?.task}.txt`),
    );
    expect(kept).toHaveLength(1);
  });

  it('gates see the merged tree, never the user’s mess', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a', 'b'],
      config: { gates: { commands: ['test ! -e mess.txt', 'git diff --quiet HEAD'] } },
    });
    one.put('mess.txt', 'mess');
    expect((await ralph(one, RUN)).code).toBe(0);
    expect(landedTasks(one.git, 'main').sort()).toEqual(['a', 'b']);
  });

  it('what a gate writes into its tree never lands', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a', 'b'],
      agent: HONEST,
      config: { gates: { commands: ['echo junk > junk.txt; echo x >> README.md'] } },
    });
    expect((await ralph(one, RUN)).code).toBe(0);
    expect(one.git('ls-tree', '--name-only', 'main')).not.toContain('junk.txt');
    expect(one.git('show', 'main:README.md')).toBe('# scratch');
  });

  it('no gate at all: work that claims and changes something lands', async () => {
    const one = scratch();
    project(one, { tasks: ['a'], config: { gates: { commands: [] } } });
    expect((await ralph(one, RUN)).code).toBe(0);
    expect(landedTasks(one.git, 'main')).toEqual(['a']);
  });
});
