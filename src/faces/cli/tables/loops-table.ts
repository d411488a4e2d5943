import type { CommandSpec } from './command-spec.ts';
import {
  FILTER_FLAGS,
  JSON_FLAG,
  NO_FETCH_FLAG,
  PUBLISH_FLAG,
  SET_FLAG,
  TARGET_FLAG,
  TASKS_FLAG,
  WITH_BRANCH_FLAG,
} from './command-spec.ts';

const ID = {
  name: '<id>',
  description: 'loop or task id, or a unique beginning of it; a task means its newest loop',
};

/** Several, or the filters of its flags instead. */
const IDS = {
  name: '[id...]',
  description: 'loop or task ids, or unique beginnings of them; a task means its newest loop',
};

const LOGS: Omit<CommandSpec, 'name' | 'examples'> = {
  group: 'Watch',
  summary: 'Show what an agent did, iteration by iteration',
  argument: {
    ...ID,
    name: '[id]',
    description: `${ID.description}; none: the loop of the worktree you are in, else all loops, each line with its loop`,
  },
  flags: [
    {
      flag: '-f, --follow',
      description: 'follow until the loop ends, through all its iterations; with all loops, until no host works',
    },
    { flag: '--iteration <n>', description: 'only this one' },
    { flag: '--raw', description: 'the exact bytes that the agent printed' },
    { flag: '--stderr', description: 'its standard error instead of its standard output' },
    { flag: '--json', description: 'one event per line as JSON' },
  ],
  load: () => import('../commands/logs.ts'),
};

const PRUNE: Omit<CommandSpec, 'name' | 'examples'> = {
  group: 'Repair',
  summary: 'Remove worktrees and branches of loops that are over; what they hold is kept',
  argument: null,
  flags: [{ flag: '--dry-run', description: 'print what would be removed; change nothing' }, JSON_FLAG, SET_FLAG],
  load: () => import('../commands/prune.ts'),
};

const LIST: Omit<CommandSpec, 'name' | 'examples'> = {
  group: 'Watch',
  summary: 'List loops with their state and the next command for each',
  argument: null,
  flags: [{ flag: '--all', description: 'also those that landed or were discarded' }, JSON_FLAG],
  load: () => import('../commands/loops-list.ts'),
};

/** Looking at loops: nothing here changes one. */
const READING: readonly CommandSpec[] = [
  { ...LIST, name: 'loops', examples: ['ralph loops', 'ralph loops --all', 'ralph loops --json'] },
  { ...LIST, name: 'loops list', examples: ['ralph loops list', 'ralph loops list --all --json'] },
  {
    ...LOGS,
    name: 'loops logs',
    examples: ['ralph loops logs login', 'ralph loops logs login -f', 'ralph loops logs login --raw'],
  },
  {
    name: 'loops history',
    group: 'Watch',
    summary: 'Show everything that happened to a loop, even if it is gone',
    argument: ID,
    flags: [JSON_FLAG],
    examples: ['ralph loops history login', 'ralph loops history login --json'],
    load: () => import('../commands/loops-history.ts'),
  },
  {
    name: 'loops diff',
    group: 'Watch',
    summary: 'Show what a loop has changed since it left the target, even if its branch is gone',
    argument: ID,
    flags: [
      { flag: '--stat', description: 'only file names and line counts' },
      { flag: '--worktree', description: 'include uncommitted changes in its worktree' },
      JSON_FLAG,
      TARGET_FLAG,
      SET_FLAG,
    ],
    examples: ['ralph loops diff login', 'ralph loops diff login --stat'],
    load: () => import('../commands/loops-diff.ts'),
  },
  {
    name: 'loops attach',
    group: 'Watch',
    summary: 'Open your shell in the worktree of a loop',
    argument: ID,
    flags: [],
    examples: ['ralph loops attach login'],
    load: () => import('../commands/loops-attach.ts'),
  },
];

const LANDING = [JSON_FLAG, PUBLISH_FLAG, TARGET_FLAG, TASKS_FLAG, SET_FLAG];

