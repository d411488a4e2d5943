import { describe, expect, it } from 'vitest';
import { taskId } from '../../core/model/ids.ts';
import type { TrackerKind } from './tracker-names.ts';
import { TRACKER_NAMES, trackerKindOf } from './tracker-names.ts';
import { parseTracker, tickTask } from './tracker.ts';

const KINDS: readonly TrackerKind[] = ['markdown', 'json', 'yaml'];
const MEGA = 1_048_576;

const YAML_BOMB = `a: &a [x, x, x, x, x, x, x, x, x]
${'bcdefghi'.replaceAll(/./g, (name) => {
  const inner = String.fromCharCode(name.charCodeAt(0) - 1);
  return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${inner}`).join(', ')}]\n`;
})}tasks:
  - title: t
    acceptance: *i
`;

/** What each of them must be refused for, and where. */
const HOSTILE: readonly (readonly [string, TrackerKind, string, RegExp])[] = [
  ['alias bomb', 'yaml', YAML_BOMB, /^5:8 the aliases expand to more/],
  [
    'flat alias bomb',
    'yaml',
    `x: &x [${'y,'.repeat(999)}y]\ntasks:\n${'- {title: t, deps: *x}\n'.repeat(99)}`,
    /^12:20 the aliases expand to more/,
  ],
  ['20k flow lists', 'yaml', '['.repeat(20_000), /^1:101 more than 100 levels deep/],
  ['a million flow lists', 'yaml', '['.repeat(MEGA), /^1:\d+ more than 100 levels deep/],
  ['20k closed flow lists', 'yaml', `tasks: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, /^1:\d+ more than 100 levels/],
  ['20k flow maps', 'yaml', '{a: '.repeat(20_000), /^1:\d+ more than 100 levels deep/],
  ['500k block lists', 'yaml', '- '.repeat(500_000), /^1:\d+ more than 100 levels deep/],
  [
    '1200 indents',
    'yaml',
    Array.from({ length: 1200 }, (_, n) => `${' '.repeat(n)}a:`).join('\n'),
    /^\d+:\d+ more than 100 levels/,
  ],
  ['600k document marks', 'yaml', '---\n'.repeat(600_000), /too much YAML/],
  ['200k JSON lists', 'json', '['.repeat(200_000), /^1:101 more than 100 levels deep/],
  ['200k JSON objects', 'json', '{"a":'.repeat(200_000), /^1:501 more than 100 levels deep/],
  ['200k commas', 'json', `[${','.repeat(200_000)}`, /^1:2 not valid JSON: value expected/],
  ['duplicate YAML keys', 'yaml', 'tasks:\n- title: a\ntasks:\n- title: b\n', /^3:1 the key "tasks" is there twice/],
  ['tabs', 'yaml', 'tasks:\n- title: a\n\tgroup: b\n', /^3:1 not valid YAML: /],
];

describe('parseTracker', () => {
  it.each(HOSTILE)('case 74: %s is refused with its place', (_name, kind, text, wanted) => {
    const [first] = parseTracker(kind, text).problems;
    expect(`${first?.line}:${first?.column} ${first?.message}`).toMatch(wanted);
    expect(tickTask(kind, text, taskId('t')).ok).toBe(false);
  });

  it.each(KINDS)('case 74: a %s file that is too large, binary or empty is one problem', (kind) => {
    const huge = ' '.repeat(4 * MEGA + 1);
    expect(parseTracker(kind, huge)).toEqual({
      tasks: [],
      problems: [{ line: 1, column: 1, message: 'the file is larger than 4 MB' }],
    });
    expect(parseTracker(kind, 'a\nb\0')).toEqual({
      tasks: [],
      problems: [{ line: 2, column: 2, message: 'the file is not text: it holds a NUL byte' }],
    });
    for (const empty of ['', '\uFEFF', ' \r\n\t']) {
      expect(parseTracker(kind, empty)).toEqual({
        tasks: [],
        problems: [{ line: 1, column: 1, message: 'no tasks in this file' }],
      });
    }
  });

  it.each([
    ['unclosed comments', '<!--\n'.repeat(50_000)],
    ['comments begun in tasks', '- [ ] a <!-- x\n'.repeat(20_000)],
    ['backticks', `- [ ] ${'` `` ``` '.repeat(100_000)}`],
    ['deep bullets', Array.from({ length: 1000 }, (_, n) => `${'  '.repeat(n)}- a`).join('\n')],
    ['one wide line', `- [ ] ${' '.repeat(1_000_000)}a`],
    ['white space in a comment', `- [ ] a <!-- ${' '.repeat(1_000_000)} -->`],
    ['equal titles', '- [ ] a\n'.repeat(20_000)],
    ['fences', '```\n'.repeat(50_000)],
    ['breaks', `${'- '.repeat(500_000)}x`],
  ])('case 74: Markdown of many %s is read without getting stuck', (_name, text) => {
    expect(parseTracker('markdown', text).problems.length).toBeGreaterThanOrEqual(0);
  });
});

describe('trackerKindOf', () => {
  it.each([
    ['PRD.md', 'markdown'],
    ['a/b.MARKDOWN', 'markdown'],
    ['prd.json', 'json'],
    ['.ralph/tasks.yaml', 'yaml'],
    ['tasks.YML', 'yaml'],
    ['tasks', null],
    ['md', null],
    ['a.md/tasks', null],
    ['tasks.toml', null],
  ])('%s: %s', (path, kind) => {
    expect(trackerKindOf(path)).toBe(kind);
  });

  it('knows the kind of every name that is looked for, plain names before those in .ralph', () => {
    expect(TRACKER_NAMES.slice(0, 4)).toEqual(['PRD.md', 'prd.json', 'tasks.yaml', 'tasks.yml']);
    expect(TRACKER_NAMES.every((name) => trackerKindOf(name) !== null)).toBe(true);
    const plain = TRACKER_NAMES.filter((name) => !name.startsWith('.ralph/'));
    const graphs = ['task-graph.yaml', 'task-graph.yml'];
    const lists = plain.filter((name) => !graphs.includes(name));
    const inRalph = (name: string): string => `.ralph/${name}`;
    expect(TRACKER_NAMES).toEqual([...lists, ...lists.map(inRalph), ...graphs, ...graphs.map(inRalph)]);
  });
});
