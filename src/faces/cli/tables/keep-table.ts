import type { CommandSpec } from './command-spec.ts';
import { JSON_FLAG, SET_FLAG } from './command-spec.ts';

const ID = {
  name: '<id>',
  description: 'id of a keep, its digits, or a unique beginning of either; a loop means its newest keep',
};

/** What takes something away, and what brings it back. */
export const KEEP_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'keep list',
    group: 'Repair',
    summary: 'List what was kept before a removal',
    argument: null,
    flags: [JSON_FLAG],
    examples: ['ralph keep list', 'ralph keep list --json'],
    load: () => import('../commands/keep-list.ts'),
  },
  {
    name: 'keep show',
    group: 'Repair',
    summary: 'Show what a keep holds and why it was made',
    argument: ID,
    flags: [{ flag: '--patch', description: 'print the uncommitted part as a patch' }, JSON_FLAG],
    examples: ['ralph keep show login', 'ralph keep show login --patch | git apply --check'],
    load: () => import('../commands/keep-show.ts'),
  },
  {
    name: 'keep restore',
    group: 'Repair',
    summary: 'Restore a keep as a new branch; change nothing that exists',
    argument: ID,
    flags: [
      { flag: '--branch <name>', description: 'name of the new branch' },
      { flag: '--worktree <dir>', description: 'also check it out there, staged and unstaged as it was' },
      JSON_FLAG,
      SET_FLAG,
    ],
    examples: ['ralph keep restore login', 'ralph keep restore login --worktree ../login-again'],
    load: () => import('../commands/keep-restore.ts'),
  },
  {
    name: 'keep drop',
    group: 'Repair',
    summary: 'Delete one keep for good, even if its work is not on main',
    argument: ID,
    flags: [{ flag: '-y, --yes', description: 'do not ask for confirmation' }, JSON_FLAG, SET_FLAG],
    examples: ['ralph keep drop login', 'ralph keep drop login -y'],
    load: () => import('../commands/keep-drop.ts'),
  },
  {
    name: 'undo',
    group: 'Repair',
    summary: 'Undo the last discard, prune, clean or removal of a worktree',
    argument: null,
    flags: [JSON_FLAG, SET_FLAG],
    examples: ['ralph undo'],
    load: () => import('../commands/undo.ts'),
  },
];
