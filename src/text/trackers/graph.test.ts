import { describe, expect, it } from 'vitest';
import { taskId } from '../../core/model/ids.ts';
import { recount, withoutCounts } from './graph-counters.ts';
import { mergeTracker } from './merge-tracker.ts';
import { takeApart } from './own-fields.ts';
import { parseTracker, tickTask } from './tracker.ts';

const GRAPH = `version: "1.0" # of the format
last_updated: "2026-02-05"
milestones:
  - {id: M1, title: Base, status: complete, tasks: [S-001-I], depends_on: [M0]}
stories:
  - id: S-001
    title: Solar engine
    status: pending
    path: docs/stories/S-001.md
nodes:
  # the first one
  - id: T-1
    title: Read the sun
    story: S-001
    description: Where it stands.
    priority: 1
    complexity: S
    status: ready
    assignee: null
    output: "src/sun.ts"
    path: docs/tickets/T-1.md
  - {id: T-2, title: Draw it, story: S-001, priority: 2, status: pending, custom: [1, 2]}
  - id: T-3
    title: Ship it
    status: blocked
  - id: T-0
    title: Start
    status: complete
edges:
  - {from: T-0, to: T-1}
  - {from: T-1, to: T-2}
  - from: T-2
    to: T-3
meta:
  total_tasks: 4
  total_milestones: 11
  by_status: {ready: 1, pending: 1, in_progress: 0, complete: 1, blocked: 1}
  by_priority: {"1": 1, "2": 1}
`;

const tick = (text: string, ...ids: readonly string[]): string =>
  ids.reduce((now, id) => {
    const ticked = tickTask('yaml', now, taskId(id));
    return ticked.ok ? ticked.text : `${id}: ${ticked.reason}`;
  }, text);

const problemsOf = (text: string): readonly string[] =>
  parseTracker('yaml', text).problems.map(({ line, column, message }) => `${line}:${column} ${message}`);

describe('S0.2 task-graph.yaml', () => {
  it('reads the nodes as tasks, with what the edges say, and neither stories nor milestones', () => {
    const { tasks, problems } = parseTracker('yaml', GRAPH);
    expect(problems).toEqual([]);
    expect(tasks.map(({ id, status, deps, priority, story }) => [id, status, deps, priority, story])).toEqual([
      ['T-1', 'open', ['T-0'], 1, 'S-001'],
      ['T-2', 'open', ['T-1'], 2, 'S-001'],
      ['T-3', 'blocked', ['T-2'], null, undefined],
      ['T-0', 'done', [], null, undefined],
    ]);
    expect(tasks[0]?.body).toBe(
      'Where it stands.\nRead: docs/tickets/T-1.md\nOutput: src/sun.ts\nStory S-001: Solar engine\nRead: docs/stories/S-001.md',
    );
  });

  it('ticks one node and counts anew, and changes no other byte', () => {
    expect(tick(GRAPH, 'T-1')).toBe(
      GRAPH.replace('status: ready', 'status: complete').replace(
        '{ready: 1, pending: 1, in_progress: 0, complete: 1',
        '{ready: 0, pending: 1, in_progress: 0, complete: 2',
      ),
    );
    expect(tick(GRAPH, 'T-2')).toBe(
      GRAPH.replace('status: pending, custom', 'status: complete, custom').replace(
        'pending: 1, in_progress: 0, complete: 1',
        'pending: 0, in_progress: 0, complete: 2',
      ),
    );
  });

  it('adds the status where a node has none', () => {
    const text = 'nodes:\n  - id: a\n    title: A\n  - {id: b, title: B}\n';
    expect(tick(text, 'a', 'b')).toBe(
      'nodes:\n  - id: a\n    title: A\n    status: complete\n  - {id: b, title: B, status: complete}\n',
    );
  });

  it('says everything that is wrong at once, with its place', () => {
    const wrong = `stories: [{id: S, title: Not a task}]
nodes:
  - {id: a, title: A, status: paused}
  - {id: a, title: Again}
  - {id: b, title: B}
  - just words
  - <<: *x
edges:
  - {from: a, to: nowhere}
  - {from: gone, to: b}
  - {from: b}
  - words
`;
    expect(problemsOf(wrong)).toEqual([
      expect.stringMatching(/^3:31 the status must be one of /),
      '4:10 duplicate id "a": it is already used on line 3',
      '6:5 a task must have fields, at least a title',
      '7:5 merge keys (<<) are not read: write the fields out',
      '7:5 this task has no title',
      '7:9 the alias "x" refers to nothing above it',
      '9:19 unknown node in an edge: "nowhere" is no node of this graph',
      '10:12 unknown node in an edge: "gone" is no node of this graph',
      '11:5 this edge does not say "to"',
      '12:5 an edge must say from which node it leads to which: {from: A, to: B}',
    ]);
    expect(
      problemsOf('nodes: [{id: a, title: A}, {id: b, title: B}]\nedges: [{from: a, to: b}, {from: b, to: a}]\n'),
    ).toEqual(['2:34 dependency cycle: "a" -> "b" -> "a"']);
    expect(problemsOf(`nodes: []\n# ${'x'.repeat(5_000_000)}`)).toEqual(['1:1 the file is larger than 4 MB']);
  });

  it('counts anew what two branches made, and keeps a number it does not understand', () => {
    const ours = tick(GRAPH, 'T-1');
    const theirs = tick(GRAPH, 'T-2');
    const both = tick(GRAPH, 'T-1', 'T-2');
    const versions = { base: GRAPH, ours, theirs };
    expect(mergeTracker('yaml', versions)).toEqual({ how: 'merged', text: both });
    expect(both).toContain('{ready: 0, pending: 0, in_progress: 0, complete: 3, blocked: 1}');
    expect(both).toContain('total_milestones: 11');
    const more = theirs.replace('edges:', '  - {id: T-9, title: New, priority: 1, status: ready}\nedges:');
    const merged = mergeTracker('yaml', { base: GRAPH, ours, theirs: recount(more, GRAPH) });
    const text = merged.how === 'merged' ? merged.text : '';
    expect(text).toContain('total_tasks: 5');
    expect(text).toContain('{ready: 1, pending: 0, in_progress: 0, complete: 3, blocked: 1}');
    expect(text).toContain('{"1": 2, "2": 1}');
    expect(withoutCounts(text)).toContain('total_tasks: 0');
  });

  it('takes no claim, date or number that an agent wrote for work', () => {
    const edited = GRAPH.replace('assignee: null', 'assignee: me')
      .replace('status: ready', 'status: complete')
      .replace('2026-02-05', '2026-02-06')
      .replace('complete: 1', 'complete: 2');
    expect(takeApart('yaml', edited)?.rest).toBe(takeApart('yaml', GRAPH)?.rest);
    expect(takeApart('yaml', GRAPH.replace('Draw it', 'Paint it'))?.rest).not.toBe(takeApart('yaml', GRAPH)?.rest);
  });
});
