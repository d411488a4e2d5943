import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { refsBelow } from '../harness/git.ts';
import { markdownTasks, project, starts } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';

const RUN = ['run', '--parallel'];

describe('what must be there before anything starts', () => {
  it('no identity: exit 4 with the commands that set one', async () => {
    const one = scratch();
    project(one, { tasks: ['a'] });
    one.git('config', '--unset', 'user.name');
    one.git('config', '--unset', 'user.email');
    const { code, stdout, stderr } = await ralph(one, RUN);
    expect(code).toBe(4);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/git config.*user\.(name|email)/);
    expect(starts(one)).toEqual([]);
    expect(refsBelow(one.git, 'refs/heads/ralph/')).toEqual([]);
  });

  it('case 28: a repository without commits: exit 4 and what to do', async () => {
    const one = scratch({ hasCommit: false });
    one.put('PRD.md', markdownTasks(['a']));
    const { code, stderr } = await ralph(one, RUN);
    expect(code).toBe(4);
    expect(stderr).toMatch(/commit/i);
    expect(stderr).not.toMatch(/at .*\.js:\d+/);
  });

  it('no repository: every command that needs one exits 4', async () => {
    const one = scratch({ hasRepository: false });
    one.put('PRD.md', markdownTasks(['a']));
    for (const args of [['run'], ['status'], ['tasks', 'list'], ['parallel', 'list'], ['land', '--all']]) {
      const { code, stderr } = await ralph(one, args);
      expect([args, code]).toEqual([args, 4]);
      expect(stderr).toMatch(/git init|repository/i);
    }
  });

  it('merge_policy pr without a forge is refused with the command that helps, before anything starts', async () => {
    const one = scratch();
    project(one, { tasks: ['a'], config: { parallel: { merge_policy: 'pr' } } });
    for (const args of [RUN, ['run', '--parallel', '--merge-policy', 'pr']]) {
      const { code, stderr } = await ralph(one, args);
      expect(code).toBe(4);
      expect(stderr).toContain('there is no remote origin, so pull requests have nowhere to go');
      expect(stderr).toContain('git remote add origin');
    }
    expect(starts(one)).toEqual([]);
  });

  it('an agent nobody defined: exit 3, its name and those there are', async () => {
    const one = scratch();
    project(one, { tasks: ['a'] });
    const { code, stderr } = await ralph(one, [...RUN, '--agent', 'scriptd']);
    expect(code).toBe(3);
    expect(stderr).toContain('scriptd');
    expect(stderr).toContain('scripted');
  });

  it('case 43: an agent that is not installed: exit 4, nothing started', async () => {
    const one = scratch();
    project(one, { tasks: ['a'] });
    one.put('ralph.toml', 'agent = "ghost"\n[agents.ghost]\ncommand = ["no-such-program-anywhere", "-p"]\n');
    const { code, stderr } = await ralph(one, RUN);
    expect(code).toBe(4);
    expect(stderr).toContain('no-such-program-anywhere');
    expect(refsBelow(one.git, 'refs/heads/ralph/')).toEqual([]);
  });

  it('a target that is not there: exit 4', async () => {
    const one = scratch();
    project(one, { tasks: ['a'] });
    const { code, stderr } = await ralph(one, [...RUN, '--target', 'nowhere']);
    expect([3, 4]).toContain(code);
    expect(stderr).toContain('nowhere');
    expect(starts(one)).toEqual([]);
  });

  it('case 24: GIT_* of the caller does not lead it astray; from a subfolder, with the identity the user has everywhere', async () => {
    const one = scratch();
    project(one, { tasks: ['a', 'b'], files: { 'deep/x.txt': 'x' } });
    one.git('config', '--unset', 'user.name');
    one.git('config', '--unset', 'user.email');
    writeFileSync(join(one.home, '.gitconfig'), '[user]\n\tname = Global Gus\n\temail = gus@example.com\n');
    const env = { GIT_DIR: '/nowhere', GIT_WORK_TREE: '/nowhere', GIT_INDEX_FILE: '/nowhere/index' };
    expect((await ralph(one, RUN, { env, cwd: join(one.repo, 'deep') })).code).toBe(0);
    expect(one.git('show', 'main:a.txt')).toBe('made by a');
    expect(one.git('log', '-1', '--format=%an %cn', 'main')).toBe('Global Gus Global Gus');
  });
});
