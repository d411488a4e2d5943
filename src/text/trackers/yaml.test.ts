import { describe, expect, it } from 'vitest';
import { taskId } from '../../core/model/ids.ts';
import { parseTracker, tickTask } from './tracker.ts';

const parse = (text: string) => parseTracker('yaml', text);
const messages = (text: string) =>
  parse(text).problems.map((problem) => `${problem.line}:${problem.column} ${problem.message}`);
const tick = (text: string, id: string) => tickTask('yaml', text, taskId(id));

const SEED_002 = `tasks:
  - title: Task 1
    group: auth
    completed: false
  - title: Task 2
    group: ui
    completed: false
`;

describe('readYaml', () => {
  it('S2.3 reads the example of the requirements: no version, no ids', () => {
    expect(parse(SEED_002).problems).toEqual([]);
    expect(parse(SEED_002).tasks.map(({ id, title, group, status, line }) => [id, title, group, status, line])).toEqual(
      [
        ['task-1', 'Task 1', 'auth', 'open', 2],
        ['task-2', 'Task 2', 'ui', 'open', 5],
      ],
    );
  });

  it('reads every field', () => {
    const { tasks, problems } = parse(`version: 1
metadata: {project: p, created: 2026-01-01}
tasks:
  - id: a
    title: "Quoted: title"   # why
    description: |
      Some text.

        Indented.
    acceptance:
      - plain
      - Criterion 1: works
      - 'Criterion 2': {also: works}   # not this
    priority: P1
    completed: yes
  - {id: b, title: Flow, depends_on: [a], blocked: true, blocked_reason: waits}
  - id: c
    title: Folded
      title
    depends_on: a, b
    status: in progress
    notes: [x, y]
    group:
    priority: ~
`);
    expect(problems).toEqual([]);
    expect(tasks.map(({ line: _line, ...task }) => task)).toEqual([
      {
        id: 'a',
        title: 'Quoted: title',
        body: 'Some text.\n\n  Indented.',
        acceptance: ['plain', 'Criterion 1: works', "'Criterion 2': {also: works}"],
        group: null,
        deps: [],
        priority: 1,
        status: 'done',
        blockedReason: null,
      },
      {
        id: 'b',
        title: 'Flow',
        body: '',
        acceptance: [],
        group: null,
        deps: ['a'],
        priority: null,
        status: 'blocked',
        blockedReason: 'waits',
      },
      {
        id: 'c',
        title: 'Folded title',
        body: 'x\ny',
        acceptance: [],
        group: null,
        deps: ['a', 'b'],
        priority: null,
        status: 'doing',
        blockedReason: null,
      },
    ]);
  });

  it('reads a bare list, a leading document mark and values behind aliases', () => {
    const { tasks, problems } = parse('%YAML 1.2\n---\n- title: a\n  group: &g core\n- title: b\n  group: *g\n...\n');
    expect(problems).toEqual([]);
    expect(tasks.map((task) => task.group)).toEqual(['core', 'core']);
  });

  it.each(['012', '1e3', 'no', '2026-01-01', '0x1F', '1_000', 'true', '.5', '1:30', 'y', '!!str 7'])(
    'case 76: %s stays text as id, title, group and dependency',
    (word) => {
      const text = word.replace('!!str ', '');
      const { tasks, problems } = parse(
        `- {id: ${word}, title: ${word}, group: ${word}}\n- {title: b, depends_on: [${word}]}\n`,
      );
      expect(problems).toEqual([]);
      expect(tasks[0]).toMatchObject({ id: text, title: text, group: text });
      expect(tasks[1]?.deps).toEqual([text]);
    },
  );

  it('case 74: tells what is wrong with line and column', () => {
    expect(messages('tasks:\n\t- title: a\n')).toEqual(['2:1 not valid YAML: Tabs are not allowed as indentation']);
    expect(messages('tasks:\n  - title: a\n    title: b\n')).toEqual(['3:5 the key "title" is there twice']);
    expect(messages('a: 1\na: 2\ntasks: [{title: a}]')).toEqual(['2:1 the key "a" is there twice']);
    expect(messages('tasks: [{title: a}')[0]).toMatch(/^1:\d+ not valid YAML: /);
    expect(messages('tasks:\n- title: a\n  group: *nope\n')).toEqual([
      '3:10 the alias "nope" refers to nothing above it',
    ]);
    expect(messages('- &a [*a]\n')).toContain('1:7 the alias "a" refers to nothing above it');
    expect(messages('- title: a\n---\n- title: b\n')).toEqual([
      '2:1 only one YAML document is read: a second one begins here',
    ]);
    expect(messages('x: &x {group: g}\ntasks:\n- title: a\n  <<: *x\n')).toEqual([
      '4:3 merge keys (<<) are not read: write the fields out',
    ]);
    expect(messages('tasks: soon')).toEqual(['1:8 "tasks" must be a list']);
    expect(messages('- just words')).toEqual(['1:3 a task must have fields, at least a title']);
    for (const empty of ['# only a comment\n', 'tasks:\n', 'tasks: []', '---\n', '[]']) {
      expect(messages(empty)).toEqual(['1:1 no tasks in this file']);
    }
  });
});

