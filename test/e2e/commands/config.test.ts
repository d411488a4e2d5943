import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { planOf } from '../harness/answers.ts';
import { project, starts, toml } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';

const KEY = 'parallel.max_workers';

function withTasks(): Scratch {
  const one = scratch();
  project(one, { tasks: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] });
  return one;
}

function userFile(one: Scratch, text: string): void {
  for (const name of ['ralph/ralph.toml', 'ralph/config.toml', 'paralph/ralph.toml', 'paralph/config.toml']) {
    const path = join(one.home, '.config', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

async function get(one: Scratch, key: string, env: Record<string, string> = {}): Promise<string> {
  const { code, stdout } = await ralph(one, ['config', 'get', key], { env });
  expect(code).toBe(0);
  return stdout.trim();
}

describe('config: what holds', () => {
  it('precedence: flag > RALPH_* > ralph.local.toml > repository > user > default', async () => {
    const one = withTasks();
    expect(await get(one, KEY)).toBe('3');
    userFile(one, toml({ parallel: { max_workers: 2 } }));
    expect(await get(one, KEY)).toBe('2');
    const repo = readFileSync(join(one.repo, 'ralph.toml'), 'utf8');
    one.put('ralph.toml', repo.replace('[parallel]', '[parallel]\nmax_workers = 4'));
    expect(await get(one, KEY)).toBe('4');
    one.put('ralph.local.toml', toml({ parallel: { max_workers: 5 } }));
    expect(await get(one, KEY)).toBe('5');
    const env = { RALPH_PARALLEL_MAX_WORKERS: '6' };
    expect(await get(one, KEY, env)).toBe('6');
    const dry = async (...more: string[]): Promise<number> =>
      planOf((await ralph(one, ['run', '--parallel', '--dry-run', '--json', ...more], { env })).stdout).start.length;
    expect(await dry()).toBe(6);
    expect(await dry('--max-workers', '7')).toBe(7);
    expect(await dry('--set', 'parallel.max_workers=1')).toBe(1);
  });

  it('.ralph/ralph.toml works as the repository file', async () => {
    const one = withTasks();
    one.put(
      '.ralph/ralph.toml',
      readFileSync(join(one.repo, 'ralph.toml'), 'utf8').replace('[parallel]', '[parallel]\nmax_workers = 2'),
    );
    one.git('rm', '-q', '-f', 'ralph.toml');
    expect(await get(one, KEY)).toBe('2');
  });

  it('list --show-origin names file and line, variable and default', async () => {
    const one = withTasks();
    const env = { RALPH_LANDING_PUBLISH: 'manual' };
    const { code, stdout } = await ralph(one, ['config', 'list', '--show-origin'], { env });
    expect(code).toBe(0);
    const lineOf = (key: string): string => stdout.split('\n').find((line) => line.includes(key)) ?? '';
    expect(lineOf('parallel.merge_policy')).toMatch(/ralph\.toml:\d+/);
    expect(lineOf('landing.publish')).toContain('RALPH_LANDING_PUBLISH');
    expect(lineOf('parallel.strategy')).toContain('default');
  });

  it('the tables of the source document are accepted word for word', async () => {
    const one = withTasks();
    one.put(
      'ralph.toml',
      `[parallel]
enabled = false              # opt-in
max_workers = 3              # concurrent agents
worktree_root = ".ralph/worktrees"
strategy = "queue"           # queue|group
merge_policy = "manual"      # manual|auto_merge|pr

[parallel.conflict_resolution]
strategy = "stop"            # stop|ai_resolve
ai_agent = "claude"          # agent to use for AI resolution
`,
    );
    expect((await ralph(one, ['config', 'check'])).code).toBe(0);
  });

  it('worktree_root and completion_promise are followed', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a'],
      agent: [{ write: { path: 'a.txt', text: 'a' } }, { claim: 'SHIPPED' }],
      config: { completion_promise: 'SHIPPED', parallel: { worktree_root: '.ralph/trees' } },
    });
    expect((await ralph(one, ['run', '--parallel'])).code).toBe(0);
    expect(starts(one)[0]?.cwd).toContain('/.ralph/trees/');
  });
});

