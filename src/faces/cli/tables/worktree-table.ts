import type { CommandSpec } from './command-spec.ts';
import { JSON_FLAG, SET_FLAG } from './command-spec.ts';

const NAME = 'name, branch or folder of a worktree, or a unique beginning of its name or branch';

/** Worktrees for people to work in. */
export const WORKTREE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'worktree new',
    group: 'Work',
    summary: 'Make a worktree for yourself, ready to work in',
    argument: { name: '<name>', description: 'its name; branch and folder are named after it' },
    flags: [
      { flag: '--branch <branch>', description: 'another branch; one that exists is checked out as it is' },
      { flag: '--from <commit>', description: 'where a new branch begins; without it: where work lands' },
      { flag: '--path <dir>', description: 'another folder' },
      { flag: '--no-install', description: 'do not install its dependencies' },
      JSON_FLAG,
      SET_FLAG,
    ],
    examples: [
      'ralph worktree new login',
      'cd "$(ralph worktree new login)"',
      'ralph worktree new hotfix --from v1.2 --path ../hotfix --no-install',
    ],
    tool: {
      name: 'worktree_start',
      names: { name: 'feature_name', from: 'base_branch', path: 'worktree_path' },
    },
    load: () => import('../commands/worktree-new.ts'),
  },
  {
    name: 'worktree list',
    group: 'Watch',
    summary: 'List every worktree of the repository and what each holds',
    argument: null,
    flags: [JSON_FLAG, SET_FLAG],
    examples: ['ralph worktree list', 'ralph worktree list --json'],
    tool: { does: 'reads' },
    load: () => import('../commands/worktree-list.ts'),
  },
  {
    name: 'worktree status',
    group: 'Watch',
    summary: 'Show what a worktree holds that is not committed, not pushed or not landed',
    argument: { name: '[name]', description: `${NAME}; without it: the one you are in` },
    flags: [JSON_FLAG, SET_FLAG],
    examples: ['ralph worktree status', 'ralph worktree status login'],
    tool: { does: 'reads' },
    load: () => import('../commands/worktree-status.ts'),
  },
  {
    name: 'worktree remove',
    group: 'Repair',
    summary: 'Remove a worktree whose work has landed, or that of a task or loop: its work is kept and the task freed',
    argument: { name: '<name>', description: `${NAME}, or the id of a task or loop` },
    flags: [
      { flag: '--force', description: 'even with work that has not landed: keep it first' },
      { flag: '--keep-branch', description: 'leave its branch' },
      { flag: '-y, --yes', description: 'accepted for scripts; the command never asks' },
      JSON_FLAG,
      SET_FLAG,
    ],
    examples: ['ralph worktree remove login', 'ralph worktree remove login --force'],
    tool: { name: 'worktree_cleanup', does: 'takes' },
    load: () => import('../commands/worktree-remove.ts'),
  },
  {
    name: 'worktree clean',
    group: 'Repair',
    summary: 'Remove every worktree, made for you or for a loop, whose work has landed',
    argument: null,
    flags: [{ flag: '--dry-run', description: 'print what would be removed; change nothing' }, JSON_FLAG, SET_FLAG],
    examples: ['ralph worktree clean --dry-run', 'ralph worktree clean'],
    load: () => import('../commands/worktree-clean.ts'),
  },
];
