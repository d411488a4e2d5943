import { describe, expect, it } from 'vitest';
import { taskId } from '../../core/model/ids.ts';
import { addTask } from './add-task.ts';
import { markTask } from './mark-task.ts';
import type { Mark } from './mark-task.ts';
import type { TrackerKind } from './tracker-names.ts';
import { parseTracker } from './tracker.ts';

const GRAPH =
  'nodes:\n  - id: a\n    title: A\n    status: ready # soon\n  - {id: b, title: B, status: pending}\nedges:\n  - {from: a, to: b}\nmeta: {total_tasks: 2}\n';

const mark = (kind: TrackerKind, text: string, to: Mark, reason: string | null = null): string => {
  const marked = markTask(kind, text, taskId('a'), to, reason);
  return marked.ok ? marked.text : marked.reason;
};

describe('markTask', () => {
  it.each([
    ['markdown', '- [ ] A\n- [ ] B\n', '- [-] A\n- [ ] B\n'],
    ['markdown', '- [x] A\n', '- [-] A\n'],
    ['json', '[{"id": "a", "title": "A"}]', '[{"id": "a", "title": "A", "blocked": true}]'],
    ['json', '[{"id": "a", "title": "A", "status": "open"}]', '[{"id": "a", "title": "A", "status": "blocked"}]'],
    ['yaml', '- id: a # one\n  title: A\n', '- id: a # one\n  title: A\n  blocked: true\n'],
    ['yaml', GRAPH, GRAPH.replace('ready #', 'blocked #')],
  ] as const)('blocks and opens again in %s', (kind, text, blocked) => {
    expect(mark(kind, text, 'blocked')).toBe(blocked);
    expect(mark(kind, blocked, 'blocked')).toBe('already');
    expect(parseTracker(kind, mark(kind, blocked, 'open')).tasks[0]?.status).toBe('open');
    expect(markTask(kind, text, taskId('zz'), 'blocked')).toEqual({ ok: false, reason: 'absent' });
  });

  it('counts a graph anew', () => {
    const graph = `${GRAPH.replace('meta: {total_tasks: 2}', 'meta: {total_tasks: 2, by_status: {ready: 1, pending: 1, blocked: 0}}')}`;
    expect(mark('yaml', graph, 'blocked')).toContain('{ready: 0, pending: 1, blocked: 1}');
    expect(mark('yaml', mark('yaml', graph, 'blocked'), 'open')).toContain('{ready: 0, pending: 2, blocked: 0}');
    const added = addTask('yaml', graph, { title: 'C', body: '', group: null, priority: null, deps: [] });
    expect(added?.text).toContain('{total_tasks: 3, by_status: {ready: 1, pending: 2, blocked: 0}}');
  });

  it('keeps the reason where the format has a place for it', () => {
    const said = 'no key: ask "Ann"';
    for (const [kind, text] of [
      ['json', '[{"id": "a", "title": "A"}]'],
      ['yaml', '- id: a\n  title: A\n'],
    ] as const)
      expect(parseTracker(kind, mark(kind, text, 'blocked', said)).tasks[0]?.blockedReason).toBe(said);
  });
});

describe('addTask', () => {
  const task = { title: 'New: one', body: 'Why.', group: 'ui', priority: '1', deps: [taskId('a')] };
  const bare = { title: 'C', body: '', group: null, priority: null, deps: [] };
  it.each([
    ['markdown', '# Plan\n\n## Tasks\n\n- [ ] A\n  - works\n\n## Notes\n\nx\n'],
    ['markdown', '- [ ] A'],
    ['markdown', '- [ ] A\r\n- [ ] B\r\n'],
    ['json', '[{"id": "a", "title": "A"}]'],
    ['json', '{\n  "stories": [\n    {\n      "id": "a",\n      "title": "A"\n    }\n  ]\n}\n'],
    ['yaml', 'version: 1\ntasks:\n  - id: a\n    title: A # here\n# end\n'],
    ['yaml', GRAPH],
    ['yaml', 'nodes: [{id: a, title: A, status: ready}]\nedges: []\n'],
    ['yaml', 'nodes:\n  - {id: a, title: A}\n  - {id: b, title: B}\nedges: [{from: a, to: b}]\n'],
    ['yaml', 'edges: [\n  {from: a, to: b}\n]\nnodes: [\n  {id: a, title: A},\n  {id: b, title: B}\n]\n'],
    ['yaml', 'nodes:\n  - {id: a, title: A, status: ready}'],
  ] as const)('puts one behind the last in %s', (kind, text) => {
    const added = addTask(kind, text, task);
    const tasks = parseTracker(kind, added?.text ?? '').tasks;
    expect(tasks.at(-1)).toMatchObject({
      id: added?.id,
      title: 'New: one',
      group: 'ui',
      priority: 1,
      deps: ['a'],
      body: 'Why.',
    });
    const more = addTask(kind, added?.text ?? '', bare);
    expect(parseTracker(kind, more?.text ?? '').tasks.at(-1)).toMatchObject({ title: 'C', group: null, deps: [] });
    // Nothing that was there is gone.
    const kept = text.split(/\r?\n/).filter((line) => !line.startsWith('meta:'));
    for (const line of kept) expect(more?.text).toContain(line.replace(/[\]},]+$/, ''));
  });

  it('says that there is no place for it', () => {
    expect(addTask('markdown', 'Only words.\n', bare)).toBeNull();
    expect(addTask('yaml', 'tasks: {title: A}\n', bare)).toBeNull();
    expect(addTask('json', '{', bare)).toBeNull();
  });
});
