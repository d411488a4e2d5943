import type { CommandSpec } from './command-spec.ts';
import { JSON_FLAG, SET_FLAG } from './command-spec.ts';

const ID = { name: '<id>', description: 'loop, task or number of a pull request, or a unique beginning' };

/** Pull requests: opened, followed, merged. */
export const PR_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'pr list',
    group: 'Watch',
    summary: 'List pull requests of loops with their checks, reviews and state',
    argument: null,
    flags: [{ flag: '--all', description: 'also those that are merged' }, JSON_FLAG, SET_FLAG],
    examples: ['ralph pr list', 'ralph pr list --all --json'],
    load: () => import('../commands/pr-list.ts'),
  },
  {
    name: 'pr show',
    group: 'Watch',
    summary: 'Show one pull request as it was seen last',
    argument: ID,
    flags: [JSON_FLAG, SET_FLAG],
    examples: ['ralph pr show login', 'ralph pr show 12 --json'],
    load: () => import('../commands/pr-show.ts'),
  },
  {
    name: 'pr open',
    group: 'Land',
    summary: "Make a pull request of a loop's work, or push to the one there is",
    argument: {
      name: '<id>',
      description: 'loop or task id, or a unique beginning; a task means its newest loop',
    },
    flags: [JSON_FLAG, SET_FLAG],
    examples: ['ralph pr open login'],
    load: () => import('../commands/pr-open.ts'),
  },
  {
    name: 'pr sync',
    group: 'Land',
    summary: 'Look at all pull requests once: open, push, read checks and comments, note what was merged',
    argument: null,
    flags: [JSON_FLAG, SET_FLAG],
    examples: ['ralph pr sync'],
    load: () => import('../commands/pr-sync.ts'),
  },
  {
    name: 'merger',
    group: 'Land',
    summary: 'Merge the pull requests that may be merged, each proved on main as it is then',
    argument: null,
    flags: [
      { flag: '--dry-run', description: 'print what would be merged and why the rest waits; change nothing' },
      { flag: '--watch', description: 'continue until no pull request is open' },
      JSON_FLAG,
      SET_FLAG,
    ],
    examples: ['ralph merger', 'ralph merger --dry-run', 'ralph merger --watch'],
    load: () => import('../commands/merger.ts'),
  },
];
