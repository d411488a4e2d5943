import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { listOf } from '../harness/answers.ts';
import { landedTasks } from '../harness/git.ts';
import { project, starts, writeScenario } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';

const folderOf = (one: Scratch, task: string): string => starts(one).find((start) => start.task === task)?.cwd ?? '';

it('a worktree or a branch that a person removes by hand frees its task, and no other', async () => {
  const one = scratch();
  project(one, {
    tasks: ['branch', 'folder', 'stays'],
    agent: [{ write: { path: 'half.txt', text: 'half\n' } }, { commit: 'Half' }, { exit: 1 }],
    config: { limits: { consecutive_failures: 1 } },
  });
  expect((await ralph(one, ['orchestrate'])).code).toBe(1);
  const tip = one.git('rev-parse', 'agent/folder');
  one.git('worktree', 'remove', '-f', '-f', folderOf(one, 'branch'));
  one.git('branch', '-q', '-D', 'agent/branch');
  rmSync(folderOf(one, 'folder'), { recursive: true });
  writeScenario(one, {});

  const ready = listOf((await ralph(one, ['tasks', 'ready', '--json'])).stdout, 'tasks');
  expect(ready.map(({ id }) => id)).toEqual(['branch', 'folder']);
  const dry = await ralph(one, ['orchestrate', '--dry-run', '--json']);
  expect(listOf(dry.stdout, 'start').map(({ task }) => task)).toEqual(['branch', 'folder']);
  const { code, stderr } = await ralph(one, ['orchestrate']);
  expect(code, stderr).toBe(1);
  for (const task of ['branch', 'folder']) expect(stderr).toContain(`${task} is free again: `);
  expect(landedTasks(one.git, 'main').toSorted()).toEqual(['branch', 'folder']);
  expect(one.git('rev-parse', 'agent/folder'), 'its work stays').toBe(tip);
  const again = starts(one).slice(3);
  expect(again.map(({ cwd }) => basename(cwd)).toSorted()).toEqual(['branch-2', 'folder-2']);
});
