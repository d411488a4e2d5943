import type { CommandSpec } from './command-spec.ts';
import {
  DETACH_FLAG,
  FILTER_FLAGS,
  JSON_FLAG,
  NO_FETCH_FLAG,
  PUBLISH_FLAG,
  SET_FLAG,
  TARGET_FLAG,
  TASKS_FLAG,
} from './command-spec.ts';

const EVENTS_FLAG = { flag: '--events', description: 'print every event as one line of JSON on standard output' };
const DRY_FLAG = {
  flag: '--dry-run',
  description: 'print what would start, in which order, and why the rest waits; change nothing',
};
const SHARED: CommandSpec['flags'] = [
  EVENTS_FLAG,
  JSON_FLAG,
  TASKS_FLAG,
  { flag: '--agent <name>', description: 'the agent to run', key: 'agent' },
  { flag: '--merge-policy <policy>', description: 'manual or auto_merge', key: 'parallel.merge_policy' },
  PUBLISH_FLAG,
  TARGET_FLAG,
  NO_FETCH_FLAG,
  SET_FLAG,
];

/** What begins work of its own beside everything else. */
export const START_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'start',
    group: 'Work',
    summary: 'Make a worktree for a feature and start an agent in it, to talk to or as a loop',
    argument: {
      name: '<feature> [words...]',
      description:
        'the name; optionally simple, plan-only, implement-only or plan-and-implement; then a file or a text',
    },
    flags: [
      { flag: '--from <commit>', description: 'where its branch begins; where work lands unless set' },
      { flag: '--branch <name>', description: 'its branch; one that exists is checked out as it is' },
      { flag: '--path <dir>', description: 'its folder' },
      { flag: '--no-install', description: 'do not install dependencies' },
      { flag: '--work-on <text>', description: 'work on nothing else', repeats: true },
      { flag: '--skip <text>', description: 'leave this out', repeats: true },
      { flag: '--continue-loop', description: 'take over the loop in .claude/ralph-loop.local.md' },
      { flag: '--parallel', description: 'if a loop already works here: start beside it' },
      { flag: '--replace', description: 'if a loop already works here: stop it first; its work is kept' },
      { flag: '--cancel', description: 'if a loop already works here: start nothing' },
      { flag: '--tmux', description: 'start in tmux: a window inside of it, else a session of its own' },
      { flag: '--no-tmux', description: 'do not start in tmux: hand over the launch script' },
      { flag: '--print', description: 'start nothing: print the launch script' },
      { flag: '--agent <name>', description: 'the agent to run', key: 'agent' },
      { flag: '--max-iterations <n>', description: 'iterations before the loop is parked', key: 'limits.iterations' },
      {
        flag: '--completion-promise <text>',
        description: 'what the agent says last when it is done',
        key: 'completion_promise',
      },
      { flag: '--no-auto-merge', description: 'the loop stays ready instead of landing by itself' },
      TARGET_FLAG,
      NO_FETCH_FLAG,
      JSON_FLAG,
      SET_FLAG,
    ],
    examples: [
      'ralph start login',
      'ralph start login docs/login.md',
      'ralph start login plan-only "people can log in with a passkey"',
      'ralph start login --continue-loop',
    ],
    load: () => import('../commands/start.ts'),
  },
  {
    name: 'orchestrate',
    group: 'Work',
    summary: 'Work on everything that is ready, each task on agent/TASK in ../worktrees/TASK, and land it',
    argument: null,
    flags: [
      {
        flag: '--max-agents <n>',
        description: 'how many loops at once; 4 unless parallel.max_workers is set',
        key: 'parallel.max_workers',
      },
      DRY_FLAG,
      { flag: '--watch', description: 'wait for more when nothing is left' },
      DETACH_FLAG,
      { flag: '--for <duration>', description: 'begin nothing new after this time, such as 8h, and end in order' },
      { flag: '--until <time>', description: 'the same at a time of your clock, such as 07:00' },
      ...FILTER_FLAGS,
      { flag: '--task <id>', description: 'only this task', repeats: true },
      ...SHARED,
    ],
    examples: [
      'ralph orchestrate --dry-run',
      'ralph orchestrate',
      'ralph orchestrate --epic E-1 --max-agents 6',
      'ralph orchestrate --watch',
    ],
    load: () => import('../commands/orchestrate.ts'),
  },
  {
    name: 'orchestrate status',
    group: 'Watch',
    summary: 'The same as `ralph status`',
    argument: null,
    flags: [...FILTER_FLAGS, JSON_FLAG, TASKS_FLAG, SET_FLAG],
    examples: ['ralph orchestrate status', 'ralph orchestrate status --json'],
    load: () => import('../commands/status.ts'),
  },
  {
    name: 'worker',
    group: 'Work',
    summary: 'Work on one task as ralph orchestrate would, or resume it',
    argument: { name: '<task>', description: 'task id, or a unique beginning of it' },
    flags: [DRY_FLAG, ...SHARED],
    examples: ['ralph worker login'],
    load: () => import('../commands/one-task.ts'),
  },
];
