import { describe, expect, it } from 'vitest';
import { taskId } from '../../core/model/ids.ts';
import { parseTracker, tickTask } from './tracker.ts';

const parse = (text: string) => parseTracker('markdown', text);
const titles = (text: string) => parse(text).tasks.map((task) => task.title);
const messages = (text: string) =>
  parse(text).problems.map((problem) => `${problem.line}:${problem.column} ${problem.message}`);

const SEED_002 = `## Tasks

- [ ] Task 1 <!-- group: auth -->
- [ ] Task 2 <!-- group: ui -->
- [ ] Task 3 <!-- group: auth -->
`;

describe('readMarkdown', () => {
  it('S2.3 reads the example of the requirements: groups from comments, ids from titles', () => {
    const { tasks, problems } = parse(SEED_002);
    expect(problems).toEqual([]);
    expect(tasks.map(({ id, title, group, status, line }) => [id, title, group, status, line])).toEqual([
      ['task-1', 'Task 1', 'auth', 'open', 3],
      ['task-2', 'Task 2', 'ui', 'open', 4],
      ['task-3', 'Task 3', 'auth', 'open', 5],
    ]);
  });

  it.each([
    ['- [ ] a', 'open'],
    ['* [x] a', 'done'],
    ['+ [X] a', 'done'],
    ['1. [~] a', 'doing'],
    ['12) [-] a', 'blocked'],
    ['- [!] a', 'blocked'],
    ['-\t[ ]\ta', 'open'],
    ['   - [ ] a', 'open'],
  ])('%j is a task that is %s', (text, status) => {
    expect(parse(text)).toMatchObject({ tasks: [{ title: 'a', status }], problems: [] });
  });

  it.each([
    '- [] a',
    '- [ x] a',
    '- [x ] a',
    '- [ ]a',
    '- [ ](link)',
    '- [ ]',
    '- [xx] a',
    '- [?] a',
    '-[ ] a',
    '[ ] a',
    '    - [ ] indented code',
    '-      [ ] code in an item',
    '> - [ ] quoted',
    '1.[ ] a',
    '\\- [ ] escaped',
    '- `[ ]` a',
  ])('case 82: %j is no task', (odd) => {
    expect(titles(`- [ ] first\n\ntext\n\n${odd}\n\ntext\n\n- [ ] last\n`)).toEqual(['first', 'last']);
  });

  it.each([
    ['backtick fence', '```\n- [ ] no\n```\n'],
    ['tilde fence', '~~~md\n- [ ] no\n```\n- [ ] no\n~~~\n'],
    ['longer fence', '````\n```\n- [ ] no\n```\n````\n'],
    ['fence in an item', '- plain\n  ```\n  - [ ] no\n\n  - [ ] no\n  ```\n'],
    ['fence after a bullet', '- ```\n  - [ ] no\n  ```\n'],
    ['fence in a task', '- [ ] yes\n\n  ```sh\n  - [ ] no\n  ```\n'],
    ['comment over lines', '<!--\n- [ ] no\n\n- [ ] no\n-->\n'],
    ['comment begun after text', 'Old ones: <!-- kept\n- [ ] no\n-->\n'],
    ['comment begun in a task', '- [ ] yes <!-- was\n- [ ] no\n-->\n'],
    ['block quote', '> text\n> - [ ] no\n'],
    ['block quote with a fence', '> ```\n> - [ ] no\n'],
  ])('case 82: a %s holds no task', (_name, block) => {
    expect(titles(`- [ ] above\n\n${block}\n- [ ] below\n`).filter((title) => title !== 'yes')).toEqual([
      'above',
      'below',
    ]);
  });

  it('case 82: a fence left open in an item ends with the item', () => {
    expect(titles('- [ ] a\n  ```\n  - [ ] no\n- [ ] b\n')).toEqual(['a', 'b']);
  });

  it('case 82: a nested checkbox is what the task must fulfil, not a task', () => {
    const { tasks } = parse('- [ ] a\n  - [x] one\n    - [ ] two\n  - three\n- [ ] b\n1. [ ] c\n  - [ ] four\n');
    expect(tasks.map((task) => [task.title, task.acceptance])).toEqual([
      ['a', ['one', 'two', 'three']],
      ['b', []],
      ['c', ['four']],
    ]);
  });

  it('takes checkboxes under a plain bullet, and under each its own points', () => {
    const { tasks } = parse('- Phase 1\n  - [ ] a\n    - point\n  - [ ] b\n- Phase 2\n  - [ ] c\n');
    expect(tasks.map((task) => [task.title, task.acceptance])).toEqual([
      ['a', ['point']],
      ['b', []],
      ['c', []],
    ]);
  });

  it.each([
    ['heading', '- [ ] no\n## Tasks\n- [ ] a\n### Part\n- [ ] b\n## Notes\n- [ ] no\n'],
    ['heading with closing marks', '- [ ] no\n\n##   tasks: ##\n- [ ] a\n- [ ] b\n# End\n- [ ] no\n'],
    ['underlined heading', '- [ ] no\n\nTasks\n-----\n- [ ] a\n- [ ] b\n\nNotes\n-----\n- [ ] no\n'],
    ['two headings', '# x\n## Tasks\n- [ ] a\n## Why\n- [ ] no\n## Tasks\n- [ ] b\n'],
    ['heading with a comment', '- [ ] no\n## Tasks <!-- generated -->\n- [ ] a\n- [ ] b\n'],
  ])('reads only what stands under a Tasks %s', (_name, text) => {
    expect(titles(text)).toEqual(['a', 'b']);
  });

  it('does not take a heading in a fence or in a word for the Tasks heading', () => {
    expect(titles('```\n## Tasks\n```\n## Tasks for later\n- [ ] a\n')).toEqual(['a']);
  });

  it.each([
    ['- [ ] a <!-- group: g --> <!-- id: i -->', 'a'],
    ['- [ ] a <!--id:i--><!--  GROUP :  g  -->', 'a'],
    ['- [ ] <!-- id: i, group: g --> a', 'a'],
    ['- [ ] a <!-- group: g id: i --> b', 'a b'],
    ['- [ ] a\n  <!-- group: g; id: i -->', 'a'],
    ['- [ ] a <!-- group: g\n  id: i -->', 'a'],
  ])('reads id and group of %j and keeps them out of the title', (text, title) => {
    expect(parse(text)).toMatchObject({ tasks: [{ id: 'i', group: 'g', title, body: '' }], problems: [] });
  });

  it('reads priorities, leaves tags and code in the title, drops other comments', () => {
    const { tasks, problems } = parse(
      '- [ ] [QUICK] a <!-- priority: 2 -->\n- [ ] Say `<!-- id: no -->` <!-- note: group: no -->\n- [ ] c <!-- priority: high -->',
    );
    expect(problems).toEqual([]);
    expect(tasks.map(({ title, priority, group }) => [title, priority, group])).toEqual([
      ['[QUICK] a', 2, null],
      ['Say `<!-- id: no -->`', null, null],
      ['c', 1, null],
    ]);
  });

  it('sorts the lines below a task into points, dependencies and body', () => {
    const { tasks, problems } = parse(`- [ ] First thing
- [x] Second, thing
- [ ] Third <!-- id: third -->
  Some text.

  More text:
  \`\`\`js
    call();
  \`\`\`
  - must work
    on every platform
  - **Depends on:** 1, \`second-thing\`
  - [ ] has a test
  - Depends on: Second, thing
- [ ] Fourth
  * depends on: none
- [ ] Fifth
    - DEPENDS ON: third,
      Fourth
`);
    expect(problems).toEqual([]);
    expect(tasks[2]).toMatchObject({
      body: 'Some text.\n\nMore text:\n```js\n  call();\n```',
      acceptance: ['must work on every platform', 'has a test'],
      deps: ['first-thing', 'second-thing'],
    });
    expect(tasks[3]).toMatchObject({ deps: [], acceptance: [] });
    expect(tasks[4]).toMatchObject({ deps: ['third', 'fourth'] });
  });

  it('takes a line that should be indented as text of the task, not as its end or as a heading', () => {
    const { tasks } = parse(
      '## Tasks\n- [ ] a\nand more\n---\n- [ ] b\nlong\n  - point\n    - deeper\nlazy\n\nparagraph\n\n  - no point\n',
    );
    expect(tasks).toMatchObject([
      { title: 'a', body: 'and more' },
      { title: 'b', body: 'long', acceptance: ['point', 'deeper lazy'] },
    ]);
    expect(titles('- x\nlazy\n      - [ ] code\n')).toEqual([]);
  });

  it('takes a number for a position only if no task has it as its id', () => {
    const { tasks } = parse(
      '- [ ] a\n- [ ] b <!-- id: 1 -->\n- [ ] c\n  - Depends on: 1\n- [ ] d\n  - Depends on: #3\n',
    );
    expect(tasks.map((task) => task.deps)).toEqual([[], [], ['1'], ['c']]);
  });

  it('tells what is wrong in the file with line and column', () => {
    expect(
      messages(
        '- [ ] a <!-- group: x\n- [ ] b <!-- id: b --> <!-- id: c -->\n- [ ] <!-- priority: soon -->\n<!-- open\n',
      ),
    ).toEqual([
      '1:9 this comment is never closed',
      '2:24 this task is given its id twice',
      '3:1 this task has no title',
      '3:7 the priority must be a number, P0 to P9, or high, medium, low',
      '4:1 this comment is never closed',
    ]);
    expect(messages('# Only words\n')).toEqual(['1:1 no tasks in this file']);
  });

  it('accepts CRLF, lone CR and a BOM', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = `\uFEFF${SEED_002.replaceAll('\n', end)}`;
      expect(parse(text).tasks.map((task) => [task.id, task.group])).toEqual([
        ['task-1', 'auth'],
        ['task-2', 'ui'],
        ['task-3', 'auth'],
      ]);
    }
  });
});

