import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { claimedTasks, isOverlapping, parseEvents, tasksWith } from './harness/events.ts';
import type { Step } from '../../src/scripted/scenario.ts';
import { calls, HONEST, project, starts } from './harness/project.ts';
import { beside, ralph } from './harness/ralph.ts';
import { scratch } from './harness/scratch.ts';
import type { Scratch } from './harness/scratch.ts';

const RUN = ['run', '--parallel', '--max-workers', '3', '--events'];

const FORMATS: Readonly<Record<string, string>> = {
  'PRD.md': `# Plan

- [ ] First of auth <!-- id: auth-1 --> <!-- group: auth -->
- [ ] Second of auth <!-- group: auth --> <!-- id: auth-2 -->
- [ ] The face <!-- id: ui-1 --> <!-- group: ui -->
`,
  'prd.json': JSON.stringify(
    {
      stories: [
        { id: 'auth-1', title: 'First of auth', group: 'auth', passes: false },
        { id: 'auth-2', title: 'Second of auth', group: 'auth', passes: false },
        { id: 'ui-1', title: 'The face', group: 'ui', passes: false },
      ],
    },
    null,
    2,
  ),
  // As people write it: no version, no ids.
  'tasks.yaml': `tasks:
  - title: auth-1
    group: auth
    completed: false
  - title: auth-2
    group: auth
    completed: false
  - title: ui-1
    group: ui
    completed: false
  - title: done
    completed: true
`,
};

/** Each side waits for the other: without overlap neither would end. */
const meet = (one: Scratch, own: string, other: string): Step[] => [
  { write: { path: beside(one, own), text: '' } },
  { waitForFile: { path: beside(one, other) } },
  ...HONEST,
];

describe('A7 groups', () => {
  it.each(Object.keys(FORMATS))(
    'A7 S2.3 %s: auth never overlaps and starts from what the one before landed, ui overlaps auth',
    async (file) => {
      const one = scratch();
      project(one, {
        tasks: { [file]: FORMATS[file] ?? '' },
        byTask: {
          'auth-1': meet(one, 'auth', 'ui'),
          'ui-1': meet(one, 'ui', 'auth'),
          'auth-2': [{ waitForFile: { path: 'auth-1.txt', timeoutMs: 1000 } }, ...HONEST],
        },
      });
      const { code, stdout } = await ralph(one, RUN);
      expect(code).toBe(0);
      const events = parseEvents(stdout);
      expect(tasksWith(events, 'loop-landed').sort()).toEqual(['auth-1', 'auth-2', 'ui-1']);
      expect(isOverlapping(events, 'auth-1', 'auth-2')).toBe(false);
      expect(isOverlapping(events, 'auth-1', 'ui-1')).toBe(true);
      expect(claimedTasks(events).slice(0, 2).sort()).toEqual(['auth-1', 'ui-1']);
    },
  );

  it('A7 strategy group: tasks without a group run one after another', async () => {
    const one = scratch();
    project(one, { tasks: ['a', 'b'], config: { parallel: { strategy: 'group' } } });
    const { code, stdout } = await ralph(one, RUN);
    expect(code).toBe(0);
    expect(isOverlapping(parseEvents(stdout), 'a', 'b')).toBe(false);
  });

  it('--group, --task and --priority: those tasks and no others; what fits nothing is said at once', async () => {
    const one = scratch();
    const stories = [
      { id: 'auth-1', title: 'A', group: 'auth', priority: 2 },
      { id: 'auth-2', title: 'B', group: 'auth', priority: 1 },
      { id: 'ui-1', title: 'C', group: 'ui', priority: 1 },
      { id: 'ui-2', title: 'D', group: 'ui' },
      { id: 'rest', title: 'E' },
    ];
    project(one, { tasks: { 'prd.json': JSON.stringify({ stories }) } });
    for (const [flags, what, why] of [
      [['--group', 'nobody'], /E_UNKNOWN_ID.*no task is in a group called "nobody"/, 'groups: auth, ui'],
      [['--task', 'nobody'], /E_UNKNOWN_ID.*no task is called "nobody"/, 'nobody'],
      [['--priority', '0'], /E_USAGE.*no task fits --priority 0/, 'the most urgent task has priority 1'],
      [['--priority', 'soon'], /E_USAGE.*--priority soon: not a number/, 'soon'],
      [['--group', 'ui', '--task', 'auth-1'], /E_USAGE.*no task fits --group ui --task/, '--group ui fits ui-1, ui-2'],
    ] as const) {
      const { code, stderr } = await ralph(one, ['run', '--parallel', ...flags]);
      expect([flags, code, stderr]).toEqual([flags, 2, expect.stringMatching(what)]);
      expect(stderr).toContain(why);
      expect(stderr).toMatch(/^fix: ralph /m);
    }
    expect(existsSync(join(one.repo, '.git/paralph/log'))).toBe(false);

    for (const [flags, chosen] of [
      [['--group', 'auth', '--priority', '1'], ['auth-2']],
      [
        ['--task', 'ui-2', '--task', 'auth-1'],
        ['auth-1', 'ui-2'],
      ],
    ] as const) {
      const { code, stdout } = await ralph(one, [...RUN, ...flags]);
      expect([code, tasksWith(parseEvents(stdout), 'loop-landed').sort()]).toEqual([0, chosen]);
    }
    expect(starts(one)).toHaveLength(3);
  });

  it('S2.2 sequential is the default: one task at a time without --parallel', async () => {
    const one = scratch();
    project(one, { tasks: ['a', 'b'] });
    expect((await ralph(one, ['run'])).code).toBe(0);
    const open = calls(one).map((call) => (call.ended === undefined ? 1 : -1) as number);
    const depths = open.map((_, index) => open.slice(0, index + 1).reduce((sum, step) => sum + step, 0));
    expect(Math.max(...depths)).toBe(1);
    expect(depths).toHaveLength(4);
  });

  it('S2.2 enabled = true in the config means parallel without the flag', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a', 'b'],
      byTask: { a: meet(one, 'a', 'b'), b: meet(one, 'b', 'a') },
      config: { parallel: { enabled: true } },
    });
    expect((await ralph(one, ['run'])).code).toBe(0);
  });
});
