import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { gitIn, refsBelow } from '../harness/git.ts';
import { project } from '../harness/project.ts';
import type { RalphOptions, Result } from '../harness/ralph.ts';
import { beside, ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';

const warnings = ({ stderr }: Result): readonly string[] =>
  stderr.split('\n').filter((line) => /^warning: .*(?:origin|main)/.test(line));

it('S0.4 the remote that main follows is asked before a claim; main itself stays, and no remote ends a run', async () => {
  const one = scratch();
  project(one, { tasks: ['one'], config: { parallel: { merge_policy: 'auto_merge' } } });
  const origin = beside(one, 'origin.git');
  const run = (args: readonly string[], options: RalphOptions = {}): Promise<Result> =>
    ralph(one, ['run', ...args], { isCheckoutGuarded: false, ...options });
  const later = (): void => {
    const note = join(one.repo, '.git/paralph/fetched');
    writeFileSync(note, readFileSync(note, 'utf8').replace(/^\d+/, '1'));
  };
  one.git('init', '-q', '--bare', '-b', 'main', origin);
  one.git('remote', 'add', 'origin', origin);
  one.git('push', '-q', '-u', 'origin', 'main');
  one.git('clone', '-q', origin, beside(one, 'other'));
  const other = gitIn(beside(one, 'other'), one.env);
  const who = ['-c', 'user.name=O', '-c', 'user.email=o@example.com'];
  for (const message of ['One', 'Two']) other(...who, 'commit', '-q', '--allow-empty', '-m', message);
  other('push', '-q', 'origin', 'main');
  const main = one.git('rev-parse', 'main');

  const behind = await run(['--parallel']);
  expect(behind.code, behind.stderr).toBe(0);
  expect(warnings(behind)).toEqual([
    `warning: main is 2 commits behind origin/main. Work begins from main as it is here; to take them in: git -C ${one.repo} pull --ff-only`,
  ]);
  expect(behind.stderr.indexOf('behind origin/main')).toBeLessThan(behind.stderr.indexOf('one'));
  expect(one.git('rev-parse', 'origin/main')).toBe(other('rev-parse', 'main'));
  expect(one.git('merge-base', 'main', 'origin/main'), 'what landed was made on main as it was').toBe(main);
  expect(refsBelow(one.git, 'refs/remotes/')).toEqual(['refs/remotes/origin/main']);

  const parted = await run(['--worktree', 'do more']);
  expect([parted.code, warnings(parted)]).toEqual([
    0,
    [
      expect.stringMatching(
        /main and origin\/main have diverged: \d+ commits only here, 2 commits only there.* merge origin\/main$/,
      ),
    ],
  ]);
  one.git(...who, 'merge', '-q', '-m', 'Together', 'origin/main');

  later();
  const script = beside(one, 'ssh.sh');
  writeFileSync(script, 'exec sleep 600\n');
  one.git('remote', 'set-url', 'origin', 'ssh://nowhere.invalid/x');
  const silent = await run([], { env: { GIT_SSH_COMMAND: `sh ${script}`, GIT_SSH_VARIANT: 'simple' } });
  expect([silent.code, warnings(silent)]).toEqual([
    0,
    ['warning: origin could not be asked for main, continuing with what is here: no answer within 5 s'],
  ]);

  one.git('remote', 'set-url', 'origin', origin);
  rmSync(origin, { recursive: true });
  const gone = await run([]);
  expect([gone.code, warnings(gone)]).toEqual([0, [expect.stringMatching(/could not be asked for main.*origin\.git/)]]);
  for (const flags of [['--no-fetch'], ['--set', 'landing.fetch=false']]) {
    const told = await run(flags);
    expect([told.code, warnings(told)]).toEqual([0, []]);
  }
});
