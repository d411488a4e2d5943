import type { CommandSpec } from './command-spec.ts';
import { FILTER_FLAGS, JSON_FLAG, NEW_TASK_FLAGS, SET_FLAG, TASKS_FLAG } from './command-spec.ts';

const ID: CommandSpec['argument'] = { name: '<id>', description: 'task id, or a unique beginning of it' };
const REASON = { flag: '--reason <text>', description: 'what is missing, where the task file has a place for it' };

/** Edits of the task file in this checkout, as in an editor; `task` is the same word. */
const EDITS: readonly CommandSpec[] = [
  {
    name: 'tasks done',
    group: 'Work',
    summary: 'Tick a task in the task file of this checkout',
    argument: ID,
    flags: [JSON_FLAG, TASKS_FLAG, SET_FLAG],
    examples: ['ralph tasks done login'],
    load: () => import('../commands/tasks-done.ts'),
  },
  {
    name: 'tasks block',
    group: 'Work',
    summary: 'Mark a task as blocked, so that no run starts it',
    argument: ID,
    flags: [REASON, JSON_FLAG, TASKS_FLAG, SET_FLAG],
    examples: ['ralph tasks block login --reason "the design is missing"'],
    load: () => import('../commands/tasks-block.ts'),
  },
  {
    name: 'tasks unblock',
    group: 'Work',
    summary: 'Open a task that was blocked, or ticked by mistake',
    argument: ID,
    flags: [JSON_FLAG, TASKS_FLAG, SET_FLAG],
    examples: ['ralph tasks unblock login'],
    load: () => import('../commands/tasks-unblock.ts'),
  },
];

export const TASKS_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'tasks add',
    group: 'Work',
    summary: 'Add a task to the task file of this checkout',
    argument: { name: '<title...>', description: 'what should be done, in one line' },
    flags: [...NEW_TASK_FLAGS, JSON_FLAG, TASKS_FLAG, SET_FLAG],
    examples: ['ralph tasks add "Search the archive" --group ui --depends-on login'],
    load: () => import('../commands/tasks-add.ts'),
  },
  {
    name: 'prompt',
    group: 'Watch',
    summary: 'Print the prompt of the next iteration; claim nothing',
    argument: {
      name: '[id]',
      description: 'task id, or a unique beginning of it; without it: the task that would resume or start first',
    },
    flags: [...FILTER_FLAGS, JSON_FLAG, TASKS_FLAG, SET_FLAG],
    examples: ['ralph prompt', 'ralph prompt login'],
    load: () => import('../commands/prompt.ts'),
  },
  ...EDITS,
  ...EDITS.map((spec) => ({
    ...spec,
    name: spec.name.replace('tasks ', 'task '),
    summary: `The same as \`ralph ${spec.name}\``,
    examples: spec.examples.map((example) => example.replace('ralph tasks', 'ralph task')),
  })),
];
