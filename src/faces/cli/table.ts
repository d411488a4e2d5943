import type { Handler } from './handler.ts';

export interface FlagSpec {
  /** As typed: `--max-workers <n>`, `--json`. */
  readonly flag: string;
  readonly description: string;
  /** The setting this flag gives, by its dotted key; a flag without a value sets it to true. */
  readonly key?: string;
  readonly repeats?: boolean;
}

export interface CommandSpec {
  readonly name: string;
  readonly group: 'Work' | 'Watch' | 'Land' | 'Repair' | 'Set up';
  /** Imperative, no full stop. */
  readonly summary: string;
  /** As typed: `[id...]`. */
  readonly argument: { readonly name: string; readonly description: string } | null;
  readonly flags: readonly FlagSpec[];
  readonly examples: readonly string[];
  readonly load: () => Promise<{ readonly handle: Handler }>;
}

const JSON_FLAG: FlagSpec = { flag: '--json', description: 'print JSON on standard output' };
const TASKS_FLAG: FlagSpec = {
  flag: '--tasks <file>',
  description: 'the task file (PRD.md, prd.json, tasks.yaml)',
  key: 'tasks',
};
const SET_FLAG: FlagSpec = {
  flag: '--set <key=value>',
  description: 'any setting by its dotted key, for this call only',
  repeats: true,
};
const TARGET_FLAG: FlagSpec = {
  flag: '--target <branch>',
  description: 'the branch to land on',
  key: 'landing.target',
};
const PUBLISH_FLAG: FlagSpec = {
  flag: '--publish <mode>',
  description: 'when your branch follows: end, each or manual',
  key: 'landing.publish',
};

