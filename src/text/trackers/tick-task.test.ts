import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { taskId } from '../../core/model/ids.ts';
import type { TaskStatus } from '../../core/model/task.ts';
import type { TrackerKind } from './tracker-names.ts';
import { parseTracker, tickTask } from './tracker.ts';

/** A generated file: its tasks by id, and the lines or parts it was written from. */
interface Sample {
  readonly kind: TrackerKind;
  readonly text: string;
  readonly count: number;
}

const word = fc.constantFrom(
  'Add',
  'login',
  'page',
  'Fix',
  'C++',
  'retry',
  '日本',
  'v2',
  '`code`',
  '[QUICK]',
  '"q"',
  "it's",
  '<b>',
  '#1',
);
const title = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
const newline = fc.constantFrom('\n', '\r\n');
const bom = fc.constantFrom('', '\uFEFF');
const pick = <Item>(...items: Item[]) => fc.constantFrom(...items);

const markdownTask = fc
  .record({
    marker: pick('-', '*', '+', '1.', '7)'),
    gap: pick(' ', '  ', '\t'),
    mark: pick(' ', 'x', 'X', '~', '-', '!'),
    title,
    comment: pick('', ' <!-- group: g -->', '<!--note-->  ', ' <!-- priority: 1 --> '),
    below: fc.array(
      pick('   - [ ] point', '   - plain', '   body', '', '   <!-- - [ ] x -->', '   ```\n   - [ ] x\n   ```'),
      { maxLength: 3 },
    ),
  })
  .map(({ marker, gap, mark, title: text, comment, below }) =>
    [`${marker}${gap}[${mark}] ${text}${comment}`, ...below].join('\n'),
  );
const markdownNoise = pick(
  '',
  'Some text.',
  '### Part',
  '```\n- [ ] no\n```',
  '<!--\n- [ ] no\n-->',
  '> - [ ] no',
  '- [] odd',
  '~~~\n- [ ] no\n\n~~~',
);
const markdown: fc.Arbitrary<Sample> = fc
  .tuple(bom, newline, fc.array(fc.tuple(markdownNoise, markdownTask), { minLength: 1, maxLength: 8 }), fc.boolean())
  .map(([start, end, parts, headed]) => ({
    kind: 'markdown',
    count: parts.length,
    text:
      start +
      [headed ? '## Tasks\n' : '# P\n', ...parts.flatMap(([noise, task]) => ['', noise, '', task])]
        .join('\n')
        .replaceAll('\n', end),
  }));

const doneField = pick(
  '',
  '"passes": false',
  '"passes" :true',
  '"status":  "open"',
  '"status": "done", "passes": false',
  '"completed": null',
);
const json: fc.Arbitrary<Sample> = fc
  .tuple(
    bom,
    newline,
    fc.array(
      fc.tuple(title, doneField, pick('', '"notes": "a: \\"}\\u0041"', '"x": [1, {"passes": false}]'), fc.boolean()),
      { minLength: 1, maxLength: 8 },
    ),
    pick(', ', ',', '\n  , ', ',\n      ', ' ,\t'),
  )
  .map(([start, end, tasks, gap]) => {
    const items = tasks.map(([text, done, extra, first]) => {
      const own = `"title": ${JSON.stringify(text)}`;
      const fields = (first ? [done, own, extra] : [own, extra, done]).filter((field) => field !== '');
      return `{ ${fields.join(gap)} }`;
    });
    return {
      kind: 'json',
      count: tasks.length,
      text: `${start}{"stories" :\n[${items.join(gap)}]}\n`.replaceAll('\n', end),
    };
  });

const yamlField = pick(
  'completed: false  # soon',
  "completed: 'false'",
  'completed: no',
  'completed:',
  'completed: true',
  'status: open',
  'status: "in progress"   ',
  'group: g',
  'description: |\n  completed: false\n\n  x\n',
  'acceptance:\n  - Rule 1: works\n  - plain # c',
  'depends_on: []',
  '# completed: false',
);
const yamlTask = fc
  .tuple(
    title,
    fc.uniqueArray(yamlField, {
      maxLength: 4,
      selector: (field) => (/^(?:completed|status)/.test(field) ? 'done' : field.split(':')[0]),
    }),
    fc.boolean(),
  )
  .map(([text, fields, first]) => {
    const own = `title: ${JSON.stringify(text)}`;
    const lines = (first ? [own, ...fields] : [...fields.filter((field) => !field.startsWith('#')), own])
      .join('\n')
      .split('\n');
    return lines.map((line, index) => (line === '' ? '' : `${index === 0 ? '- ' : '  '}${line}`)).join('\n');
  });
