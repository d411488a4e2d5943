import { describe, expect, it } from 'vitest';
import { taskId } from '../../core/model/ids.ts';
import { parseTracker, tickTask } from './tracker.ts';

const parse = (text: string) => parseTracker('json', text);
const messages = (text: string) =>
  parse(text).problems.map((problem) => `${problem.line}:${problem.column} ${problem.message}`);
const tick = (text: string, id: string) => tickTask('json', text, taskId(id));

const SEED_002 = `{
  "stories": [
    {"id": 1, "title": "...", "group": "auth"},
    {"id": 2, "title": "...", "group": "ui"}
  ]
}
`;

describe('readJson', () => {
  it('S2.3 reads the example of the requirements', () => {
    expect(parse(SEED_002).problems).toEqual([]);
    expect(parse(SEED_002).tasks.map(({ id, title, group, line }) => [id, title, group, line])).toEqual([
      ['1', '...', 'auth', 3],
      ['2', '...', 'ui', 4],
    ]);
  });

  it.each([
    '{"stories": LIST}',
    '{"userStories": LIST}',
    '{"project": "p", "tasks": LIST, "meta": {"tasks": 1}}',
    'LIST',
  ])('finds the tasks in %s', (shape) => {
    expect(parse(shape.replace('LIST', '[{"title": "a"}]'))).toMatchObject({ tasks: [{ id: 'a' }], problems: [] });
  });

  it('reads every field under each of its names', () => {
    const { tasks, problems } = parse(`[
      {"id": "US-1", "title": "One", "description": "Do\\nit", "acceptance": ["a", "b"], "priority": "P0", "notes": "n"},
      {"story_id": "2", "title": "Two", "acceptanceCriteria": ["c"], "dependsOn": ["US-1"], "priority": 3},
      {"key": "k", "title": "Three", "acceptance_criteria": "d\\ne", "deps": "US-1, 2", "group": null, "extra": {"x": [1]}},
      {"title": "Four", "depends_on": ["Two"], "blocked": true, "blockedReason": "no key", "priority": "low"}
    ]`);
    expect(problems).toEqual([]);
    expect(tasks.map(({ line: _line, ...task }) => task)).toEqual([
      {
        id: 'US-1',
        title: 'One',
        body: 'Do\nit\n\nn',
        acceptance: ['a', 'b'],
        group: null,
        deps: [],
        priority: 0,
        status: 'open',
        blockedReason: null,
      },
      {
        id: '2',
        title: 'Two',
        body: '',
        acceptance: ['c'],
        group: null,
        deps: ['US-1'],
        priority: 3,
        status: 'open',
        blockedReason: null,
      },
      {
        id: 'k',
        title: 'Three',
        body: '',
        acceptance: ['d', 'e'],
        group: null,
        deps: ['US-1', '2'],
        priority: null,
        status: 'open',
        blockedReason: null,
      },
      {
        id: 'four',
        title: 'Four',
        body: '',
        acceptance: [],
        group: null,
        deps: ['2'],
        priority: 3,
        status: 'blocked',
        blockedReason: 'no key',
      },
    ]);
  });

  it.each([
    ['"passes": true', 'done'],
    ['"passes": false', 'open'],
    ['"completed": true', 'done'],
    ['"status": "open"', 'open'],
    ['"status": "todo"', 'open'],
    ['"status": "pending"', 'open'],
    ['"status": "in_progress"', 'doing'],
    ['"status": "In Progress"', 'doing'],
    ['"status": "doing"', 'doing'],
    ['"status": "done"', 'done'],
    ['"status": "completed"', 'done'],
    ['"status": "passed"', 'done'],
    ['"status": "blocked"', 'blocked'],
    ['"status": "stuck"', 'blocked'],
    ['"blocked": true', 'blocked'],
    ['"blocked": false', 'open'],
    ['"passes": true, "blocked": true', 'done'],
    ['"passes": false, "status": "done"', 'open'],
    ['"passes": true, "status": "open"', 'done'],
    ['"passes": null', 'open'],
  ])('%s means %s', (fields, status) => {
    expect(parse(`[{"title": "a", ${fields}}]`)).toMatchObject({ tasks: [{ status }], problems: [] });
  });

  it('case 76: a number stays as it was written', () => {
    const { tasks } = parse(
      '[{"id": 1.0, "title": 7}, {"id": 1e3, "title": "b", "depends_on": [1.0]}, {"id": "012", "title": "c"}]',
    );
    expect(tasks.map(({ id, title, deps }) => [id, title, deps])).toEqual([
      ['1.0', '7', []],
      ['1e3', 'b', ['1.0']],
      ['012', 'c', []],
    ]);
  });

  it('case 74: tells what is wrong with line and column', () => {
    expect(messages('{"tasks": [\n  {"title": "a" "id": 1}\n]}')).toEqual(['2:17 not valid JSON: comma expected']);
    expect(messages('[1,\n2,]')).toEqual(['2:3 not valid JSON: value expected']);
    expect(messages('// no\n[]')[0]).toBe('1:1 not valid JSON: invalid comment token');
    expect(messages('{"a": 1,\n "a": 2, "tasks": [{"title": "t", "title": "u"}]}')).toEqual([
      '2:2 the key "a" is there twice',
      '2:35 the key "title" is there twice',
    ]);
    expect(messages('42')).toEqual(['1:1 no list of tasks: expected a list, or the key "tasks" or "stories"']);
    expect(messages('{"tasks": {}}')).toEqual(['1:11 "tasks" must be a list']);
    expect(messages('{"stories": [], "tasks": []}')).toEqual(['1:1 both "stories" and "tasks" are there: keep one']);
    expect(messages('{"tasks": []}')).toEqual(['1:1 no tasks in this file']);
  });

  it('counts no brackets inside strings as depth', () => {
    const title = `"\\${'[{'.repeat(200)}`;
    expect(parse(JSON.stringify([{ title }]))).toMatchObject({ tasks: [{ title }], problems: [] });
  });

  it('tells every wrong field at once', () => {
    expect(
      messages(`[
{"title": ["a"]},
"b",
{"title": "c", "status": "perhaps", "passes": "maybe"},
{"title": "d", "priority": "soon", "depends_on": [{}], "id": ""}
]`),
    ).toEqual([
      '2:1 this task has no title',
      '2:11 "title" must be text',
      '3:1 a task must have fields, at least a title',
      '4:26 the status must be one of open, todo, pending, ready, not_started, in_progress, doing, done, complete, completed, passed, closed, blocked, stuck',
      '4:47 "passes" must be true or false',
      '5:28 the priority must be a number, P0 to P9, or high, medium, low',
      '5:51 a dependency must be the id of a task',
      '5:62 the id "" is empty',
    ]);
  });
});