/** Every command, as data: help, documents and tests are made from it. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'run',
    group: 'Work',
    summary: 'Work through the task file',
    argument: null,
    flags: [
      { flag: '--parallel', description: 'several loops at once, each in its own worktree', key: 'parallel.enabled' },
      { flag: '--max-workers <n>', description: 'how many loops at once', key: 'parallel.max_workers' },
      { flag: '--dry-run', description: 'say what would start, in which order, and why not the rest; change nothing' },
      { flag: '--events', description: 'print every event as one line of JSON on standard output' },
      JSON_FLAG,
      TASKS_FLAG,
      { flag: '--agent <name>', description: 'the agent to run', key: 'agent' },
      { flag: '--merge-policy <policy>', description: 'manual or auto_merge', key: 'parallel.merge_policy' },
      { flag: '--max-iterations <n>', description: 'iterations before a loop is parked', key: 'limits.iterations' },
      {
        flag: '--max-runtime <duration>',
        description: 'time before a loop is parked, such as 90s or 2h',
        key: 'limits.runtime',
      },
      PUBLISH_FLAG,
      TARGET_FLAG,
      SET_FLAG,
    ],
    examples: [
      'ralph run --parallel --max-workers 3 --dry-run',
      'ralph run --parallel --max-workers 3',
      'ralph run --tasks tasks.yaml --events',
    ],
    load: () => import('./commands/run.ts'),
  },
  {
    name: 'land',
    group: 'Land',
    summary: 'Land loops that are ready',
    argument: { name: '[id...]', description: 'task or loop ids, or unique beginnings of them' },
    flags: [
      { flag: '--all', description: 'everything that is ready' },
      { flag: '--dry-run', description: 'say what would land; change nothing' },
      JSON_FLAG,
      PUBLISH_FLAG,
      TARGET_FLAG,
      TASKS_FLAG,
      SET_FLAG,
    ],
    examples: ['ralph land --all', 'ralph land add-login', 'ralph land --all --dry-run'],
    load: () => import('./commands/land.ts'),
  },
  {
    name: 'status',
    group: 'Watch',
    summary: 'Show tasks, loops and landings',
    argument: null,
    flags: [{ flag: '--parallel', description: 'one line per running loop' }, JSON_FLAG, TASKS_FLAG, SET_FLAG],
    examples: ['ralph status', 'ralph status --parallel', 'ralph status --json'],
    load: () => import('./commands/status.ts'),
  },
  {
    name: 'parallel list',
    group: 'Watch',
    summary: 'List our worktrees',
    argument: null,
    flags: [JSON_FLAG, SET_FLAG],
    examples: ['ralph parallel list'],
    load: () => import('./commands/parallel-list.ts'),
  },
  {
    name: 'parallel clean',
    group: 'Repair',
    summary: 'Remove our worktrees that hold no unlanded work',
    argument: null,
    flags: [{ flag: '--dry-run', description: 'say what would go; change nothing' }, JSON_FLAG, SET_FLAG],
    examples: ['ralph parallel clean --dry-run', 'ralph parallel clean'],
    load: () => import('./commands/parallel-clean.ts'),
  },
  {
    name: 'tasks list',
    group: 'Watch',
    summary: 'List the tasks of the task file',
    argument: null,
    flags: [JSON_FLAG, TASKS_FLAG, SET_FLAG],
    examples: ['ralph tasks list', 'ralph tasks list --json'],
    load: () => import('./commands/tasks-list.ts'),
  },
  {
    name: 'tasks ready',
    group: 'Watch',
    summary: 'List the tasks that could start now',
    argument: null,
    flags: [JSON_FLAG, TASKS_FLAG, SET_FLAG],
    examples: ['ralph tasks ready'],
    load: () => import('./commands/tasks-ready.ts'),
  },
  {
    name: 'tasks show',
    group: 'Watch',
    summary: 'Show one task and what became of it',
    argument: { name: '<id>', description: 'task id, or a unique beginning of it' },
    flags: [JSON_FLAG, TASKS_FLAG, SET_FLAG],
    examples: ['ralph tasks show add-login'],
    load: () => import('./commands/tasks-show.ts'),
  },
  {
    name: 'tasks reset',
    group: 'Repair',
    summary: 'Free a task so that it can start again; its work is kept',
    argument: { name: '<id>', description: 'task id, or a unique beginning of it' },
    flags: [JSON_FLAG, TASKS_FLAG, SET_FLAG],
    examples: ['ralph tasks reset add-login'],
    load: () => import('./commands/tasks-reset.ts'),
  },
  {
    name: 'doctor',
    group: 'Repair',
    summary: 'Check git, agents, disk and leftovers, each with its remedy',
    argument: null,
    flags: [JSON_FLAG],
    examples: ['ralph doctor', 'ralph doctor --json'],
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'init',
    group: 'Set up',
    summary: 'Write a commented ralph.toml and say what to do next',
    argument: null,
    flags: [JSON_FLAG],
    examples: ['ralph init'],
    load: () => import('./commands/init.ts'),
  },
  {
    name: 'config list',
    group: 'Set up',
    summary: 'List every setting',
    argument: null,
    flags: [{ flag: '--show-origin', description: 'where each value comes from' }, JSON_FLAG, SET_FLAG],
    examples: ['ralph config list --show-origin'],
    load: () => import('./commands/config-list.ts'),
  },
  {
    name: 'config get',
    group: 'Set up',
    summary: 'Print one setting',
    argument: { name: '<key>', description: 'dotted key, such as parallel.max_workers' },
    flags: [JSON_FLAG, SET_FLAG],
    examples: ['ralph config get parallel.max_workers'],
    load: () => import('./commands/config-get.ts'),
  },
  {
    name: 'config set',
    group: 'Set up',
    summary: 'Write one setting into the configuration file of the repository',
    argument: { name: '<key> <value>', description: 'dotted key and value' },
    flags: [],
    examples: ['ralph config set parallel.max_workers 4'],
    load: () => import('./commands/config-set.ts'),
  },
  {
    name: 'config check',
    group: 'Set up',
    summary: 'Check every configuration file',
    argument: null,
    flags: [JSON_FLAG, SET_FLAG],
    examples: ['ralph config check'],
    load: () => import('./commands/config-check.ts'),
  },
  {
    name: 'demo',
    group: 'Set up',
    summary: 'Show the whole job on a scratch repository, with no agent and no network',
    argument: null,
    flags: [{ flag: '--keep', description: 'keep the scratch repository' }],
    examples: ['ralph demo'],
    load: () => import('./commands/demo.ts'),
  },
];
