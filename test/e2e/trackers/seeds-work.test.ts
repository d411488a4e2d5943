import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { listOf } from '../harness/answers.ts';
import { gitIn, landedTasks } from '../harness/git.ts';
import type { Git } from '../harness/git.ts';
import { HONEST, project, starts, writeScenario } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const graph = (...ids: readonly string[]): string =>
  `nodes:\n${ids.map((id) => `  - {id: ${id}, title: Make ${id}, status: ready}\n`).join('')}`;

/** As the prompt of older setups asks for: by hand, where the work is. */
const ticked = (text: string, id: string): string =>
  text.replace(`Make ${id}, status: ready`, `Make ${id}, status: complete`);

/** Another person's clone of what this one pushes. */
function clonedBy(one: Scratch, name: string): Git {
  const origin = beside(one, 'origin.git');
  one.git('init', '-q', '--bare', '-b', 'main', origin);
  one.git('remote', 'add', 'origin', origin);
  one.git('push', '-q', '-u', 'origin', 'main');
  one.git('clone', '-q', origin, beside(one, name));
  const other = gitIn(beside(one, name), one.env);
  other('config', 'user.name', name);
  other('config', 'user.email', `${name}@example.com`);
  return other;
}

it('A3.2, scenario 5: two that make a task and tick it by hand alike: the second is found out, kept and not merged, and its loop takes another', async () => {
  const one = scratch();
  const text = graph('a', 'b');
  const done = ticked(text, 'a');
  project(one, {
    tasks: { 'task-graph.yaml': text },
    byTask: {
      a: [
        { write: { path: 'a-here.txt', text: 'ours\n' } },
        { write: { path: 'task-graph.yaml', text: done } },
        { commit: 'Make a and tick it' },
        { waitForFile: { path: beside(one, 'go') } },
        { claim: true },
      ],
    },
  });
  const other = clonedBy(one, 'Otto');
  const run = startRalph(one, ['run', '--parallel', '--max-workers', '1']);
  await until('our agent', () => starts(one).length === 1);
  // Git would merge both: the same line is changed into the same one.
  writeFileSync(join(beside(one, 'Otto'), 'a-there.txt'), 'theirs\n');
  writeFileSync(join(beside(one, 'Otto'), 'task-graph.yaml'), done);
  other('add', '-A');
  other('commit', '-q', '-m', 'Make a');
  other('push', '-q', 'origin', 'main');
  one.git('pull', '-q', '--ff-only');
  writeFileSync(beside(one, 'go'), '');
  const { stderr } = await run.ended;
  expect(landedTasks(one.git, 'main'), stderr).toEqual(['b']);
  expect(one.git('ls-tree', '--name-only', 'main')).not.toContain('a-here.txt');
  expect(one.git('show', 'main:a-there.txt')).toBe('theirs');
  const loops = listOf((await ralph(one, ['loops', 'list', '--all', '--json'])).stdout, 'loops');
  expect(loops.map(({ reason }) => reason).filter((reason) => reason === 'duplicate')).toHaveLength(1);
  expect(one.git('log', '--all', '--format=%H', '--', 'a-here.txt'), 'its work is kept').not.toBe('');
  expect(stderr).toMatch(/a parked \(duplicate\): a is done on main/);
});

it('A3.9: work begins from the target and not from what is checked out, what the remote has done is done, and a worktree at work stays', async () => {
  const one = scratch();
  const text = graph('a', 'b');
  project(one, {
    tasks: { 'task-graph.yaml': text },
    agent: [{ waitForFile: { path: beside(one, 'go') } }, ...HONEST],
  });
  const other = clonedBy(one, 'Otto');
  writeFileSync(join(beside(one, 'Otto'), 'task-graph.yaml'), ticked(text, 'a'));
  other('commit', '-qam', 'Make a');
  other('push', '-q', 'origin', 'main');
  one.git('switch', '-qc', 'older');
  one.put('stray.txt', 'not on main\n');
  one.git('add', '-A');
  one.git('commit', '-q', '-m', 'Stray');
  const run = startRalph(one, ['orchestrate']);
  await until('an agent', () => starts(one).length === 1);
  const [{ task, cwd } = { task: '', cwd: '' }] = starts(one);
  expect([task, basename(cwd), existsSync(join(cwd, 'stray.txt'))]).toEqual(['b', 'b', false]);
  const busy = await ralph(one, ['worktree', 'remove', 'b']);
  expect([busy.code, busy.stderr]).toEqual([5, expect.stringMatching(/ralph loops stop b-/)]);
  expect(existsSync(cwd)).toBe(true);
  writeFileSync(beside(one, 'go'), '');
  const { stderr } = await run.ended;
  expect(landedTasks(one.git, 'main'), stderr).toEqual(['b']);
  expect(starts(one).map((start) => start.task)).toEqual(['b']);
});

it('B3.2, scenario 15: three more runs leave what a failed one left, commits and files that nobody committed', async () => {
  const one = scratch();
  project(one, {
    tasks: ['login', 'search'],
    byTask: {
      login: [
        { write: { path: 'half.txt', text: 'half\n' } },
        { commit: 'Half of it' },
        { write: { path: 'precious.ignored', text: 'in no commit\n' } },
        { exit: 1 },
      ],
    },
    config: { limits: { consecutive_failures: 1 } },
  });
  expect((await ralph(one, ['orchestrate'])).code).toBe(1);
  const folder = starts(one).find(({ task }) => task === 'login')?.cwd ?? '';
  const tip = one.git('rev-parse', 'agent/login');
  writeScenario(one, {});
  for (let again = 0; again < 3; again += 1) await ralph(one, ['orchestrate']);
  expect((await ralph(one, ['tasks', 'reset', 'login'])).code).toBe(0);
  const { code, stderr } = await ralph(one, ['orchestrate']);
  expect(code, stderr).toBe(0);
  expect(one.git('rev-parse', 'agent/login')).toBe(tip);
  expect(one.git('show', `${tip}:half.txt`)).toBe('half');
  expect(readFileSync(join(folder, 'precious.ignored'), 'utf8')).toBe('in no commit\n');
  expect(landedTasks(one.git, 'main').toSorted()).toEqual(['login', 'search']);
});
