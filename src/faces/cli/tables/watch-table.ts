import type { CommandSpec } from './command-spec.ts';
import { JSON_FLAG, SET_FLAG, TARGET_FLAG, TASKS_FLAG } from './command-spec.ts';

/** What happens, and what happened. */
export const WATCH_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'watch',
    group: 'Watch',
    summary: 'Watch a run in the terminal: what needs you, the train, what is at work, what waits',
    argument: null,
    flags: [
      { flag: '--once', description: 'print the view once' },
      { flag: '--plain', description: 'print one sentence per event instead of a screen' },
      { flag: '--ascii', description: 'ASCII only, as in a locale without UTF-8' },
      TASKS_FLAG,
      TARGET_FLAG,
      SET_FLAG,
    ],
    examples: ['ralph watch', 'ralph watch --once', 'ralph watch --plain'],
    load: () => import('../commands/watch.ts'),
  },
  {
    name: 'report',
    group: 'Watch',
    summary: 'Report what a run landed, what needs you, and what it cost',
    argument: null,
    flags: [
      { flag: '--run <which>', description: 'last (without the flag), all, or the number of a run' },
      { flag: '--html <file>', description: 'write one self-contained HTML page' },
      { flag: '--md', description: 'print Markdown' },
      JSON_FLAG,
      SET_FLAG,
    ],
    examples: ['ralph report', 'ralph report --html report.html', 'ralph report --run all --md'],
    tool: { does: 'reads', flags: ['--run'] },
    load: () => import('../commands/report.ts'),
  },
  {
    name: 'events',
    group: 'Watch',
    summary: 'Print the log, one event of JSON a line',
    argument: null,
    flags: [
      {
        flag: '--since <when>',
        description: 'only events after WHEN: a record number, a time or an age, such as 41, 2026-11-16T02:00, 2h',
      },
      { flag: '-f, --follow', description: 'keep printing events, until Ctrl-C' },
    ],
    examples: ['ralph events --since 2h', 'ralph events -f', 'ralph events --since 41'],
    load: () => import('../commands/events.ts'),
  },
];
