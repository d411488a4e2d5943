import type { CommandSpec } from './command-spec.ts';
import { JSON_FLAG, SET_FLAG } from './command-spec.ts';

const ID = { name: '<id>', description: 'id of a keep, its digits, or a unique beginning of either' };

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
    summary: 'Take back the last discard, prune, clean or removal of a worktree',
    argument: null,
    flags: [JSON_FLAG, SET_FLAG],
    examples: ['ralph undo'],
    load: () => import('./commands/undo.ts'),
  },
];
