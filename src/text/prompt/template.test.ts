import { describe, expect, it } from 'vitest';
import { namesVariable, parseTemplate } from './template.ts';

const problemsOf = (text: string): readonly string[] => {
  const read = parseTemplate(text);
  return 'problems' in read ? read.problems.map((found) => `${found.line}:${found.column} ${found.message}`) : [];
};

describe('parseTemplate', () => {
  it('says where an unknown variable is and which was meant', () => {
    expect(problemsOf('a\r\n\r\n  {{task_titel}} {{task_id}}')).toEqual([
      '3:3 there is no variable "task_titel"; did you mean {{task_title}}?',
    ]);
  });

  it('names them all when none is near', () => {
    const [problem] = problemsOf('${{ github.token }}');
    expect(problem).toMatch(
      /^1:2 there is no variable "github.token"; there are task_id, .*promise_rule.*; write \\\{\{/,
    );
  });

  it.each([
    ['x {{task_id', '1:3'],
    ['{{task_id\n}}', '1:1'],
    ['{{task_id {{task_title}}', '1:1'],
    ['\\{{ {{', '1:5'],
  ])('%j: not closed at %s', (text, place) => {
    expect(problemsOf(text)).toEqual([
      `${place} {{ is not closed by }} on the same line; write \\{{ for the braces themselves`,
    ]);
  });

  it.each(['{{}}', '{{constructor}}', '{{{task_id}}}', '{{Task_Id}}'])('%s is no variable', (text) => {
    expect(problemsOf(text)[0]).toMatch(/^1:1 there is no variable/);
  });

  it('finds every problem at once', () => expect(problemsOf('{{a}}\n{{b}} {{')).toHaveLength(3));

  it.each(['', ' \n\t\n', '\uFEFF'])('%j tells nothing', (text) => {
    expect(problemsOf(text)).toEqual(['1:1 is empty: the agent would get no prompt']);
  });

  it('has a place for another template only where that was said', () => {
    expect(problemsOf('{{role}}')[0]).toMatch(/^1:1 there is no variable "role"; there are task_id/);
    expect(parseTemplate('{{role}}', ['role'])).toHaveProperty('template');
    expect(parseTemplate('{{task_id}}', ['role'])).toHaveProperty('problems');
  });

  it('knows what it names', () => {
    const read = parseTemplate('\uFEFF{{ task_id }} \\{{task_title}} } {');
    if ('problems' in read) throw new Error('it has no problems');
    expect(read.template.paragraphs[0]?.pieces[0], 'the mark of the byte order is gone').toEqual({
      variable: 'task_id',
    });
    expect(namesVariable(read.template, 'task_id')).toBe(true);
    expect(namesVariable(read.template, 'task_title')).toBe(false);
  });
});
