import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';

import { describe, expect, it, onTestFinished } from 'vitest';

import { itNeeds } from '../../needs.ts';
import { bundle } from '../harness/bundle.ts';
import { project } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { hasTmux, tmuxEnv } from '../harness/terminal.ts';
import { until } from '../harness/until.ts';

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

/** Two tasks of which one was parked, so that there are ids of both kinds. */
async function lived(): Promise<Scratch> {
  const one = scratch();
  project(one, {
    tasks: ['login-form', 'logout'],
    byTask: { logout: [{ exit: 3 }] },
    config: { limits: { consecutive_failures: 1 } },
  });
  await ralph(one, ['run', '--parallel']);
  const bin = beside(one, 'ralph');
  writeFileSync(bin, `#!/bin/sh\nexec '${process.execPath}' '${bundle().main}' "$@"\n`);
  chmodSync(bin, 0o755);
  return one;
}

const words = async (one: Scratch, ...typed: readonly string[]): Promise<readonly string[]> =>
  (await ralph(one, ['completion', 'words', '--', ...typed])).stdout
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [line.split('\t')[0] ?? '']));

describe('ralph completion', () => {
  it('A18.9 knows commands, flags, values and ids, and nothing that a shell would run', async () => {
    const one = await lived();
    expect((await words(one, 'sta')).toSorted()).toEqual(['start', 'status']);
    expect((await words(one, 'loops', 'di')).toSorted()).toEqual(['diff', 'discard']);
    expect(await words(one, 'report', '--h')).toEqual(['--html', '--help']);
    expect(await words(one, 'run', '--merge-policy', '')).toContain('auto_merge');
    const [task, loop = '', ...more] = await words(one, 'why', 'logo');
    expect([task, more]).toEqual(['logout', []]);
    expect(loop).toMatch(/^logout-/);
    expect(await words(one, 'run', '--task', 'login')).toContain('login-form');
    expect(await words(scratch(), 'why', '')).toEqual([]);
    const none = await ralph(one, ['completion', 'tcsh']);
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('known: bash, zsh, fish');
  });

  it('A18.5 hostile ids and titles are not offered, or inert', async () => {
    const one = scratch();
    const evil = '$(touch pwned)\u001b]52;c;cm0=\u0007\u202e';
    const id = 'a;$(touch pwned)`x`';
    project(one, {
      tasks: {
        'prd.json': JSON.stringify({
          stories: [
            { id, title: 'x' },
            { id: 'fine', title: evil },
          ],
        }),
      },
    });
    const { stdout } = await ralph(one, ['completion', 'words', '--', 'why', '']);
    expect(stdout).toMatch(/^fine\topen: \$\(touch pwned\)[^\p{Cc}\p{Cf}]*\n$/u);
  });

  for (const [shell, start, setUp] of [
    ['bash', 'bash --noprofile --norc -i', 'eval "$(ralph completion bash)"'],
    ['zsh', 'zsh -f -i', 'autoload -Uz compinit; compinit -u; eval "$(ralph completion zsh)"'],
    ['fish', 'fish --no-config -i', 'ralph completion fish | source'],
  ] as const)
    itNeeds(`${shell} and tmux`, has(shell) && hasTmux)(`A18.9 ${shell} completes in a terminal`, () =>
      inShell(shell, start, setUp),
    );
});

