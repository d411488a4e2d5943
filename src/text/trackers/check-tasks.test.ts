import { describe, expect, it } from 'vitest';
import { parseTracker } from './tracker.ts';

const yaml = (text: string) => parseTracker('yaml', text);
const messages = (text: string) =>
  yaml(text).problems.map((problem) => `${problem.line}:${problem.column} ${problem.message}`);

describe('checkTasks', () => {
  it('case 77: cycle, self-dependency, unknown dependency and duplicate id are all told at once', () => {
    expect(
      messages(`- {id: a, title: A, depends_on: [c]}
- {id: b, title: B, depends_on: [a]}
- {id: c, title: C, depends_on: [b, nobody]}
- {id: d, title: D, depends_on: [d]}
- {id: b, title: again}
- {id: e, title: E, depends_on: [f]}
- {id: f, title: F, depends_on: [e, A, a]}
- {id: g, title: G, depends_on: [g2]}
`),
    ).toEqual([
      '1:34 dependency cycle: "a" -> "c" -> "b" -> "a"',
      '3:37 unknown dependency: "c" depends on "nobody", which is no task of this file',
      '4:34 "d" depends on itself',
      '5:8 duplicate id "b": it is already used on line 2',
      '6:34 dependency cycle: "e" -> "f" -> "e"',
      '8:34 unknown dependency: "g" depends on "g2", which is no task of this file',
    ]);
  });

  it('tells two cycles that share a task', () => {
    expect(
      messages('- {id: a, title: A, deps: [b, c]}\n- {id: b, title: B, deps: [a]}\n- {id: c, title: C, deps: [a]}'),
    ).toEqual(['1:28 dependency cycle: "a" -> "b" -> "a"', '1:28 dependency cycle: "a" -> "c" -> "a"']);
  });

  it('does not tell a cycle again that runs through tasks already named', () => {
    expect(
      messages('- {id: a, title: A, deps: [b]}\n- {id: b, title: B, deps: [c]}\n- {id: c, title: C, deps: [a, b]}'),
    ).toEqual([expect.stringContaining('"a" -> "b" -> "c" -> "a"')]);
  });

  it('is at ease with diamonds, done dependencies and a chain of thousands', () => {
    expect(
      yaml(
        '- {id: a, title: A, completed: true}\n- {id: b, title: B, deps: a}\n- {id: c, title: C, deps: a}\n- {id: d, title: D, deps: "b, c, b"}',
      ),
    ).toMatchObject({
      tasks: [{ deps: [] }, { deps: ['a'] }, { deps: ['a'] }, { deps: ['b', 'c'] }],
      problems: [],
    });
    const chain = Array.from({ length: 5_000 }, (_, index) => ({
      id: index,
      title: 't',
      deps: index === 0 ? [] : [index - 1],
    }));
    expect(parseTracker('json', JSON.stringify(chain)).problems).toEqual([]);
    const ring = chain.map((task) => (task.id === 0 ? { ...task, deps: [4_999] } : task));
    expect(parseTracker('json', JSON.stringify(ring)).problems).toHaveLength(1);
  });

  it('finds a dependency by title unless several tasks bear it', () => {
    expect(messages('- title: Same\n- title: Same\n- {title: C, deps: [Same]}')).toEqual([
      expect.stringMatching(/^3:21 .*"c" depends on "Same", which is the title of several tasks: name one by its id$/),
    ]);
  });

  it.each([
    '../../x',
    '-rf',
    '--upload-pack=x',
    'HEAD',
    'a b',
    'a;rm',
    '$(x)',
    'x'.repeat(300),
    'аdmin',
    'CON',
    '.git',
    '日本',
  ])('case 75: the id %j is legal and kept as it is', (id) => {
    const text = JSON.stringify([
      { id, title: 'a' },
      { id: `${id}!`, title: 'b', depends_on: [id] },
    ]);
    expect(parseTracker('json', text)).toMatchObject({ tasks: [{ id }, { id: `${id}!`, deps: [id] }], problems: [] });
  });

  it('case 75: ids that differ in case or in look-alike letters are different', () => {
    const { tasks, problems } = parseTracker('json', JSON.stringify(['a', 'A', 'а'].map((id) => ({ id, title: id }))));
    expect(problems).toEqual([]);
    expect(new Set(tasks.map((task) => task.id)).size).toBe(3);
  });

  it.each([
    ['x'.repeat(513), 'is longer than 512 characters'],
    ['a\nb', 'holds a control or invisible character'],
    ['a\u001B[31m', 'holds a control or invisible character'],
    ['a\u202Eb', 'holds a control or invisible character'],
    ['a\u200Bb', 'holds a control or invisible character'],
    ['a\uD800', 'holds a control or invisible character'],
    ['  ', 'is empty'],
  ])('case 75: the id %j is refused', (id, why) => {
    const { problems } = parseTracker('json', JSON.stringify([{ id, title: 'a' }]));
    expect(problems).toMatchObject([{ line: 1, column: 8 }]);
    expect(problems[0]?.message).toContain(why);
    expect(problems[0]?.message).toMatch(/^[\x20-\x7E…]{1,140}$/);
  });

  it('refuses a group with a control character', () => {
    expect(messages('- title: a\n  group: "x\\e"')).toEqual([
      '2:10 the group "x" holds a control or invisible character',
    ]);
  });

  it('case 78: nothing in a title or text can act on a terminal, a page or a message', () => {
    const title = 'a\nb\u001B]52;c;eA==\u0007 \u009B31m \u202Eevil\u2066 z\u200Bw\uFEFF </script> `x` \u0000\u2028end';
    const [task] = parseTracker(
      'json',
      JSON.stringify([{ title, description: `${title}\r\n\tcode`, acceptance: [title] }]),
    ).tasks;
    const inert = 'a b]52;c;eA== 31m evil zw </script> `x` end';
    expect(task).toMatchObject({
      title: inert,
      acceptance: inert.split('\n').length === 1 ? ['a', inert.slice(2)] : [],
    });
    expect(task?.body).toBe('a\nb]52;c;eA== 31m evil zw </script> `x` \nend\n\tcode');
    expect(task?.id).toMatch(/^[a-z0-9-]+$/);
  });

  it('case 79: keys called __proto__ or constructor change nothing', () => {
    const fields =
      '"__proto__": {"polluted": true, "group": "p"}, "constructor": {"prototype": {"polluted": true}}, "title": "a"';
    for (const [kind, text] of [
      ['json', `{"__proto__": {"tasks": [{"title": "no"}]}, "tasks": [{${fields}}]}`],
      ['yaml', `__proto__: {tasks: [{title: no}]}\ntasks: [{${fields}}]`],
    ] as const) {
      expect(parseTracker(kind, text)).toMatchObject({ tasks: [{ id: 'a', group: null }], problems: [] });
    }
    expect(
      parseTracker('markdown', '- [ ] __proto__\n- [ ] constructor\n  - Depends on: __proto__').tasks,
    ).toMatchObject([{ title: '__proto__' }, { id: 'constructor', deps: [expect.stringContaining('proto')] }]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
