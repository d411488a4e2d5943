import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Step } from '../../scripted/scenario.ts';
import { listOf, planOf, summaryOf } from '../harness/answers.ts';
import { differences, fingerprint } from '../harness/fingerprint.ts';
import { HONEST, markdownTasks, project, starts, toml } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const RUN = ['run', '--parallel', '--max-workers', '1'];
const started = (one: Scratch): string[] => starts(one).map(({ task }) => task);
const short = (one: Scratch): string => one.git('rev-parse', '--short', 'main');

function commit(one: Scratch, path: string, text: string, message = `Write ${path}`): void {
  one.put(path, text);
  one.git('add', path);
  one.git('commit', '-q', '-m', message);
}

const ticked = (tasks: readonly string[], done: readonly string[]): string =>
  done.reduce((text, id) => text.replace(`[ ] Make ${id}`, `[x] Make ${id}`), markdownTasks(tasks));

describe('mend 2: tasks are the target’s', () => {
  it('mend 2: on a stale branch, what is ticked on main is not done again, and the difference is named', async () => {
    const one = scratch();
    project(one, { tasks: ['t1', 't2'] });
    one.git('branch', 'stale');
    commit(one, 'PRD.md', ticked(['t1', 't2', 't3'], ['t1']));
    one.git('switch', '-q', 'stale');
    commit(one, 'PRD.md', markdownTasks(['t1', 't2', 'own']));
    const plan = await ralph(one, [...RUN, '--dry-run', '--json']);
    expect(planOf(plan.stdout).start).toEqual(['t2']);
    const { code, stderr } = await ralph(one, RUN);
    expect([code, started(one)], stderr).toEqual([0, ['t2', 't3']]);
    expect(stderr).toMatch(/warning: PRD\.md on stale .*only on stale: own; only on main: t3; done only on main: t1/);
    const list = await ralph(one, ['tasks', 'list', '--json']);
    expect(listOf(list.stdout, 'tasks').map(({ id }) => id)).toEqual(['t1', 't2', 't3']);
    expect(list.stderr).toContain('only on stale: own');
    expect(one.git('show', 'main:PRD.md')).toBe(ticked(['t1', 't2', 't3'], ['t1', 't2', 't3']).trimEnd());
  });

  it('mend 2: a branch that is switched during a run neither drops nor adds tasks', async () => {
    const one = scratch();
    const go = beside(one, 'go');
    const steps: Step[] = [{ waitForFile: { path: go } }, ...HONEST];
    project(one, { tasks: ['t1', 't2', 't3'], byTask: { t1: steps } });
    one.git('switch', '-q', '-c', 'other');
    commit(one, 'PRD.md', markdownTasks(['t1', 't9']));
    one.git('switch', '-q', 'main');
    const run = startRalph(one, RUN);
    await until('t1 is at work', () => started(one).includes('t1'));
    one.git('switch', '-q', 'other');
    await run.waitFor(/warning: PRD\.md on other .*only on other: t9; only on main: t2, t3/);
    writeFileSync(go, '');
    const { code, stderr } = await run.ended;
    expect([code, started(one)], stderr).toEqual([0, ['t1', 't2', 't3']]);
    for (const task of ['t1', 't2', 't3']) expect(one.git('show', `main:${task}.txt`)).toBe(`made by ${task}`);
  });

  it('mend 2: uncommitted edits count where the checkout stands on main, also beside what landed and is not published', async () => {
    const one = scratch();
    project(one, { tasks: ['t1'], config: { landing: { publish: 'manual' } } });
    const clean = await ralph(one, ['run', '--dry-run']);
    expect(clean.stderr).toContain(`PRD.md of main at ${short(one)}`);
    expect(clean.stderr).toContain(`ralph.toml of main at ${short(one)}`);
    expect(clean.stderr).not.toContain('your edits');
    expect((await ralph(one, RUN)).code).toBe(0);
    one.put('PRD.md', markdownTasks(['t1', 't2']));
    const plain = await ralph(one, ['run', '--dry-run']);
    expect(plain.stderr).toMatch(/PRD\.md of main at [0-9a-f]{10}, with your edits/);
    expect((await ralph(one, RUN)).code).toBe(0);
    expect(started(one)).toEqual(['t1', 't2']);
    one.git('checkout', '-q', '--', 'PRD.md');
    one.git('switch', '-q', '-c', 'feature');
    const list = await ralph(one, ['tasks', 'list', '--json']);
    expect(listOf(list.stdout, 'tasks').map(({ id, state }) => [id, state])).toEqual([['t1', 'landed']]);
  });

  it('mend 2: --tasks with a path outside git reads that file', async () => {
    const one = scratch();
    project(one, { tasks: ['t1'] });
    const file = beside(one, 'plan.md');
    writeFileSync(file, markdownTasks(['away']));
    one.git('switch', '-q', '-c', 'feature');
    const { code, stdout, stderr } = await ralph(one, [...RUN, '--json', '--tasks', file]);
    expect([code, started(one)], stderr).toEqual([0, ['away']]);
    expect(summaryOf(stdout).landed).toEqual(['away']);
    expect(one.git('show', 'main:away.txt')).toBe('made by away');
  });

  it('mend 2: a task file that only another branch has is not taken; one that git does not know is', async () => {
    const one = scratch();
    project(one, { tasks: { 'plan.md': markdownTasks(['t1']) } });
    one.git('switch', '-q', '-c', 'feature');
    commit(one, 'PRD.md', markdownTasks(['own']));
    const none = await ralph(one, RUN);
    expect([none.code, started(one)], none.stderr).toEqual([3, []]);
    expect(none.stderr).toMatch(/no task file on main\n {2}PRD\.md is on feature and not on main: .*--target feature/);
    one.put('tasks.md', markdownTasks(['loose']));
    const before = fingerprint(one.repo);
    const { code, stderr } = await ralph(one, RUN, { isCheckoutGuarded: false });
    expect([code, started(one)], stderr).toEqual([0, ['loose']]);
    expect(readFileSync(join(one.repo, 'tasks.md'), 'utf8')).toBe(markdownTasks(['loose']).replace('[ ]', '[x]'));
    expect(differences(before, fingerprint(one.repo))).toEqual(['file:tasks.md', 'ref:refs/heads/main']);
  });
});

