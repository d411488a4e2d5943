import { describe, expect, it } from 'vitest';

import { refsBelow } from '../harness/git.ts';
import { HONEST, project, starts } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';

const GRAPH = `nodes:
  - {id: T-1, title: One, status: ready, priority: 1, story: S-1}
  - {id: T-2, title: Two, status: ready, priority: 2, story: S-1}
  - {id: T-3, title: Three, status: ready, priority: 2, story: S-2}
  - {id: T-4, title: Four, status: pending, priority: 3, story: S-2}
edges: [{from: T-3, to: T-4}]
`;

const states = async (one: Scratch): Promise<Readonly<Record<string, string>>> => {
  const { stdout } = await ralph(one, ['tasks', 'list', '--json']);
  const { tasks } = JSON.parse(stdout) as {
    readonly tasks: readonly { readonly id: string; readonly state: string }[];
  };
  return Object.fromEntries(tasks.map(({ id, state }) => [id, state]));
};

describe('acts on several', () => {
  it('take several ids or the filters of run, status and tasks; what is wrong with one is told before anything is done', async () => {
    const one = scratch();
    const gives = { iterations: [[{ write: { path: '${task}.txt', text: 'half\n' } }]] };
    project(one, {
      tasks: { 'task-graph.yaml': GRAPH },
      agent: gives,
      config: { limits: { iterations: 1, runtime: '3m', grace: '1s' } },
    });
    expect((await ralph(one, ['run', '--parallel', '--only', 'priority<=2'])).code).toBe(1);
    expect(await states(one)).toMatchObject({ 'T-1': 'parked', 'T-2': 'parked', 'T-3': 'parked' });

    const slip = await ralph(one, ['tasks', 'reset', 'T-1', 'T-9']);
    expect([slip.code, slip.stderr]).toEqual([2, expect.stringContaining('T-9')]);
    expect((await ralph(one, ['tasks', 'reset', 'T-1', '--story', 'S-1'])).code).toBe(2);
    expect((await ralph(one, ['tasks', 'reset'])).code).toBe(2);
    expect(await states(one)).toMatchObject({ 'T-1': 'parked' });

    const dropped = await ralph(one, ['loops', 'discard', '--only', 'story=S-2', '-y', '--json']);
    expect([dropped.code, JSON.parse(dropped.stdout)]).toMatchObject([0, { kept: expect.stringMatching(/./) }]);
    const again = await ralph(one, ['loops', 'discard', '--story', 'S-2', '-y']);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('no matching task has anything')]);

    // Both go on side by side, and nothing else of the list does.
    project(one, { tasks: { 'task-graph.yaml': GRAPH }, agent: HONEST });
    const resumed = await ralph(one, ['loops', 'resume', 'T-1', 'T-2', '--set', 'limits.iterations=4'], {
      isCheckoutGuarded: false,
    });
    expect([resumed.code, resumed.stderr]).toEqual([0, expect.any(String)]);
    expect(await states(one)).toMatchObject({ 'T-1': 'landed', 'T-2': 'landed' });
    expect(starts(one).filter(({ task }) => task === 'T-4')).toEqual([]);
    expect((await ralph(one, ['tasks', 'reset', '--priority', '2'])).code).toBe(0);
    expect(await states(one)).toMatchObject({ 'T-2': 'landed', 'T-3': 'open' });
  });
});

describe('a graph that is wrong', () => {
  const BAD: readonly (readonly [string, string, readonly RegExp[]])[] = [
    [
      'everything at once',
      `nodes:
  - {id: T-1, title: One, status: ready}
  - {id: T-2, title: Two, status: sleeping}
  - {id: T-2, title: Again, status: pending}
  - &four {id: T-4, title: Four, status: pending}
  - <<: *four
    id: T-5
    title: Five
edges:
  - {from: T-1, to: T-4}
  - {from: T-9, to: T-1}
  - {from: T-4, to: T-1}
`,
      [
        /:3:\d+ the status must be/,
        /:4:\d+ duplicate id "T-2"/,
        /:6:\d+ merge keys/,
        /:11:\d+ unknown node in an edge: "T-9"/,
        /:\d+:\d+ dependency cycle: "T-1" -> "T-4"/,
      ],
    ],
    [
      '10 MB',
      `nodes:\n${'# a comment that takes room\n'.repeat(400_000)}  - {id: T-1, title: One}\n`,
      [/task-graph\.yaml:1:1 .*4 MB/],
    ],
    ['an alias of nothing', 'nodes:\n  - {id: T-1, title: *gone, status: ready}\n', [/:2:\d+ /]],
    ['a list that is none', 'nodes:\n  - {id: T-1, title: One}\nedges: T-1\n', [/:3:\d+ "edges" must be a list/]],
  ];

  it('acceptance 8: every problem is told at once with its place, and nothing is started', async () => {
    const one = scratch();
    project(one, { tasks: { 'task-graph.yaml': GRAPH } });
    for (const [, text, wanted] of BAD) {
      one.put('task-graph.yaml', text);
      for (const words of [
        ['run', '--parallel'],
        ['run', '--dry-run'],
        ['tasks', 'list'],
      ]) {
        const { code, stderr } = await ralph(one, words, { isCheckoutGuarded: false });
        expect([code, ...wanted.filter((words) => !words.test(stderr))], stderr).toEqual([3]);
      }
    }
    expect([starts(one), refsBelow(one.git, 'refs/heads/ralph/')]).toEqual([[], []]);
    expect((await ralph(one, ['doctor'])).stdout).toContain('edges');
  });

  it('acceptance 8: anchors, CRLF and a BOM are read as they are, and stay so in what lands', async () => {
    const one = scratch();
    const text =
      '\uFEFFnodes:\r\n  - {id: T-1, title: &t One, status: ready}\r\n  - {id: T-2, title: *t, status: pending}\r\nedges: [{from: T-1, to: T-2}]\r\n';
    one.git('config', 'core.autocrlf', 'false');
    project(one, { tasks: { 'task-graph.yaml': text } });
    const { code, stderr } = await ralph(one, ['run', '--parallel']);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    const after = one.git('cat-file', 'blob', 'main:task-graph.yaml');
    expect(after.trimEnd()).toBe(text.replace('ready', 'complete').replace('pending', 'complete').trimEnd());
  });

  it('two task files found by name: the first counts, and the other is named', async () => {
    const one = scratch();
    project(one, { tasks: { 'task-graph.yaml': GRAPH, 'PRD.md': '# Plan\n\n- [ ] Only <!-- id: only -->\n' } });
    const said = 'PRD.md is the task file; task-graph.yaml is there too';
    for (const words of [['tasks', 'list'], ['status'], ['run', '--dry-run']])
      expect((await ralph(one, words)).stderr).toContain(said);
    const named = await ralph(one, ['tasks', 'list', '--tasks', 'task-graph.yaml']);
    expect([named.stdout, named.stderr]).toEqual([
      expect.stringContaining('T-1'),
      expect.not.stringContaining('is there too'),
    ]);
  });
});