describe('tickYaml', () => {
  it.each([
    ['plain', '- title: a\n  completed: false   # soon\n', '- title: a\n  completed: true   # soon\n'],
    ['double quotes', '- title: a\n  completed: "false" # c\n', '- title: a\n  completed: "true" # c\n'],
    ['single quotes', "- title: a\n  status: 'open'\n", "- title: a\n  status: 'done'\n"],
    ['no', '- title: a\n  completed: No\n', '- title: a\n  completed: Yes\n'],
    ['FALSE', '- title: a\n  completed: FALSE\n', '- title: a\n  completed: TRUE\n'],
    ['empty', '- title: a\n  completed:   # later\n', '- title: a\n  completed: true   # later\n'],
    ['null', '- title: a\n  completed: ~\n', '- title: a\n  completed: true\n'],
    ['tagged', '- title: a\n  completed: !!bool false\n', '- title: a\n  completed: !!bool true\n'],
    [
      'alias',
      'x: &no false\ntasks:\n- title: a\n  completed: *no\n',
      'x: &no false\ntasks:\n- title: a\n  completed: true\n',
    ],
    ['both', '- status: todo\n  title: a\n  completed: false', '- status: done\n  title: a\n  completed: true'],
    ['flow', '- {title: a, completed: false, group: g}\n', '- {title: a, completed: true, group: g}\n'],
    ['flow without', '[{title: a}, {title: b}]', '[{title: a, completed: true}, {title: b}]'],
    ['flow, spaced', '- { title: a ,  group: b }\n', '- { title: a ,  group: b ,  completed: true }\n'],
    [
      'flow over lines',
      '- {\n    title: a,\n    group: b,\n  }\n',
      '- {\n    title: a,\n    group: b,\n    completed: true,\n  }\n',
    ],
    [
      'block without',
      'tasks:\n  - title: a # c\n  # next\n  - title: b\n',
      'tasks:\n  - title: a # c\n    completed: true\n  # next\n  - title: b\n',
    ],
    ['dash alone', '-\n   title: a\n\n- title: b\n', '-\n   title: a\n   completed: true\n\n- title: b\n'],
    ['end of file', '- title: a', '- title: a\n  completed: true'],
    ['CRLF and BOM', '\uFEFF- title: a\r\n- title: b\r\n', '\uFEFF- title: a\r\n  completed: true\r\n- title: b\r\n'],
    [
      'list last',
      '- title: a\n  acceptance:\n    - x: y # c\n    - z\n\n- title: b\n',
      '- title: a\n  acceptance:\n    - x: y # c\n    - z\n  completed: true\n\n- title: b\n',
    ],
    [
      'text last',
      '- title: a\n  description: |\n    x\n\n- title: b\n',
      '- title: a\n  description: |\n    x\n  completed: true\n\n- title: b\n',
    ],
    [
      'kept text last',
      '- title: a\n  description: |+\n    x\n\n- title: b\n',
      '- title: a\n  description: |+\n    x\n\n  completed: true\n- title: b\n',
    ],
    ['empty field last', '- title: a\n  group:\n- title: b\n', '- title: a\n  group:\n  completed: true\n- title: b\n'],
    [
      'alias last',
      'g: &g\n  - x\ntasks:\n- title: a\n  acceptance: *g\n',
      'g: &g\n  - x\ntasks:\n- title: a\n  acceptance: *g\n  completed: true\n',
    ],
    ['quoted keys', '- "title": a\n  \'completed\': false\n', '- "title": a\n  \'completed\': true\n'],
  ])('%s: only its own field changes', (_name, before, after) => {
    expect(tick(before, 'a')).toEqual({ ok: true, text: after });
    expect(tick(after, 'a')).toEqual({ ok: false, reason: 'already' });
  });

  it('S2.3 ticks the example of the requirements', () => {
    const after = SEED_002.replace(/completed: false\n$/, 'completed: true\n');
    expect(tick(SEED_002, 'task-2')).toEqual({ ok: true, text: after });
  });

  it.each([
    ['a field others share through an anchor', '- title: a\n  completed: &no false\n- title: b\n  completed: *no\n'],
    ['a task that is an alias', 't: &t {title: a}\ntasks:\n- {id: b, title: c}\n- *t\n- *t\n'],
    ['a pair without braces in a flow list', '[title: a, title: b]'],
    ['a block scalar as a flag', '- title: a\n  completed: |\n    false\n'],
    ['a broken file', '- title: a\n  group: [\n'],
  ])('leaves %s alone', (_name, text) => {
    expect(tick(text, 'a')).toEqual({ ok: false, reason: 'unsafe' });
  });
});
