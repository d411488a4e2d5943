import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { itAllowed, itNeeds } from '../../needs.ts';
import { HONEST, project, starts } from '../harness/project.ts';
import type { Result } from '../harness/ralph.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const works = (...argv: readonly [string, ...string[]]): boolean => spawnSync(argv[0], argv.slice(1)).status === 0;
const itLimits = itNeeds('prlimit', works('prlimit', '--version'));
const itTraces = itNeeds(
  'strace',
  works('strace', '-f', '-qq', '-o', '/dev/null', '-e', 'inject=linkat:error=EPERM', 'true'),
);
const itOwnUser = itAllowed('the right to become another user', works('setpriv', '--reuid=61234', 'true'));
const itNamespace = itAllowed('the right to mount', works('unshare', '-m', 'true'));

/** Agents that wait for a word, so that a want can begin while they work. */
function waiting(one: Scratch): void {
  const agent = [...HONEST.slice(0, 1), { waitForFile: { path: beside(one, 'go') } }, ...HONEST.slice(1)];
  project(one, { tasks: ['a', 'b'], agent, config: { gates: { commands: ['true'] } } });
}

/** Set by the same user: another one may not. */
function limit(pid: number, what: string, to: string, prefix: readonly string[]): void {
  const [program, ...argv] = [...prefix, 'prlimit', `--${what}=${to}`, '--pid', String(pid)];
  execFileSync(program, argv);
}

/** The limit falls while agents work and rises again: nobody is to blame, and all lands. */
async function wants(one: Scratch, what: 'nproc' | 'nofile', words: RegExp, prefix: readonly string[]): Promise<void> {
  const run = startRalph(one, ['run', '--parallel', '--events'], { prefix });
  await until('both agents', () => starts(one).length === 2);
  // The soft limit alone, so that it may rise again.
  limit(run.pid, what, what === 'nproc' ? '1:' : '12:', prefix);
  writeFileSync(beside(one, 'go'), '');
  const [said] = await run.waitFor(words);
  expect(said).toMatch(/^warning: .*nothing is lost. The run continues by itself/i);
  limit(run.pid, what, '4096:', prefix);
  const { code, stderr } = await run.ended;
  expect(code, stderr).toBe(0);
  expect(stderr.match(new RegExp(words, 'gi'))).toHaveLength(1);
  expect(stderr).toMatch(/continuing/);
  const told = run.events().map(({ type }) => type);
  expect(told.filter((type) => type === 'command-failed' || type === 'loop-parked')).toEqual([]);
  for (const task of ['a', 'b']) expect(one.git('show', `main:${task}.txt`)).toBe(`made by ${task}`);
}

describe('want of what the system gives', () => {
  itOwnUser('trip 15: of processes (EAGAIN) waits, says so once, and goes on', async () => {
    const one = scratch();
    waiting(one);
    const user = 61_000 + (process.pid % 1000);
    one.git('config', '--global', '--add', 'safe.directory', '*');
    execFileSync('chown', ['-R', String(user), one.root]);
    const prefix = ['setpriv', `--reuid=${user}`, '--clear-groups'];
    await wants(one, 'nproc', /warning: .*(too many processes|cannot fork|temporarily unavailable).*/i, prefix);
  });

  itLimits('trip 15: of descriptors (EMFILE) waits, says so once, and goes on', async () => {
    const one = scratch();
    waiting(one);
    await wants(one, 'nofile', /warning: .*too many open files.*/i, []);
  });
});

/** One sentence with its code, and not a word about a bug. */
function refused({ code, stdout, stderr }: Result, exit: number, sentence: RegExp): void {
  expect(code, stdout + stderr).toBe(exit);
  const [first = '', ...rest] = stderr.trimEnd().split('\n');
  expect(first).toMatch(sentence);
  for (const line of rest) expect(line).toMatch(/^( {2}|fix: )/);
}

const doctorSays = async (one: Scratch, prefix: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await ralph(one, ['doctor'], { prefix });
  expect([code, stderr]).toEqual([4, '']);
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('FAIL'))
    .join('\n');
};

const COMMANDS = [['run'], ['run', '--worktree', 'make something'], ['land', '--all']] as const;

describe('a place that cannot be worked in', () => {
  itLimits('trip 15: with ulimit -n 40', async () => {
    const one = scratch();
    project(one, { tasks: ['a'] });
    const prefix = ['prlimit', '--nofile=40'];
    for (const words of COMMANDS)
      refused(
        await ralph(one, words, { prefix }),
        4,
        /^error\[E_PROCESS\]: only 40 files may be open at once, and .* needs \d+$/,
      );
    expect(await doctorSays(one, prefix)).toMatch(/^FAIL {2}files: only 40 files may be open at once/);
    for (const few of ['20', '24', '28', '32']) {
      const { code, stderr } = await ralph(one, ['run'], { prefix: ['prlimit', `--nofile=${few}`] });
      expect([code, stderr], few).toEqual([4, expect.stringMatching(/^error\[E_PROCESS\]: .*(too many open|only \d)/)]);
    }
    expect(existsSync(join(one.repo, '.git/paralph'))).toBe(false);
    expect((await ralph(one, ['run'])).code).toBe(0);
  });

  itTraces('trip 15: without hard links', async () => {
    const one = scratch();
    project(one, { tasks: ['a'] });
    const prefix = ['strace', '-f', '-qq', '-o', '/dev/null', '-e', 'trace=link,linkat'];
    prefix.push('-e', 'inject=link,linkat:error=EPERM');
    for (const words of COMMANDS)
      refused(
        await ralph(one, words, { prefix }),
        4,
        /^error\[E_STATE_UNWRITABLE\]: \S+\.git is on a file system without hard links, .*$/,
      );
    expect(await doctorSays(one, prefix)).toMatch(/^FAIL {2}links: .*without hard links/);
  });

  itNamespace('trip 15: with a read-only .git', async () => {
    const one = scratch();
    project(one, { tasks: ['a'] });
    const mount = 'mount --bind .git .git && mount -o remount,ro,bind .git && exec "$@"';
    const prefix = ['unshare', '-m', 'sh', '-c', mount, 'sh'];
    for (const words of COMMANDS)
      refused(
        await ralph(one, words, { prefix }),
        4,
        /^error\[E_STATE_UNWRITABLE\]: \S+\.git cannot be written: the file system is read-only$/,
      );
    expect(await doctorSays(one, prefix)).toMatch(/^FAIL {2}writes: .*\.git cannot be written/m);
    expect((await ralph(one, ['status'], { prefix })).code).toBe(0);
  });

  it.each(['.', './', 'src/..', '.git', '.git/worktrees', 'ITSELF'])(
    'trip 15: with worktree_root = %j',
    async (root) => {
      const one = scratch();
      const written = root === 'ITSELF' ? one.repo : root;
      project(one, { tasks: ['a'], config: { parallel: { worktree_root: written } } });
      const sentence = /ralph\.toml:\d+:\d+ `parallel\.worktree_root` .*must be a folder of its own/;
      for (const words of [...COMMANDS, ['config', 'check']]) {
        const { code, stdout, stderr } = await ralph(one, words);
        expect([code, stdout + stderr]).toEqual([3, expect.stringMatching(sentence)]);
      }
      expect(await doctorSays(one, [])).toMatch(sentence);
      expect(one.git('worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
    },
  );
});
