import type { CommandSpec } from './command-spec.ts';
import { SET_FLAG, TARGET_FLAG, TASKS_FLAG } from './command-spec.ts';

export const WATCH_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'watch',
    group: 'Watch',
    summary: 'Watch a run in the terminal: what needs you, the train, what is at work, what waits',
    argument: null,
    flags: [
      { flag: '--once', description: 'one picture, and no more' },
      { flag: '--plain', description: 'sentences, one for each thing that happens; nothing is drawn again' },
      { flag: '--ascii', description: 'no sign outside ASCII, as in a locale that is not UTF-8' },
      TASKS_FLAG,
      TARGET_FLAG,
      SET_FLAG,
    ],
    examples: ['ralph watch', 'ralph watch --once', 'ralph watch --plain'],
    load: () => import('../commands/watch.ts'),
  },
];
