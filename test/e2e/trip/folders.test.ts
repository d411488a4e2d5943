import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { landedTasks } from '../harness/git.ts';
import { markdownTasks, project } from '../harness/project.ts';
import { foldersOf, promptFor, promptProject, writeAgent } from '../harness/prompt-project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';

describe('the folder one stands in', () => {
  it('trip 4: a task file is named from there, and one that is not there from the top', async () => {
    const one = scratch();
    project(one, { tasks: { 'PRD.md': markdownTasks(['top']), 'sub/PRD.md': markdownTasks(['below']) } });
    const cwd = join(one.repo, 'sub');
    const namesOf = async (file: string, from = cwd): Promise<readonly string[]> => {
      const { code, stdout, stderr } = await ralph(one, ['tasks', 'list', '--json', '--tasks', file], { cwd: from });
      expect(code, stderr).toBe(0);
      return (JSON.parse(stdout) as { tasks: { id: string }[] }).tasks.map(({ id }) => id);
    };
    expect(await namesOf('./PRD.md')).toEqual(['below']);
    expect(await namesOf('PRD.md')).toEqual(['below']);
    expect(await namesOf('../PRD.md')).toEqual(['top']);
    expect(await namesOf('sub/PRD.md'), 'from the top').toEqual(['below']);
    expect(await namesOf('./sub/PRD.md', one.repo)).toEqual(['below']);
    const missing = await ralph(one, ['status', '--tasks', './sub/PRD.md'], { cwd });
    expect([missing.code, missing.stderr]).toEqual([3, expect.stringContaining('sub/sub/PRD.md: no such file')]);
    const run = await ralph(one, ['run', '--tasks', './PRD.md'], { cwd });
    expect(run.code, run.stderr).toBe(0);
    expect(landedTasks(one.git, 'main')).toEqual(['below']);
    expect(`${one.git('show', 'main:sub/PRD.md')}\n`).toBe(markdownTasks(['below']).replace('[ ]', '[x]'));
  });

  it('trip 4: a loop for a prompt starts there, in place and in a worktree of its own', async () => {
    const one = scratch();
    one.put('sub/deep/notes.txt', 'notes\n');
    promptProject(one);
    const cwd = join(one.repo, 'sub/deep');
    const here = await ralph(one, ['run', promptFor('here')], { cwd });
    expect(here.code, here.stderr).toBe(0);
    expect(foldersOf(one, 'here')).toEqual([cwd]);
    expect(one.git('ls-tree', '-r', '--name-only', 'main')).toContain('sub/deep/here.txt');
    const apart = await ralph(one, ['run', '--worktree', promptFor('apart')], { cwd });
    expect(apart.code, apart.stderr).toBe(0);
    expect(foldersOf(one, 'apart')).toEqual([expect.stringMatching(/\/\.ralph\/worktrees\/[^/]+\/sub\/deep$/)]);
    expect(one.git('ls-tree', '-r', '--name-only', 'main')).toContain('sub/deep/apart.txt');
  });

  it('trip 4: a loop for a prompt goes on where it started, and in a folder that git does not have', async () => {
    const one = scratch();
    promptProject(one, 'exit 1', { limits: { consecutive_failures: 1 } });
    const cwd = join(one.repo, 'new');
    mkdirSync(cwd);
    expect((await ralph(one, ['run', '--worktree', promptFor('it')], { cwd })).code).toBe(1);
    writeAgent(one, 'echo made > it.txt; echo "<promise>COMPLETE</promise>"');
    const again = await ralph(one, ['run', '--continue']);
    expect(again.code, again.stderr).toBe(0);
    const [first, second] = foldersOf(one, 'it');
    expect(first).toMatch(/\/\.ralph\/worktrees\/[^/]+\/new$/);
    expect(second).toBe(first);
    expect(one.git('ls-tree', '-r', '--name-only', 'main')).toContain('new/it.txt');
  });

  it('trip 4: an agent whose program is in the repository is found from the top', async () => {
    const one = scratch();
    promptProject(one, undefined, {}, { command: ['tools/agent.sh'] });
    one.put('tools/agent.sh', `#!/bin/sh\nexec sh '${beside(one, 'agent.sh')}'\n`);
    one.put('sub/notes.txt', 'notes\n');
    one.git('add', '-A');
    one.git('update-index', '--chmod=+x', 'tools/agent.sh');
    one.git('commit', '-q', '-m', 'Bring our own agent');
    one.git('checkout', '-q', '-f', 'main');
    const { code, stderr } = await ralph(one, ['run', '--worktree', promptFor('it')], { cwd: join(one.repo, 'sub') });
    expect(code, stderr).toBe(0);
    expect(foldersOf(one, 'it')).toEqual([expect.stringMatching(/\/sub$/)]);
  });

  it('trip 4: a ralph.toml there that is not the one that counts is refused, and that one is named', async () => {
    const one = scratch();
    project(one, { tasks: ['t1'], files: { 'sub/ralph.toml': '[limits]\niterations = 1\n' } });
    const cwd = join(one.repo, 'sub');
    for (const words of [
      ['run'],
      ['run', '--dry-run'],
      ['status'],
      ['config', 'check'],
      ['config', 'list'],
      ['doctor'],
    ]) {
      const { code, stderr } = await ralph(one, words, { cwd });
      expect({ words, code }).toEqual({ words, code: 3 });
      expect(stderr).toMatch(/^error\[E_CONFIG\]: sub\/ralph\.toml /);
      expect(stderr).toContain(join(one.repo, 'ralph.toml'));
      expect(stderr).toContain(`fix: ralph -C ${one.repo} ${words[0]}`);
    }
    expect((await ralph(one, ['-C', one.repo, 'run', '--dry-run'], { cwd })).code).toBe(0);
    one.git('rm', '-q', 'ralph.toml');
    one.git('commit', '-q', '-m', 'Start over');
    const none = await ralph(one, ['status'], { cwd });
    expect([none.code, none.stderr]).toEqual([3, expect.stringContaining('fix: mv ')]);
  });
});
