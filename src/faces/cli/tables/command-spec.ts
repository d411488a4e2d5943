import type { FlagSpec } from '../../call/command-spec.ts';

export type { CommandSpec, FlagSpec } from '../../call/command-spec.ts';

export const JSON_FLAG: FlagSpec = { flag: '--json', description: 'print JSON on standard output' };
export const TASKS_FLAG: FlagSpec = {
  flag: '--tasks <file>',
  description: 'the task file (PRD.md, prd.json, tasks.yaml, task-graph.yaml); again for each of several',
  key: 'tasks',
  repeats: true,
};
/** What a new task may say of itself. */
export const NEW_TASK_FLAGS: readonly FlagSpec[] = [
  { flag: '--body <text>', description: 'what is known of it' },
  { flag: '--group <name>', description: 'its group: tasks of one group never overlap' },
  { flag: '--depends-on <id>', description: 'a task that has to land before', repeats: true },
  { flag: '--priority <n>', description: 'a number, P0 to P9, or high, medium, low' },
];
/** The same words for whatever chooses tasks. */
export const FILTER_FLAGS: readonly FlagSpec[] = [
  {
    flag: '--only <filter>',
    description:
      'only tasks that fit KEY=VALUE: id, group, story, epic, label, milestone, assignee or priority (also priority<=N); one key twice: either; several keys: all',
    repeats: true,
  },
  { flag: '--story <id>', description: 'only tasks of this story', repeats: true },
  { flag: '--epic <id>', description: 'only tasks of this epic', repeats: true },
  { flag: '--group <name>', description: 'only tasks of this group', repeats: true },
  { flag: '--label <name>', description: 'only tasks with this label', repeats: true },
  { flag: '--priority <n>', description: 'only tasks of exactly this priority', repeats: true },
];
/** Stands wherever a task file may be named. */
export const TRACKER_FLAG: FlagSpec = {
  flag: '--tracker <kind>',
  description: 'where tasks are kept: auto, file, beads or github',
  key: 'tracker.kind',
};
export const SET_FLAG: FlagSpec = {
  flag: '--set <key=value>',
  description: 'any setting by its dotted key, for this call only',
  repeats: true,
};
export const NO_FETCH_FLAG: FlagSpec = {
  flag: '--no-fetch',
  description: 'do not ask the remote that the target follows',
};
export const TARGET_FLAG: FlagSpec = {
  flag: '--target <branch>',
  description: 'the branch to land on',
  key: 'landing.target',
};
export const PUBLISH_FLAG: FlagSpec = {
  flag: '--publish <mode>',
  description: 'when your branch follows: end, each or manual',
  key: 'landing.publish',
};
export const DETACH_FLAG: FlagSpec = {
  flag: '--detach',
  description: 'as a run of its own, which no closed terminal ends; comes back at once',
};
export const WITH_BRANCH_FLAG: FlagSpec = {
  flag: '--with-branch',
  description: 'also what else its branch holds: commits that neither it nor a landed loop made',
};
