import { describe, expect, it } from 'vitest';
import { KEYS } from './keys.ts';
import { readEnvLayer, readFlagLayer } from './layer.ts';
import { settle } from './settle.ts';
import { readTomlLayer } from './toml-layer.ts';

const user = (text: string) => readTomlLayer('user', '/home/a/config.toml', text);
const repo = (text: string) => readTomlLayer('repo', 'ralph.toml', text);
const local = (text: string) => readTomlLayer('local', 'ralph.local.toml', text);

describe('settle', () => {
  it('settles on the documented defaults with no layer at all', () => {
    const { settings, origins, problems } = settle([]);
    expect(problems).toEqual([]);
    expect(settings).toEqual({
      tasks: null,
      shards: [],
      agent: null,
      fallback: [],
      tracker: { kind: 'auto', only: [], repository: null, labels: [], milestone: null, assignee: null },
      completionPromise: 'COMPLETE',
      completionSignal: 'promise',
      completionFile: null,
      parallel: {
        enabled: false,
        maxWorkers: 3,
        worktreeRoot: '.ralph/worktrees',
        branch: null,
        worktreePath: null,
        strategy: 'queue',
        mergePolicy: 'manual',
        conflictResolution: { strategy: 'requeue', aiAgent: 'claude' },
      },
      gates: {
        commands: [],
        base: true,
        timeoutMs: 1_800_000,
        timeoutAuto: false,
        resources: {},
        uses: {},
        passEnv: [],
      },
      agents: {},
      limits: {
        iterations: 10,
        runtimeMs: 7_200_000,
        noProgress: 3,
        attempts: 1,
        consecutiveFailures: 3,
        graceMs: 10_000,
        maxCostUsd: null,
        maxTokens: null,
        freeMb: 512,
      },
      run: { maxCostUsd: null, maxTokens: null },
      notify: { terminal: true, command: null, on: ['needs-you', 'held', 'finished'] },
      report: { onFinish: null },
      onHangup: 'stop',
      project: {
        maxCostUsd: null,
        maxTokens: null,
        iterations: null,
        runtimeMs: null,
        consecutiveFailures: null,
        per: 'day',
      },
      prompt: { memoryTokens: 2000 },
      landing: {
        target: null,
        fetch: true,
        publish: 'end',
        method: 'merge',
        protect: expect.arrayContaining(['.claude/**', 'ralph.toml']),
        maxNew: { files: 2000, mb: 50 },
        auto: { paths: [], maxLines: null, labels: [] },
        gateSlots: 'auto',
        maxAttempts: 3,
        maxWaiting: null,
        flakeRetries: 'auto',
        message: null,
        sign: 'auto',
        merge: { union: ['CHANGELOG.md'], regenerate: {} },
      },
      keep: { days: 30, ignored: ['.env*', '*.local'] },
      autoSpawnStrategy: 'ask',
      plans: 'docs/plans',
      worktree: {
        path: '~/worktrees/<name>',
        branch: 'feature/<name>',
        copy: ['.env', '.env.*', '*.local', '.vscode/**'],
        keep: null,
        submodules: true,
        setup: null,
      },
      forge: {
        kind: null,
        baseUrl: null,
        repository: null,
        remote: 'origin',
        tokenEnv: null,
        checks: 'required',
        review: 'auto',
        listened: [],
        merge: 'person',
        ciDeadlineMs: 1_800_000,
        rounds: 3,
        pull: { labels: [], reviewers: [], assignees: [], title: null, body: null },
      },
    });
    expect(new Set([...origins.values()].map(({ kind }) => kind))).toEqual(new Set(['default']));
  });

  it('carries every key of the table into the settings', () => {
    const before = JSON.stringify(settle([]).settings);
    for (const key of KEYS) {
      const path = key.path.replaceAll('*', 'N');
      const words = (key.type.schema['enum'] as readonly string[] | undefined) ?? [];
      const tried = [
        ...words.toReversed(),
        String(key.fallback !== true),
        'auto',
        '4.5',
        '77s',
        '2',
        '2000',
        'Zzz',
        'x/<task>',
        'https://git.example.com',
        'owner/name',
      ];
      const fits = (one: string): boolean => key.type.check(path, key.type.read(one)) === null;
      const text =
        tried.find((one) => fits(one) && JSON.stringify(key.type.read(one)) !== JSON.stringify(key.fallback)) ?? '';
      const flags = readFlagLayer(new Map([[path, text]]));
      expect(flags.problems).toEqual([]);
      const { settings } = settle([flags]);
      expect(JSON.stringify(settings), path).not.toBe(before);
    }
  });

  it('lets the stronger layer win, whatever order they come in', () => {
    const layers = [
      readFlagLayer(new Map([['parallel.max_workers', '6']])),
      local('agent = "local"\n[parallel]\nmax_workers = 4'),
      user('agent = "user"\ntasks = "user.md"\n[parallel]\nmax_workers = 2\n[limits]\ngrace = 1'),
      readEnvLayer({ RALPH_PARALLEL_MAX_WORKERS: '5', RALPH_LIMITS_ATTEMPTS: '9' }),
      repo('\nagent = "repo"\ntasks = "repo.md"\n[parallel]\nmax_workers = 3'),
    ];
    const { settings, origins, values } = settle(layers);
    expect([
      settings.parallel.maxWorkers,
      settings.agent,
      settings.tasks,
      settings.limits.graceMs,
      settings.limits.attempts,
    ]).toEqual([6, 'local', 'repo.md', 1000, 9]);
    expect(origins.get('parallel.max_workers')).toEqual({ kind: 'flag', name: '--set parallel.max_workers', line: 0 });
    expect(origins.get('limits.attempts')).toEqual({ kind: 'env', name: 'RALPH_LIMITS_ATTEMPTS', line: 0 });
    expect(origins.get('agent')).toEqual({ kind: 'local', name: 'ralph.local.toml', line: 1 });
    expect(origins.get('tasks')).toEqual({ kind: 'repo', name: 'ralph.toml', line: 3 });
    expect(origins.get('limits.grace')).toEqual({ kind: 'user', name: '/home/a/config.toml', line: 6 });
    expect(values.get('limits.runtime')).toBe('2h');
    expect([...values.keys()]).toEqual([...origins.keys()]);
  });

  it('merges agents per agent, per key and per variable', () => {
    const { settings } = settle([
      repo(
        '[agents.claude]\ncommand = ["claude", "-p"]\npass_env = ["A"]\nenv = { X = "1", Y = "1" }\n[agents.codex]\ncommand = ["codex"]',
      ),
      local('[agents.claude]\npass_env = ["B"]\nenv.Y = "2"\n[agents.extra]\nenv.Z = "3"'),
    ]);
    expect(settings.agents).toEqual({
      claude: { command: ['claude', '-p'], passEnv: ['B'], env: { X: '1', Y: '2' } },
      codex: { command: ['codex'] },
      extra: { env: { Z: '3' } },
    });
    expect(settings.agents['constructor']).toBeUndefined();
  });

  it('merges tables of names and paths per name, and takes no name for a prototype', () => {
    const { settings, problems } = settle([
      repo(
        '[gates]\ncommands = ["a", "b"]\n[gates.resources]\ndb = 1\nport = 2\n[gates.uses]\ndb = ["a", "b"]\n' +
          '[landing.merge.regenerate]\n"web/package-lock.json" = "npm i"\n"go.sum" = "go mod tidy"',
      ),
      local('gates.resources.db = 3\nlanding.merge.regenerate."go.sum" = "true"'),
      readFlagLayer(new Map([['landing.merge.regenerate.yarn.lock', 'yarn']])),
    ]);
    expect(problems).toEqual([]);
    expect(settings.gates.resources).toEqual({ db: 3, port: 2 });
    expect(settings.gates.uses).toEqual({ db: ['a', 'b'] });
    expect(settings.landing.merge.regenerate).toEqual({
      'web/package-lock.json': 'npm i',
      'go.sum': 'true',
      'yarn.lock': 'yarn',
    });
    expect([settings.gates.resources['constructor'], settings.landing.merge.regenerate['toString']]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('tells what does not go together, after what is wrong by itself', () => {
    const { problems } = settle([repo('foo = 1\n[gates.uses]\ndb = ["a"]')]);
    expect(problems.map(({ line, column }) => [line, column])).toEqual([
      [1, 1],
      [3, 1],
      [3, 7],
    ]);
  });

  it('bounds a gate without a set time', () => {
    expect(settle([repo('gates.timeout = "auto"')]).settings.gates).toMatchObject({
      timeoutMs: 7_200_000,
      timeoutAuto: true,
    });
    expect(settle([repo('gates.timeout = "5s"')]).settings.gates).toMatchObject({
      timeoutMs: 5000,
      timeoutAuto: false,
    });
  });

  it('never lets a refused value through, and keeps the problems of all layers', () => {
    const { settings, problems } = settle([
      repo('[parallel]\nmax_workers = 10000'),
      user('foo = 1'),
      readEnvLayer({ RALPH_AGENT: 'a\nb' }),
    ]);
    expect(settings.parallel.maxWorkers).toBe(3);
    expect(problems.map(({ file }) => file)).toEqual([
      '/home/a/config.toml',
      'ralph.toml',
      'RALPH_AGENT (environment)',
    ]);
  });
});