describe('mend 2: ralph.toml is the target’s', () => {
  const settingsOf = (one: Scratch, gate: string): string =>
    toml({
      agent: 'scripted',
      gates: { commands: [gate] },
      'agents.scripted': { command: ['sh', beside(one, 'scripted.sh')] },
    });

  it('mend 2: what another branch says does not count; origins and positions name the commit', async () => {
    const one = scratch();
    project(one, { tasks: ['t1'] });
    one.git('switch', '-q', '-c', 'feature');
    commit(one, 'ralph.toml', settingsOf(one, 'false'));
    one.put('ralph.toml', 'nonsense\n');
    const get = await ralph(one, ['config', 'get', 'gates.commands']);
    expect([get.code, get.stdout.trim()]).toEqual([0, '["test ! -e BROKEN"]']);
    const list = await ralph(one, ['config', 'list', '--show-origin', '--json']);
    const { origin } = listOf(list.stdout, 'settings').find(({ key }) => key === 'gates.commands') ?? {};
    expect(origin).toMatch(/^main:ralph\.toml:\d+$/);
    const set = await ralph(one, ['config', 'set', 'parallel.max_workers', '2']);
    expect(set.code, 'a file that cannot be read is not written').toBe(3);
    one.git('checkout', '-q', '--', 'ralph.toml');
    expect((await ralph(one, ['config', 'set', 'parallel.max_workers', '2'])).stderr).toMatch(
      /on feature; loops that land on main follow the ralph\.toml of main.*--target feature/,
    );
    one.git('checkout', '-q', '--', 'ralph.toml');
    const { code, stderr } = await ralph(one, RUN);
    expect([code, one.git('show', 'main:t1.txt')], stderr).toEqual([0, 'made by t1']);
    one.git('switch', '-q', 'main');
    commit(one, 'ralph.toml', 'agent = "scripted"\n\nmax_workers = 3\n');
    one.git('switch', '-q', 'feature');
    const broken = await ralph(one, ['config', 'check']);
    expect([broken.code, broken.stderr]).toEqual([3, expect.stringContaining('main:ralph.toml:3:1 ')]);
    expect(broken.stderr).toContain('git switch main && $EDITOR +3 ralph.toml');
  });

  it('mend 2: main has none and the branch has one: exit 3 and the two ways out, which both work', async () => {
    const one = scratch();
    project(one, { tasks: ['t1'] });
    const text = one.git('show', 'main:ralph.toml');
    one.git('rm', '-q', 'ralph.toml');
    one.git('commit', '-q', '-m', 'Take it out');
    one.git('switch', '-q', '-c', 'feature');
    commit(one, 'ralph.toml', `${text}\n`);
    for (const args of [RUN, [...RUN, '--dry-run'], ['config', 'check']]) {
      const { code, stderr } = await ralph(one, args);
      expect([code, started(one)], stderr).toEqual([3, []]);
      expect(stderr).toContain('--target feature');
      expect(stderr).toMatch(/git switch main && git checkout feature -- ralph\.toml && git commit/);
    }
    const seen = await ralph(one, ['status']);
    expect([seen.code, seen.stderr]).toEqual([0, expect.stringContaining('ralph.toml is on feature and not on main')]);
    const there = await ralph(one, [...RUN, '--target', 'feature']);
    expect([there.code, one.git('show', 'feature:t1.txt')], there.stderr).toEqual([0, 'made by t1']);
  });

  it('mend 2: one that git does not know yet counts whole, and edits count on main', async () => {
    const one = scratch();
    project(one, { tasks: ['t1', 't2'] });
    const text = one.git('show', 'main:ralph.toml');
    one.put('ralph.toml', `${text}\n`.replace('test ! -e BROKEN', 'test ! -e WRONG'));
    const edited = await ralph(one, ['run', '--dry-run']);
    expect(edited.stderr).toMatch(/ralph\.toml of main at [0-9a-f]{10}, with your edits/);
    expect((await ralph(one, ['config', 'get', 'gates.commands'])).stdout).toContain('WRONG');
    one.git('checkout', '-q', '--', 'ralph.toml');
    one.git('rm', '-q', 'ralph.toml');
    one.git('commit', '-q', '-m', 'Take it out');
    one.put('ralph.toml', `${text}\n`);
    one.git('switch', '-q', '-c', 'feature');
    const { code, stderr } = await ralph(one, RUN);
    expect([code, started(one)], stderr).toEqual([0, ['t1', 't2']]);
    rmSync(join(one.repo, 'ralph.toml'));
  });
});
