import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { claimedTasks, isOverlapping, parseEvents, tasksWith } from '../harness/events.ts';
import type { Step } from '../../scripted/scenario.ts';
import { calls, HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import type { Scratch } from '../harness/scratch.ts';

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

  it('S0.5 --only, --group, --task and --priority: those tasks and no others; what fits nothing is said at once', async () => {
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
      [['--group', 'nobody'], /E_UNKNOWN_ID.*no task has the group "nobody"/, 'known: auth, ui'],
      [['--only', 'group=uii'], /E_UNKNOWN_ID.*did you mean ui\?/, 'known: auth, ui'],
      [['--story', 'S-1'], /E_UNKNOWN_ID.*no task has the story "S-1"/, 'no task has any story'],
      [['--only', 'grop=ui'], /E_USAGE.*unknown key "grop"; did you mean group\?/, 'known: id, group'],
      [['--only', 'ui'], /E_USAGE.*a filter is KEY=VALUE/, 'id, group'],
      [['--only', 'group<=ui'], /E_USAGE.*only priorities are compared/, 'group=ui'],
      [['--task', 'nobody'], /E_UNKNOWN_ID.*no task is called "nobody"/, 'nobody'],
      [['--priority', '0'], /E_USAGE.*no task fits --only priority=0/, 'priority=0 fits none: known: 1, 2'],
      [['--priority', 'soon'], /E_USAGE.*--priority soon: a priority is/, 'soon'],
      [
        ['--group', 'ui', '--task', 'auth-1'],
        /E_USAGE.*no task fits --only id=auth-1 --only group=ui/,
        'group=ui fits ui-1, ui-2',
      ],
    ] as const) {
      const { code, stderr } = await ralph(one, ['run', '--parallel', ...flags]);
      expect([flags, code, stderr]).toEqual([flags, 2, expect.stringMatching(what)]);
      expect(stderr).toContain(why);
      expect(stderr).toMatch(/^fix: ralph /m);
    }
    expect(existsSync(join(one.repo, '.git/paralph/log'))).toBe(false);

    for (const [flags, chosen] of [
      [['--group', 'auth', '--priority', '1'], ['auth-2']],
      [['--only', 'priority<=2', '--only', 'group=auth'], ['auth-1']],
      [
        ['--task', 'ui-2', '--only', 'id=ui-1'],
        ['ui-1', 'ui-2'],
      ],
    ] as const) {
      const { code, stdout } = await ralph(one, [...RUN, ...flags]);
      expect([code, tasksWith(parseEvents(stdout), 'loop-landed').sort()]).toEqual([0, chosen]);
    }
    expect(starts(one)).toHaveLength(4);
    const listed = await ralph(one, ['tasks', 'list', '--only', 'group=ui', '--json']);
    const { tasks } = JSON.parse(listed.stdout) as { readonly tasks: readonly { readonly id: string }[] };
    expect(tasks.map(({ id }) => id)).toEqual(['ui-1', 'ui-2']);
    const status = await ralph(one, ['status', '--priority', '1']);
    expect(status.stdout).toMatch(/^prd\.json: 2 tasks; 2 landed$/m);
  });

  it('S0.5 a linked worktree has tasks of its own: those that its ralph.local.toml chooses', async () => {
    const one = scratch();
    const graph = `stories: [{id: S-1, title: One}, {id: S-2, title: Two}]
nodes:
  - {id: a, title: A, story: S-1, status: ready}
  - {id: b, title: B, story: S-2, status: ready}
  - {id: c, title: C, story: S-1, status: ready}
edges: [{from: a, to: c}]
meta: {by_status: {ready: 3, complete: 0}}
`;
    project(one, { tasks: { 'task-graph.yaml': graph } });
    const linked = beside(one, 'alpha');
    one.git('worktree', 'add', '-q', '-b', 'feature/alpha', linked);
    const local = join(linked, 'ralph.local.toml');
    writeFileSync(local, '[tracker]\nonly = ["stroy=S-1"]\n');
    const there = { cwd: linked, isCheckoutGuarded: false };
    expect(await ralph(one, ['run'], there)).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/E_CONFIG.*unknown key "stroy"; did you mean story\?/) as string,
    });
    writeFileSync(local, '[tracker]\nonly = ["story=S-1"]\n');
    const ready = await ralph(one, ['tasks', 'ready', '--json'], there);
    expect((JSON.parse(ready.stdout) as { tasks: { id: string }[] }).tasks.map(({ id }) => id)).toEqual(['a']);
    const run = await ralph(one, [...RUN, '--publish', 'end'], there);
    expect([run.code, tasksWith(parseEvents(run.stdout), 'loop-landed')], run.stderr).toEqual([0, ['a', 'c']]);
    expect(one.git('show', 'main:task-graph.yaml')).toBe(
      graph
        .replace('title: A, story: S-1, status: ready', 'title: A, story: S-1, status: complete')
        .replace('title: C, story: S-1, status: ready', 'title: C, story: S-1, status: complete')
        .replace('{ready: 3, complete: 0}', '{ready: 1, complete: 2}')
        .trimEnd(),
    );
    expect((await ralph(one, ['tasks', 'ready', '--only', 'story=S-2', '--json'])).stdout).toContain('"b"');
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
