import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { killAgents, killHost } from '../harness/crash.ts';
import { everything } from '../harness/fingerprint.ts';
import { HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const graph = (...ids: readonly string[]): string =>
  `nodes:\n${ids.map((id) => `  - {id: ${id}, title: Make ${id}, status: ready}\n`).join('')}meta:\n  by_status: {ready: ${ids.length}, complete: 0}\n`;

const statusOf = async (one: Scratch, id: string): Promise<string | undefined> => {
  const { tasks } = JSON.parse((await ralph(one, ['tasks', 'list', '--json'])).stdout) as {
    readonly tasks: readonly { readonly id: string; readonly state: string }[];
  };
  return tasks.find((task) => task.id === id)?.state;
};

it('A3.1 D3.7, scenarios 1 and 2: four orchestrators started at once on three tasks: each has exactly one owner', async () => {
  const one = scratch();
  project(one, { tasks: { 'task-graph.yaml': graph('a', 'b', 'c') } });
  const ended = await Promise.all(Array.from({ length: 4 }, () => startRalph(one, ['orchestrate']).ended));
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(
    starts(one)
      .map(({ task }) => task)
      .toSorted(),
  ).toEqual(['a', 'b', 'c']);
});

it('A3.3, scenario 5: agents that tick and count the graph themselves: counters are right after any two landings', async () => {
  const one = scratch();
  const tick = graph('a', 'b', 'c')
    .replace('ready}', 'complete}')
    .replace('ready: 3, complete: 0', 'ready: 2, complete: 1');
  project(one, {
    tasks: { 'task-graph.yaml': graph('a', 'b', 'c') },
    agent: [{ write: { path: 'task-graph.yaml', text: tick } }, { commit: 'tick' }, ...HONEST],
  });
  expect((await ralph(one, ['orchestrate', '--task', 'a', '--task', 'b'])).code).toBe(0);
  const text = one.git('show', 'main:task-graph.yaml');
  expect([text.match(/status: complete/g)?.length, /ready: 1, complete: 2/.test(text)], text).toEqual([2, true]);
});

it('A3.4, scenario 4: a task stays its owner’s while another one lands', async () => {
  const one = scratch();
  const go = beside(one, 'go');
  project(one, {
    tasks: { 'task-graph.yaml': graph('slow', 'quick') },
    byTask: { slow: [{ waitForFile: { path: go } }, ...HONEST] },
  });
  const run = startRalph(one, ['orchestrate']);
  await run.waitFor(/quick landed/);
  expect(await statusOf(one, 'slow')).toBe('at-work');
  const { stdout } = await ralph(one, ['orchestrate', '--dry-run', '--json']);
  expect((JSON.parse(stdout) as { readonly start: readonly unknown[] }).start).toEqual([]);
  writeFileSync(go, '');
  expect((await run.ended).code).toBe(0);
  expect(starts(one).filter(({ task }) => task === 'slow')).toHaveLength(1);
});

it('A3.5 A3.7, scenario 6: an agent that fails and one that does nothing: neither is done, the others run, exit 1, and nothing says complete', async () => {
  const one = scratch();
  project(one, {
    tasks: { 'task-graph.yaml': graph('fails', 'idles', 'works') },
    byTask: { fails: [{ exit: 1 }], idles: [{ claim: true }] },
    config: { limits: { iterations: 2, no_progress: 1, consecutive_failures: 1 } },
  });
  const { code, stdout, stderr } = await ralph(one, ['orchestrate']);
  expect(code).toBe(1);
  expect(`${stdout}${stderr}`).not.toMatch(/all (?:tasks )?(?:are )?(?:complete|done)/i);
  for (const id of ['fails', 'idles']) expect(stderr).toMatch(new RegExp(`parked +${id}`));
  const text = one.git('show', 'main:task-graph.yaml');
  expect(text.match(/status: complete/g)).toHaveLength(1);
  expect(text).toContain('{id: works, title: Make works, status: complete}');
});

it('B3.7: nothing of ours shows in git status while loops work, and no log of a worker holds a memory', async () => {
  const one = scratch();
  const go = beside(one, 'go');
  project(one, { tasks: ['a', 'b'], agent: [{ waitForFile: { path: go } }, ...HONEST] });
  await ralph(one, ['memory', 'add', 'the secret handshake']);
  const run = startRalph(one, ['run', '--parallel']);
  await until('both', () => starts(one).length === 2);
  expect(one.git('status', '--porcelain')).toBe('');
  writeFileSync(go, '');
  expect((await run.ended).code).toBe(0);
  const logs = Object.keys(everything(join(one.repo, '.ralph/logs')));
  expect(logs.length).toBeGreaterThan(0);
  for (const name of logs) expect(readFileSync(join(one.repo, '.ralph/logs', name), 'utf8')).not.toContain('handshake');
});

it('D3.2, scenario 24: every agent and the orchestrator dead at capacity: slots are free again, and the third task starts', async () => {
  const one = scratch();
  const go = beside(one, 'go');
  project(one, {
    tasks: { 'task-graph.yaml': graph('a', 'b', 'c') },
    agent: [{ waitForFile: { path: go } }, ...HONEST],
  });
  const host = startRalph(one, ['orchestrate', '--max-agents', '2']);
  await until('both slots', () => starts(one).length === 2);
  await killHost(host);
  await killAgents(one);
  writeFileSync(go, '');
  const { code, stderr } = await ralph(one, ['orchestrate', '--max-agents', '2']);
  expect(code, stderr).toBe(0);
  expect(one.git('show', 'main:task-graph.yaml').match(/status: complete/g)).toHaveLength(3);
});

it('D3.9, scenarios 18 and 27: clean leaves worktrees of a person, and one on agent/ that belongs to no task is listed', async () => {
  const one = scratch();
  project(one, { tasks: ['a'] });
  const [mine, orphan] = [beside(one, 'mine'), join(beside(one, 'worktrees'), 'orphan')];
  mkdirSync(beside(one, 'worktrees'));
  one.git('worktree', 'add', '-q', '-b', 'mine', mine);
  one.git('worktree', 'add', '-q', '-b', 'agent/orphan', orphan);
  writeFileSync(join(mine, 'dirty.txt'), 'mine\n');
  expect((await ralph(one, ['orchestrate'])).code).toBe(0);
  expect((await ralph(one, ['worktree', 'clean'])).code).toBe(0);
  expect([existsSync(join(mine, 'dirty.txt')), existsSync(orphan)]).toEqual([true, true]);
  expect((await ralph(one, ['worktree', 'list'])).stdout).toContain('agent/orphan');
});

it('acceptance 6, scenario 3: looking, and every dry run, leaves each byte and each ref as it was', async () => {
  const one = scratch();
  project(one, { tasks: { 'task-graph.yaml': graph('a', 'b') }, config: { parallel: { merge_policy: 'manual' } } });
  expect((await ralph(one, ['run', '--task', 'a'])).code).toBe(0);
  const before = everything(one.repo);
  const LOOKS = [
    ['orchestrate', '--dry-run'],
    ['run', '--parallel', '--dry-run'],
    ['worker', 'b', '--dry-run'],
    ['land', '--all', '--dry-run'],
    ['worktree', 'clean', '--dry-run'],
    ['orchestrate', 'status'],
    ['prompt'],
    ['tasks', 'ready'],
  ];
  for (const words of LOOKS) {
    expect((await ralph(one, words)).code, words.join(' ')).toBe(0);
    expect(everything(one.repo), words.join(' ')).toEqual(before);
  }
});
