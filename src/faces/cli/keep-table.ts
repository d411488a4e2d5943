import type { CommandSpec } from './command-spec.ts';
import { JSON_FLAG, SET_FLAG } from './command-spec.ts';

const ID = { name: '<id>', description: 'id of a keep, its digits, or a unique beginning of either' };

const PRUNE: Omit<CommandSpec, 'name' | 'examples'> = {
  group: 'Repair',
  summary: 'Remove worktrees and branches of loops that are over; what they hold is kept',
  argument: null,
  flags: [{ flag: '--dry-run', description: 'say what would go; change nothing' }, JSON_FLAG, SET_FLAG],
  load: () => import('./commands/prune.ts'),
};

/** What takes something away, and what brings it back. */
export const KEEP_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'keep list',
    group: 'Repair',
    summary: 'List what was kept before something was taken away',
    argument: null,
    flags: [JSON_FLAG],
    examples: ['ralph keep list', 'ralph keep list --json'],
    load: () => import('./commands/keep-list.ts'),
  },
  {
    name: 'keep show',
    group: 'Repair',
    summary: 'Show what a keep holds and why it was made',
    argument: ID,
    flags: [{ flag: '--patch', description: 'print the uncommitted part as a patch' }, JSON_FLAG],
    examples: ['ralph keep show 3f2a', 'ralph keep show 3f2a --patch | git apply --check'],
    load: () => import('./commands/keep-show.ts'),
  },
  {
    name: 'keep restore',
    group: 'Repair',
    summary: 'Bring a keep back as a new branch; nothing that exists is touched',
    argument: ID,
    flags: [
      { flag: '--branch <name>', description: 'name of the new branch' },
      { flag: '--worktree <dir>', description: 'also check it out there, staged and unstaged as it was' },
      JSON_FLAG,
      SET_FLAG,
    ],
    examples: ['ralph keep restore 3f2a', 'ralph keep restore 3f2a --worktree ../login-again'],
    load: () => import('./commands/keep-restore.ts'),
  },
  {
    name: 'undo',
    group: 'Repair',
    summary: 'Take back the last discard, prune or clean',
    argument: null,
    flags: [JSON_FLAG, SET_FLAG],
    examples: ['ralph undo'],
    load: () => import('./commands/undo.ts'),
  },
  {
    name: 'loops discard',
    group: 'Repair',
    summary: 'Throw a loop away with its worktree and branch; its work is kept',
    argument: { name: '<id>', description: 'loop or task id, or a unique beginning of it' },
    flags: [
      { flag: '--force', description: 'also while it works: it is stopped first' },
      { flag: '-y, --yes', description: 'do not ask' },
      JSON_FLAG,
      SET_FLAG,
    ],
    examples: ['ralph loops discard add-login', 'ralph loops discard add-login --force -y'],
    load: () => import('./commands/loops-discard.ts'),
  },
  { ...PRUNE, name: 'loops prune', examples: ['ralph loops prune --dry-run', 'ralph loops prune'] },
  { ...PRUNE, name: 'prune', examples: ['ralph prune --dry-run', 'ralph prune'] },
];