const yamlFlowTask = fc
  .tuple(title, pick('', ', completed: false', ' ,  status: open', ', group: g,'))
  .map(([text, rest]) => `- { title: ${JSON.stringify(text)}${rest} }  # flow`);
const yaml: fc.Arbitrary<Sample> = fc
  .tuple(
    bom,
    newline,
    fc.array(fc.tuple(pick('', '# note', '\n'), fc.oneof(yamlTask, yamlFlowTask)), { minLength: 1, maxLength: 8 }),
    pick('', '\n', '\n# end\n'),
  )
  .map(([start, end, tasks, tail]) => ({
    kind: 'yaml',
    count: tasks.length,
    text:
      start +
      `version: 1\ntasks:\n${tasks.map(([noise, task]) => `${noise}\n${task}`).join('\n')}${tail}`.replaceAll(
        '\n',
        end,
      ),
  }));

const statuses = (kind: TrackerKind, text: string) =>
  new Map<string, TaskStatus>(parseTracker(kind, text).tasks.map((task) => [task.id, task.status]));

/** How much of two texts is the same from the front and from the back. */
function changed(before: string, after: string): { removed: string; added: string } {
  let front = 0;
  while (front < before.length && before[front] === after[front]) front += 1;
  let back = 0;
  while (back < before.length - front && back < after.length - front && before.at(-1 - back) === after.at(-1 - back))
    back += 1;
  return { removed: before.slice(front, before.length - back), added: after.slice(front, after.length - back) };
}

describe('tickTask', () => {
  it.each([
    ['markdown', markdown],
    ['json', json],
    ['yaml', yaml],
  ] as const)('case 82: marks one task of any %s file done and leaves every other byte alone', (_name, sample) => {
    fc.assert(
      fc.property(sample, fc.nat(), ({ kind, text, count }, seed) => {
        const before = parseTracker(kind, text);
        expect(before.problems).toEqual([]);
        expect(before.tasks).toHaveLength(count);
        const task = before.tasks[seed % count];
        const result = tickTask(kind, text, taskId(task?.id ?? ''));
        if (task?.status === 'done') {
          expect(result).toEqual({ ok: false, reason: 'already' });
          return;
        }
        if (!result.ok) throw new Error(`not ticked: ${result.reason}`);
        expect(statuses(kind, result.text)).toEqual(statuses(kind, text).set(task?.id ?? '', 'done'));
        const { removed, added } = changed(text, result.text);
        expect(removed).toMatch(kind === 'markdown' ? /^[ ~!-]$/ : /^(?:[a-z ]{0,11}|[a-z]+", "passes": [a-z]+)$/);
        expect(added.length).toBeLessThan(50);
        expect(tickTask(kind, result.text, taskId(task?.id ?? ''))).toEqual({ ok: false, reason: 'already' });
      }),
      { numRuns: 100 },
    );
  });

  it('keeps derived ids when lines and other tasks are put above', () => {
    const own = fc.uniqueArray(title, { selector: (text) => text.toLowerCase(), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        own,
        fc.array(
          fc.oneof(
            markdownNoise,
            fc.string({ maxLength: 9 }).map((text) => `- [ ] other task ${text}`),
          ),
        ),
        (titles, above) => {
          const rows = titles.map((text) => `- [ ] ${text}`);
          const before = parseTracker('markdown', `# P\n\n${rows.join('\n')}`).tasks.map((task) => task.id);
          const after = parseTracker('markdown', `# P\n\n${[...above, '', ...rows].join('\n\n')}`).tasks.map(
            (task) => task.id,
          );
          expect(after.slice(-before.length)).toEqual(before);
        },
      ),
    );
  });

  it('reads whatever it is given without throwing', () => {
    const piece = pick(
      '- ',
      '[ ] ',
      '[',
      '{',
      ']',
      '}',
      ':',
      ',',
      '"',
      "'",
      '\n',
      '\r',
      '  ',
      '\t',
      '|',
      '>',
      '&a ',
      '*a',
      '!!x ',
      '<!--',
      '-->',
      '```',
      '#',
      '?',
      '%',
      '---\n',
      'title',
      'tasks',
      '\\',
      '\uFEFF',
      'x',
      '\uD800',
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(text, (any) => {
        for (const kind of ['markdown', 'json', 'yaml'] as const) {
          const { tasks, problems } = parseTracker(kind, any);
          expect(tasks.length + problems.length).toBeGreaterThan(0);
          for (const problem of problems) expect(Math.min(problem.line, problem.column)).toBeGreaterThan(0);
          for (const task of tasks) tickTask(kind, any, task.id);
        }
      }),
      { numRuns: 300 },
    );
  });
});
