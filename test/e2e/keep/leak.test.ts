import { execFileSync } from 'node:child_process';

import { describe, expect, it } from 'vitest';

import { gitSays, refsBelow } from '../harness/git.ts';
import { ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { shellProject } from '../harness/shell-agent.ts';

const NAME = "it's quiet.txt";

describe('a keep of files that an agent wrote outside its worktree', () => {
  it('is shown file by file with the command that gets one back, and is no branch to switch to', async () => {
    const one = scratch();
    const script = `main=$(dirname "$(git rev-parse --git-common-dir)"); echo quiet > "$main/${NAME}"; echo x > x.txt`;
    shellProject(one, `${script}; echo '<promise>COMPLETE</promise>'`, { tasks: ['leak'] });
    expect((await ralph(one, ['run', '--parallel'])).code).not.toBe(0);
    const [ref = ''] = refsBelow(one.git, 'refs/paralph/keep/').filter((name) =>
      gitSays(one.git, 'cat-file', '-e', `${name}:checkout/${NAME}`),
    );
    const shown = await ralph(one, ['keep', 'show', ref]);
    expect(shown.stdout).toMatch(/^files +1 file outside its worktree$/m);
    expect(shown.stdout).toContain(`checkout/${NAME}`);
    expect(shown.stdout).not.toContain('not on main');
    const [, command = ''] = /^to restore one: (git show .*)$/m.exec(shown.stderr) ?? [];
    expect(execFileSync('sh', ['-c', command], { cwd: one.repo, env: one.env, encoding: 'utf8' })).toBe('quiet\n');
    expect((await ralph(one, ['keep', 'show', ref, '--patch'])).stdout).toContain('+quiet');

    const before = one.git('for-each-ref');
    for (const more of [[], ['--branch', 'mine'], ['--worktree', '../mine']]) {
      const refused = await ralph(one, ['keep', 'restore', ref, ...more]);
      expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining(`fix: ${command}`)]);
    }
    expect(one.git('for-each-ref')).toBe(before);
  });
});