/** Types what a person types, and Tab. */
async function inShell(shell: string, start: string, setUp: string): Promise<void> {
  const one = await lived();
  const name = `completes-${shell}`;
  const env = {
    ...one.env,
    ...tmuxEnv(one),
    TERM: 'xterm-256color',
    PATH: `${one.root}:${one.env['PATH'] ?? ''}`,
    PS1: '$ ',
  };
  const tmux = (...args: string[]): string =>
    spawnSync('tmux', ['-L', name, '-f', '/dev/null', ...args], { env, cwd: one.repo, encoding: 'utf8' }).stdout;
  onTestFinished(() => void tmux('kill-server'));
  tmux('new-session', '-d', '-x', '120', '-y', '40', '-s', 't', start);
  const type = (text: string): string => tmux('send-keys', '-t', 't', '-l', text);
  const screen = (): string => tmux('capture-pane', '-p', '-t', 't');
  const shows = (pattern: RegExp): Promise<unknown> =>
    until(`${pattern} in ${shell}`, () => pattern.exec(screen())).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${screen()}`);
    });
  const line = async (text: string, pattern: RegExp): Promise<void> => {
    tmux('send-keys', '-t', 't', 'C-u');
    type(text);
    tmux('send-keys', '-t', 't', 'Tab');
    await shows(pattern);
  };
  type(`cd '${one.repo}'; ${setUp}; echo set-"up"\n`);
  await shows(/^set-up/m);
  await line('ralph repo', /ralph report$/m);
  await line('ralph report --ht', /ralph report --html$/m);
  await line('ralph why login', /ralph why login-form/);
  await line('ralph queue pau', /ralph queue pause$/m);
}

describe('ralph by itself', () => {
  it('tells where things stand and the next step; elsewhere it is ten lines', async () => {
    const one = await lived();
    const here = await ralph(one, []);
    expect(here.code).toBe(0);
    expect(here.stdout).toMatch(/PRD\.md: 2 tasks/);
    expect(here.stdout).toMatch(/\nnext: ralph loops resume logout-\w+ {3}\(logout: /);
    expect((await ralph(one, ['-C', one.repo], { cwd: one.root })).stdout).toContain('PRD.md: 2 tasks');
    const elsewhere = await ralph(one, [], { cwd: one.root });
    expect(elsewhere.code).toBe(0);
    expect(elsewhere.stdout.trimEnd().split('\n')).toHaveLength(9);
    expect((await ralph(one, ['-h'])).stdout).toBe(elsewhere.stdout);
  });

  it('-h is short and --help begins with examples', async () => {
    const one = scratch();
    const short = (await ralph(one, ['run', '-h'])).stdout;
    const long = (await ralph(one, ['run', '--help'])).stdout;
    expect(short).toMatch(/^ralph run \[prompt\.\.\.\] \[flags\] {3}Work on one prompt/);
    expect(short.split('\n').length).toBeLessThan(20);
    expect(long).toMatch(/^Examples:\n {2}ralph run /);
    expect(long.split('\n').length).toBeGreaterThan(2 * short.split('\n').length);
    expect((await ralph(one, ['queue', '-h'])).stdout).toMatch(/ralph queue pause {2,}Stop landing/);
    expect((await ralph(one, ['statsu', '-h'])).stderr).toContain('did you mean status');
  });

  it('guesses which id was meant, and names what it is made with', async () => {
    const one = await lived();
    const { stderr, code } = await ralph(one, ['why', 'logotu']);
    expect(code).toBe(2);
    expect(stderr).toContain('no task or loop is called "logotu"; did you mean logout?');
    expect((await ralph(one, ['loops', 'diff', 'lgoout'])).stderr).toContain('did you mean logout?');
    const version = JSON.parse((await ralph(one, ['version', '--json'])).stdout) as Record<string, unknown>;
    expect(version).toMatchObject({
      version: 1,
      node: process.versions.node,
      git: expect.stringMatching(/^2\./) as unknown,
    });
    expect((await ralph(one, ['version'])).stdout.trim()).toBe(version['paralph']);
  });
});

describe('A18.9 a terminal of 100 columns', () => {
  it('wraps no table of any command', async () => {
    const one = scratch();
    const long = 'a-task-with-a-name-that-is-long-enough-for-any-table';
    project(one, {
      tasks: [long, `${long}-too`, 'short'],
      agent: [{ exit: 3 }],
      byTask: { short: [{ write: { path: 'a', text: 'a' } }, { claim: true }] },
      config: { limits: { consecutive_failures: 1 }, parallel: { merge_policy: 'manual' } },
    });
    await ralph(one, ['run', '--parallel']);
    await ralph(one, ['loops', 'discard', 'short', '-y']);
    for (const words of [
      'status',
      'status --parallel',
      'loops',
      'tasks list',
      'queue',
      'cost',
      'agents list',
      'keep list',
    ])
      for (const line of (await ralph(one, words.split(' '), { env: { COLUMNS: '100' } })).stdout.split('\n'))
        expect(line.length, `${words}: ${line}`).toBeLessThanOrEqual(100);
  });
});