describe('tickMarkdown', () => {
  it.each([' ', '~', '-', '!'])('case 82: changes the one character of the box [%s]', (mark) => {
    const text = `\uFEFF# P\r\n\r\n\`\`\`\r\n- [ ] b\r\n\`\`\`\r\n- [ ] a\r\n*  [${mark}]\tb  <!-- id: b -->  \r\n   - [ ] b\r\n`;
    expect(tickTask('markdown', text, taskId('b'))).toEqual({ ok: true, text: text.replace(`*  [${mark}]`, '*  [x]') });
  });

  it('says when there is nothing to tick', () => {
    const text = '- [x] a\n- [ ] b <!-- id: d -->\n- [ ] c <!-- id: d -->\n';
    expect(tickTask('markdown', text, taskId('a'))).toEqual({ ok: false, reason: 'already' });
    expect(tickTask('markdown', text, taskId('z'))).toEqual({ ok: false, reason: 'absent' });
    expect(tickTask('markdown', text, taskId('d'))).toEqual({ ok: false, reason: 'unsafe' });
    expect(tickTask('markdown', '', taskId('a'))).toEqual({ ok: false, reason: 'absent' });
  });

  it('ticks one of two equal titles', () => {
    const text = '- [ ] a\n- [ ] a\n';
    expect(tickTask('markdown', text, taskId('a-2'))).toEqual({ ok: true, text: '- [ ] a\n- [x] a\n' });
  });
});
