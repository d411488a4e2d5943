import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { project } from '../harness/project.ts';
import { promptFor, promptProject } from '../harness/prompt-project.ts';
import { ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import type { Scratch } from '../harness/scratch.ts';

const LINE =
  /warning: commits that ralph makes run no hooks of this repository \(([^)]*)\)\. .*gates\.commands = \["([^"]*)", …\]/g;

/** What was said of hooks: their names, and the gate. */
const saidOf = (stderr: string): readonly (readonly string[])[] =>
  [...stderr.matchAll(LINE)].map(([, names = '', gate = '']) => [names, gate]);

function hook(one: Scratch, folder: string, name: string, mode = 0o755): void {
  mkdirSync(join(one.repo, folder), { recursive: true });
  writeFileSync(join(one.repo, folder, name), '#!/bin/sh\nexit 1\n');
  chmodSync(join(one.repo, folder, name), mode);
}

describe('commit hooks', () => {
  it('trip 6: they are skipped by our commits, and that is said once per run, with the gate that does the same', async () => {
    const one = scratch();
    project(one, { tasks: ['t1', 't2'] });
    hook(one, '.git/hooks', 'pre-commit');
    hook(one, '.git/hooks', 'commit-msg');
    hook(one, '.git/hooks', 'pre-push');
    hook(one, '.git/hooks', 'post-commit', 0o644);
    const { code, stderr } = await ralph(one, ['run', '--parallel']);
    expect(code, stderr).toBe(0);
    expect(saidOf(stderr)).toEqual([['pre-commit, commit-msg', 'pre-commit run --all-files']]);
  });

  it('trip 6: they are found where core.hooksPath says, and a prompt is told too', async () => {
    const one = scratch();
    promptProject(one);
    one.put('lefthook.yml', 'pre-commit: {}\n');
    hook(one, '.husky/_', 'pre-commit');
    one.git('add', 'lefthook.yml');
    one.git('-c', 'core.hooksPath=/dev/null', 'commit', '-q', '-m', 'Hook');
    one.git('config', 'core.hooksPath', '.husky/_');
    const { code, stderr } = await ralph(one, ['run', '--worktree', promptFor('it')]);
    expect(code, stderr).toBe(0);
    expect(saidOf(stderr)).toEqual([['pre-commit', 'lefthook run pre-commit --all-files']]);
  });

  it('trip 6: where there are none, nothing is said', async () => {
    const one = scratch();
    project(one, { tasks: ['t1'] });
    hook(one, '.git/hooks', 'pre-commit.sample');
    const { stderr } = await ralph(one, ['run']);
    expect(stderr).not.toContain('hook');
  });
});
