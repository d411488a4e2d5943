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
  readonly group: 'Work' | 'Watch' | 'Land' | 'Repair' | 'Set up' | 'Inside a loop';
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
      { flag: '--max-cost <dollars>', description: 'what the whole run may spend', key: 'run.max_cost' },
      { flag: '--max-tokens <n>', description: 'tokens the whole run may use', key: 'run.max_tokens' },
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
    name: 'logs',
    group: 'Watch',
    summary: 'Show what an agent did, iteration by iteration',
    argument: {
      name: '<id>',
      description: 'loop or task id, or a unique beginning of it; a task stands for its newest loop',
    },
    flags: [
      { flag: '-f, --follow', description: 'go on until the loop ends, also over to its next iteration' },
      { flag: '--iteration <n>', description: 'only this one' },
      { flag: '--raw', description: 'the bytes as the agent printed them' },
      { flag: '--stderr', description: 'its standard error instead of its standard output' },
      { flag: '--json', description: 'one event per line as JSON' },
    ],
    examples: ['ralph logs add-login', 'ralph logs add-login --follow', 'ralph logs add-login --iteration 2 --stderr'],
    load: () => import('./commands/logs.ts'),
  },
  {
    name: 'cost',
    group: 'Watch',
    summary: 'Show tokens and cost by task, loop, iteration and agent',
    argument: null,
    flags: [JSON_FLAG, TASKS_FLAG, SET_FLAG],
    examples: ['ralph cost', 'ralph cost --json'],
    load: () => import('./commands/cost.ts'),
  },
  {
    name: 'loops steer',
    group: 'Work',
    summary: 'Tell a working loop something',
    argument: { name: '<id> <text...>', description: 'loop or task id, then the message' },
    flags: [JSON_FLAG],
    examples: ['ralph loops steer add-login "use the existing session table"'],
    load: () => import('./commands/loops-steer.ts'),
  },
  {
    name: 'why',
    group: 'Watch',
    summary: 'Say why a task is not landed, with the gate that fails and how to see it fail again',
    argument: { name: '<id>', description: 'task or loop id, or a unique beginning of it' },
    flags: [JSON_FLAG, TASKS_FLAG, TARGET_FLAG, SET_FLAG],
    examples: ['ralph why add-login', 'ralph why add-login --json'],
    load: () => import('./commands/why.ts'),
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
    name: 'agents list',
    group: 'Set up',
    summary: 'List known and configured agents, in the order in which one is chosen',
    argument: null,
    flags: [JSON_FLAG, SET_FLAG],
    examples: ['ralph agents list'],
    load: () => import('./commands/agents-list.ts'),
  },
  {
    name: 'agents check',
    group: 'Repair',
    summary: 'Check that agents can be used, each trouble with its remedy',
    argument: { name: '[name]', description: 'one agent; every installed one when left out' },
    flags: [
      { flag: '--smoke', description: 'also let each make one real turn in a scratch repository; this may cost' },
      JSON_FLAG,
      SET_FLAG,
    ],
    examples: ['ralph agents check', 'ralph agents check claude --smoke'],
    load: () => import('./commands/agents-check.ts'),
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
  {
    name: 'progress',
    group: 'Inside a loop',
    summary: 'Say how far the task is',
    argument: { name: '<text...>', description: 'one line, at most 500 characters' },
    flags: [JSON_FLAG],
    examples: ['ralph progress "tests written, parser next"'],
    load: () => import('./commands/progress.ts'),
  },
  {
    name: 'block',
    group: 'Inside a loop',
    summary: 'Say that the task cannot go on without a person',
    argument: { name: '<why...>', description: 'what is missing and who could give it' },
    flags: [JSON_FLAG],
    examples: ['ralph block "needs a key for the payment service"'],
    load: () => import('./commands/block.ts'),
  },
  {
    name: 'done',
    group: 'Inside a loop',
    summary: 'Say that the task is done; the gates decide',
    argument: { name: '[summary...]', description: 'what was done' },
    flags: [JSON_FLAG],
    examples: ['ralph done "login works, with tests"'],
    load: () => import('./commands/done.ts'),
  },
  {
    name: 'memory add',
    group: 'Inside a loop',
    summary: 'Remember something for every later loop',
    argument: { name: '<text...>', description: 'one thing learned' },
    flags: [{ flag: '--tag <word>', description: 'a word to find it by', repeats: true }, JSON_FLAG],
    examples: ['ralph memory add "run the tests with TZ=UTC" --tag tests'],
    load: () => import('./commands/memory-add.ts'),
  },
  {
    name: 'memory list',
    group: 'Inside a loop',
    summary: 'List what is remembered, oldest first',
    argument: null,
    flags: [JSON_FLAG],
    examples: ['ralph memory list'],
    load: () => import('./commands/memory-list.ts'),
  },
  {
    name: 'memory search',
    group: 'Inside a loop',
    summary: 'Look for words in what is remembered',
    argument: { name: '<words...>', description: 'every one of them must be there' },
    flags: [JSON_FLAG],
    examples: ['ralph memory search tests'],
    load: () => import('./commands/memory-search.ts'),
  },
  {
    name: 'task add',
    group: 'Inside a loop',
    summary: 'Propose a task to whoever watches the run',
    argument: { name: '<title...>', description: 'what should be done, in one line' },
    flags: [{ flag: '--body <text>', description: 'why, and what is known' }, JSON_FLAG],
    examples: ['ralph task add "Retry on timeouts" --body "seen twice in sync.ts"'],
    load: () => import('./commands/task-add.ts'),
  },
  {
    name: 'task show',
    group: 'Inside a loop',
    summary: 'Show the own task, or another one',
    argument: { name: '[id]', description: 'task id, or a unique beginning of it; the own task when left out' },
    flags: [JSON_FLAG, TASKS_FLAG, SET_FLAG],
    examples: ['ralph task show', 'ralph task show add-login'],
    load: () => import('./commands/task-show.ts'),
  },
  {
    name: 'mcp',
    group: 'Inside a loop',
    summary: 'Offer these verbs as an MCP server on standard input and output',
    argument: null,
    flags: [
      { flag: '--loop <id>', description: 'the loop to speak for, where RALPH_LOOP_ID is not passed on' },
      { flag: '--iteration <n>', description: 'its iteration' },
      { flag: '--token <token>', description: 'the token of that iteration' },
    ],
    examples: ['ralph mcp'],
    load: () => import('./commands/mcp.ts'),
  },
];