/** Acting on loops. */
const ACTING: readonly CommandSpec[] = [
  {
    name: 'loops steer',
    group: 'Work',
    summary: 'Send a message to a working loop',
    argument: { name: '<id> <text...>', description: 'loop or task id, then the message' },
    flags: [JSON_FLAG],
    examples: ['ralph loops steer login "use the existing session table"'],
    load: () => import('../commands/loops-steer.ts'),
  },
  {
    name: 'loops discard',
    group: 'Repair',
    summary: 'Discard a loop with its worktree and branch; its work is kept',
    argument: IDS,
    flags: [
      { flag: '--force', description: 'even if it works: stop it first' },
      { flag: '-y, --yes', description: 'do not ask for confirmation' },
      ...FILTER_FLAGS,
      TASKS_FLAG,
      JSON_FLAG,
      SET_FLAG,
    ],
    examples: [
      'ralph loops discard login',
      'ralph loops discard login --force -y',
      'ralph loops discard --story S-005 -y',
    ],
    load: () => import('../commands/loops-discard.ts'),
  },
  { ...PRUNE, name: 'loops prune', examples: ['ralph loops prune --dry-run', 'ralph loops prune'] },
  {
    name: 'loops stop',
    group: 'Work',
    summary: 'Stop a loop, or all that work, when its iteration ends; its work stays',
    argument: {
      ...IDS,
      description: 'loop or task ids, or unique beginnings of them; all that work when left out',
    },
    flags: [
      { flag: '--force', description: 'at once, with everything its agent started' },
      ...FILTER_FLAGS,
      TASKS_FLAG,
      JSON_FLAG,
      SET_FLAG,
    ],
    examples: [
      'ralph loops stop login',
      'ralph loops stop login --force',
      'ralph loops stop --group auth',
      'ralph loops stop',
    ],
    load: () => import('../commands/loops-stop.ts'),
  },
  {
    name: 'loops resume',
    group: 'Work',
    summary: 'Resume a loop that is stopped, waits, or is parked for a reason that more work can fix',
    argument: IDS,
    flags: [
      { flag: '-f, --follow', description: 'if another process resumes it: show what its agent does' },
      {
        flag: '--max-iterations <n>',
        description: 'iterations before it is parked; where a limit had parked it, from here on',
        key: 'limits.iterations',
      },
      {
        flag: '--max-runtime <duration>',
        description: 'time before it is parked; where a limit had parked it, from here on',
        key: 'limits.runtime',
      },
      { flag: '--max-cost <dollars>', description: 'what the whole run may spend', key: 'run.max_cost' },
      ...FILTER_FLAGS,
      TASKS_FLAG,
      NO_FETCH_FLAG,
      JSON_FLAG,
      SET_FLAG,
    ],
    examples: [
      'ralph loops resume login',
      'ralph loops resume login --max-iterations 5',
      'ralph loops resume --epic billing',
    ],
    load: () => import('../commands/loops-resume.ts'),
  },
  {
    name: 'loops retry',
    group: 'Land',
    summary: 'Land a loop again that was set aside at landing',
    argument: ID,
    flags: [WITH_BRANCH_FLAG, ...LANDING],
    examples: ['ralph loops retry login'],
    load: () => import('../commands/loops-retry.ts'),
  },
  {
    name: 'loops merge',
    group: 'Land',
    summary: 'Land a loop',
    argument: ID,
    flags: [{ flag: '--force', description: 'even while another process lands it' }, WITH_BRANCH_FLAG, ...LANDING],
    examples: ['ralph loops merge login'],
    load: () => import('../commands/loops-merge.ts'),
  },
  {
    name: 'loops process',
    group: 'Land',
    summary: 'Land everything that is ready, in the order in which it became so',
    argument: null,
    flags: LANDING,
    examples: ['ralph loops process'],
    load: () => import('../commands/loops-process.ts'),
  },
  {
    name: 'loops publish-review',
    group: 'Land',
    summary: 'Push the branch of a loop for others to look at, and write a summary; under pull requests: ralph pr open',
    argument: ID,
    flags: [
      { flag: '--remote <name>', description: 'the remote; origin when left out' },
      { flag: '--remote-branch <name>', description: 'its name there; that of the branch when left out' },
      { flag: '--base <branch>', description: 'what it is compared with; the branch to land on when left out' },
      JSON_FLAG,
      SET_FLAG,
    ],
    examples: ['ralph loops publish-review login', 'ralph loops publish-review login --remote-branch review/login'],
    load: () => import('../commands/loops-publish-review.ts'),
  },
  {
    name: 'loops rebase',
    group: 'Land',
    summary: 'Bring branches that wait to be landed up to date with what they land on',
    argument: {
      name: '[id]',
      description: 'loop or task id, or a unique beginning of it; all that wait when left out',
    },
    flags: [
      NO_FETCH_FLAG,
      { flag: '--push', description: 'also move the branch that publish-review pushed' },
      JSON_FLAG,
      TARGET_FLAG,
      SET_FLAG,
    ],
    examples: ['ralph loops rebase', 'ralph loops rebase login --push'],
    load: () => import('../commands/loops-rebase.ts'),
  },
];

/** `loops` with everything below it, and the short names of some of that. */
export const LOOPS_COMMANDS: readonly CommandSpec[] = [
  ...READING,
  ...ACTING,
  {
    ...LOGS,
    name: 'logs',
    examples: [
      'ralph logs',
      'ralph logs login',
      'ralph logs login --follow',
      'ralph logs login --iteration 2 --stderr',
    ],
  },
  { ...PRUNE, name: 'prune', examples: ['ralph prune --dry-run', 'ralph prune'] },
];