describe('tickJson', () => {
  it.each([
    ['passes', '[ {"title":"a","passes" :  false } ]', '[ {"title":"a","passes" :  true } ]'],
    ['null passes', '[{"title":"a","passes":null}]', '[{"title":"a","passes":true}]'],
    ['quoted passes', '[{"title":"a","passes":"false"}]', '[{"title":"a","passes":"true"}]'],
    ['status', '[{"status": "in_progress", "title": "a"}]', '[{"status": "done", "title": "a"}]'],
    [
      'both',
      '[{"status": "open", "title": "a", "passes": false}]',
      '[{"status": "done", "title": "a", "passes": true}]',
    ],
    [
      'own word for done',
      '[{"status": "completed", "title": "a", "passes": false}]',
      '[{"status": "completed", "title": "a", "passes": true}]',
    ],
    [
      'stale flag',
      '[{"status": "done", "title": "a", "passes": false}]',
      '[{"status": "done", "title": "a", "passes": true}]',
    ],
    ['blocked', '[{"title": "a", "blocked": true}]', '[{"title": "a", "blocked": true, "passes": true}]'],
    ['one field', '[{"title":"a"}]', '[{"title":"a","passes":true}]'],
    ['one field, spaced', '[{ "title": "a" }]', '[{ "title": "a", "passes": true }]'],
    [
      'lines',
      '[\n\t{\n\t\t"id": "a",\n\t\t"title": "b"\n\t}\n]',
      '[\n\t{\n\t\t"id": "a",\n\t\t"title": "b",\n\t\t"passes": true\n\t}\n]',
    ],
    [
      'CRLF and BOM',
      '\uFEFF[{\r\n  "title": "a"\r\n}]\r\n',
      '\uFEFF[{\r\n  "title": "a",\r\n  "passes": true\r\n}]\r\n',
    ],
    ['comma first', '[{ "id": "a"\n , "title": "b" }]', '[{ "id": "a"\n , "title": "b"\n , "passes": true }]'],
  ])('%s: only its own field changes', (_name, before, after) => {
    expect(tick(before, 'a')).toEqual({ ok: true, text: after });
    expect(tick(after, 'a')).toEqual({ ok: false, reason: 'already' });
  });

  it('S2.3 ticks the example of the requirements', () => {
    const after = SEED_002.replace('"group": "ui"}', '"group": "ui", "passes": true}');
    expect(tick(SEED_002, '2')).toEqual({ ok: true, text: after });
  });

  it('does not touch a file it can not read', () => {
    expect(tick('[{"title": "a"}', 'a')).toEqual({ ok: false, reason: 'unsafe' });
  });
});