describe('config: set and check', () => {
  it('set changes one value and keeps comments, order and spacing', async () => {
    const one = withTasks();
    const before =
      '# mine\nagent   = "scripted"  # why not\n\n[parallel]\nmax_workers = 3 # three\nstrategy = "queue"\n';
    one.put('ralph.toml', before);
    expect((await ralph(one, ['config', 'set', KEY, '5'])).code).toBe(0);
    expect(readFileSync(join(one.repo, 'ralph.toml'), 'utf8')).toBe(before.replace('= 3', '= 5'));
    expect(await get(one, KEY)).toBe('5');
    expect((await ralph(one, ['config', 'set', 'landing.publish', 'manual'])).code).toBe(0);
    expect(await get(one, 'landing.publish')).toBe('manual');
    expect(readFileSync(join(one.repo, 'ralph.toml'), 'utf8')).toContain('# three');
  });

  it('set, get and list know the names and paths a user chose', async () => {
    const one = withTasks();
    const file = 'landing.merge.regenerate.web/package-lock.json';
    expect((await ralph(one, ['config', 'set', file, 'npm install'])).code).toBe(0);
    expect((await ralph(one, ['config', 'set', 'gates.resources.db', '2'])).code).toBe(0);
    expect((await ralph(one, ['config', 'set', 'landing.gate_slots', '8'])).code).toBe(0);
    expect(await get(one, file)).toBe('npm install');
    expect(await get(one, 'landing.merge.regenerate."web/package-lock.json"')).toBe('npm install');
    expect(await get(one, 'gates.resources.db')).toBe('2');
    expect(await get(one, 'landing.gate_slots')).toBe('8');
    const { stdout } = await ralph(one, ['config', 'list']);
    expect(stdout).toContain('landing.merge.regenerate."web/package-lock.json" = "npm install"');
    expect(stdout).toContain('parallel.conflict_resolution.strategy = "requeue"');
    expect((await ralph(one, ['config', 'check'])).code).toBe(0);
  });

  it('set refuses what check would refuse, and leaves the file; a key that is none is named with what was meant', async () => {
    const one = withTasks();
    const before = readFileSync(join(one.repo, 'ralph.toml'), 'utf8');
    for (const [key, value] of [
      [KEY, '-1'],
      ['parallel.max_worker', '3'],
      ['landing.message', 'Land {{titel}}'],
      ['landing.merge.regenerate.../go.sum', 'true'],
    ] as const) {
      const { code, stderr } = await ralph(one, ['config', 'set', '--', key, value]);
      expect([2, 3]).toContain(code);
      expect(stderr).toContain(key);
    }
    expect(readFileSync(join(one.repo, 'ralph.toml'), 'utf8')).toBe(before);
    const unknown = await ralph(one, ['config', 'get', 'parallel.max_worker']);
    expect([2, 3]).toContain(unknown.code);
    expect(unknown.stderr).toContain('max_workers');
  });
});

/** Wrong in many ways at once; what is wrong with single values is in src/text/config. */
const WRONG = `[parallel]
max_worker = 3
max_workers = "three"
__proto__ = 1
[paralel]
enabled = true
[landing]
publish = "sometimes"
message = "{{titel}}"
[limits]
runtime = "soon"
[agents.x]
command = "rm -rf"
[landing.merge.regenerate]
"../x" = "y"
`;
const UNMATCHED = `[gates]
commands = ["make test"]
resources.db = 1
uses.db = ["make tets"]
uses.port = ["make test"]
`;

describe('A10 case 83: a wrong config is an error, never a silent default', () => {
  it('case 83 every fault of a file is told at once with its place, by check and before a run', async () => {
    const one = withTasks();
    for (const [text, ...messages] of [
      [
        WRONG,
        /ralph\.toml:2\b.*max_worker\b.*max_workers/i,
        /ralph\.toml:3\b/,
        /ralph\.toml:4\b/,
        /ralph\.toml:5\b.*paralel.*parallel/i,
        /ralph\.toml:8\b.*end/,
        /ralph\.toml:9:11\b.*\{\{title\}\}/,
        /ralph\.toml:11\b/,
        /ralph\.toml:13\b/,
        /ralph\.toml:15:1\b.*inside the repository/,
      ],
      [UNMATCHED, /ralph\.toml:4:12\b.*did you mean "make test"/, /ralph\.toml:5:1\b.*port = 1/],
      ['[parallel]\nmax_workers = -1\n', /ralph\.toml:2\b/],
      ['[parallel\nenabled = true\n', /ralph\.toml:1\b/],
    ] as const) {
      one.put('ralph.toml', text);
      for (const args of [
        ['config', 'check'],
        ['run', '--parallel'],
      ]) {
        const { code, stderr } = await ralph(one, args);
        expect([text, code]).toEqual([text, 3]);
        for (const message of messages) expect(stderr).toMatch(message);
      }
    }
    expect(starts(one)).toEqual([]);
  });

  it('case 83 a wrong flag, --set or variable', async () => {
    const one = withTasks();
    const wrong: readonly (readonly [readonly string[], Record<string, string>, RegExp])[] = [
      [['--max-workers', '-2'], {}, /max-workers/],
      [['--set', 'parallel.max_worker=2'], {}, /max_workers/],
      [[], { RALPH_PARALLEL_MAX_WORKERS: 'lots' }, /RALPH_PARALLEL_MAX_WORKERS/],
    ];
    for (const [flags, env, message] of wrong) {
      const { code, stderr } = await ralph(one, ['run', '--parallel', ...flags], { env });
      expect([2, 3]).toContain(code);
      expect(stderr).toMatch(message);
    }
    expect(starts(one)).toEqual([]);
  });

  it('case 85 a value for the environment with a newline or NUL is refused by its name before anything starts', async () => {
    const one = withTasks();
    const text = readFileSync(join(one.repo, 'ralph.toml'), 'utf8');
    const odd = '[agents.scripted.env]\nODD = "a\\nb"\nNUL = "a\\u0000b"\n';
    const passed = text.replace('[agents.scripted]', '[agents.scripted]\npass_env = ["ODD"]');
    for (const [file, names, env] of [
      [`${text}\n${odd}`, ['ODD', 'NUL'], {}],
      [passed, ['ODD'], { ODD: 'a\nb' }],
    ] as const) {
      one.put('ralph.toml', file);
      const { code, stderr } = await ralph(one, ['run', '--parallel'], { env });
      expect([3, 4]).toContain(code);
      for (const name of names) expect(stderr).toContain(name);
    }
    expect(starts(one)).toEqual([]);
  });
});
