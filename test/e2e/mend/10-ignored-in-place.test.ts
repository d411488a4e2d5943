import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { refsBelow } from '../harness/git.ts';
import { promptFor, promptProject, PROMISE, writeAgent } from '../harness/prompt-project.ts';
import { ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';

const CLEANS_SH = `git clean -fdxq\necho "made by $name" > "$name.txt"\n${PROMISE}`;
const OPEN = { isCheckoutGuarded: false };
const text = (one: Scratch, name: string): string | null =>
  existsSync(join(one.repo, name)) ? readFileSync(join(one.repo, name), 'utf8') : null;
const keeps = (one: Scratch): readonly string[] => refsBelow(one.git, 'refs/paralph/keep/');

function ignoring(one: Scratch, patterns: string, script = CLEANS_SH): void {
  promptProject(one, script);
  one.put('.gitignore', patterns);
  one.git('add', '-A');
  one.git('commit', '-q', '-m', 'Ignore some');
}

describe('ignored files of yours where an agent works in place', () => {
  it('mend 10: git clean -fdx by the agent: they are there again, as they were', async () => {
    const one = scratch();
    ignoring(one, '.env\n*.db\ndata/\nlink\n');
    one.put('.env', 'SECRET=1\n');
    chmodSync(join(one.repo, '.env'), 0o600);
    one.put('dev.db', Buffer.from([0, 1, 2, 255, 13, 10]));
    mkdirSync(join(one.repo, 'data/deep'), { recursive: true });
    one.put('data/deep/größe.csv', '1,2\n');
    symlinkSync('dev.db', join(one.repo, 'link'));
    const run = await ralph(one, ['run', promptFor('first')], OPEN);
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('1 landed')]);
    expect(run.stderr).toMatch(/ignored files that the agent removed are given back: .*\.env/);
    expect([text(one, '.env'), text(one, 'data/deep/größe.csv'), text(one, 'link')]).toEqual([
      'SECRET=1\n',
      '1,2\n',
      text(one, 'dev.db'),
    ]);
    expect(readFileSync(join(one.repo, 'dev.db'))).toEqual(Buffer.from([0, 1, 2, 255, 13, 10]));
    expect(statSync(join(one.repo, '.env')).mode & 0o777).toBe(0o600);
    // All of it is there again: nothing has to be held for it.
    expect(keeps(one)).toEqual([]);
    expect(one.git('ls-tree', '-r', '--name-only', 'main')).not.toMatch(/\.env|dev\.db|data/);
  });

  it('mend 10: what an agent changes stays changed, and how it was can be had', async () => {
    const one = scratch();
    ignoring(one, '.env\n', `echo MORE=1 >> .env\necho "made by $name" > "$name.txt"\n${PROMISE}`);
    one.put('.env', 'SECRET=1\n');
    const run = await ralph(one, ['run', promptFor('first')], OPEN);
    expect([run.code, text(one, '.env')]).toEqual([0, 'SECRET=1\nMORE=1\n']);
    const [, ref = ''] = /changed stay so \(as before: git show (\S+):FILE\): \.env/.exec(run.stderr) ?? [];
    expect(one.git('show', `${ref}:.env`), run.stderr).toBe('SECRET=1');
    const listed = await ralph(one, ['keep', 'list']);
    expect(listed.stdout).toContain('in-place');
  });

  it('mend 10: what is beyond a megabyte is named in one line, unless keep.ignored names it', async () => {
    const one = scratch();
    ignoring(one, '.env*\n*.db\nnode_modules/\n');
    one.put('package.json', '{}\n');
    one.git('add', '-A');
    one.git('commit', '-q', '-m', 'Make it with npm');
    const large = 'x'.repeat(2 * 1024 * 1024);
    for (const name of ['big.db', '.env.dump']) writeFileSync(join(one.repo, name), large);
    one.put('small.db', 'small');
    one.put('node_modules/some/index.js', 'made\n');
    const run = await ralph(one, ['run', promptFor('first')], OPEN);
    expect(run.code, run.stderr).toBe(0);
    const lines = run.stderr.split('\n').filter((line) => line.startsWith('not kept while the agent works here'));
    expect(lines).toEqual([expect.stringContaining(': big.db;')]);
    expect([text(one, '.env.dump') === large, text(one, 'small.db')]).toEqual([true, 'small']);
    expect([existsSync(join(one.repo, 'big.db')), existsSync(join(one.repo, 'node_modules'))]).toEqual([false, false]);
    const [line = ''] = /.*too large or too many to be kept are gone: big\.db.*/.exec(run.stderr) ?? [];
    expect(line).toMatch(/worktree\.keep names is made by tools, is not kept here, and is gone: node_modules\//);
  });

  it('mend 10: a name that git does not take stands in nobody’s way', async () => {
    const one = scratch();
    ignoring(one, '.env\nodd/\n', `rm .env\necho "made by $name" > "$name.txt"\n${PROMISE}`);
    one.put('.env', 'SECRET=1\n');
    one.put('odd/.GIT/x', 'odd\n');
    const run = await ralph(one, ['run', promptFor('first')], OPEN);
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('1 landed')]);
    expect([text(one, '.env'), text(one, 'odd/.GIT/x')]).toEqual(['SECRET=1\n', 'odd\n']);
  });

  it('mend 10: a host that dies over it: whoever goes on gives them back', async () => {
    const one = scratch();
    ignoring(one, '.env\n', 'git clean -fdxq -e books\necho half > "$name.txt"\nkill -9 $PPID; kill -9 $$');
    one.put('.env', 'SECRET=1\n');
    const failpoints = 'run.exit_seen=kill';
    await ralph(one, ['run', promptFor('first')], { ...OPEN, failpoints });
    expect(text(one, '.env')).toBeNull();
    writeAgent(one, `test "$(cat .env)" = SECRET=1\necho "made by $name" > "$name.txt"\n${PROMISE}`);
    const again = await ralph(one, ['run', '--continue'], OPEN);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('1 landed')]);
    expect([text(one, '.env'), keeps(one)]).toEqual(['SECRET=1\n', []]);
  });
});
