import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { taskId } from '../../core/model/ids.ts';
import { mergeTracker } from './merge-tracker.ts';
import type { TrackerKind } from './tracker-names.ts';
import { parseTracker, tickTask } from './tracker.ts';

const PRD = '# Plan\n\n- [ ] Login\n- [ ] Logout\n- [ ] Profile\n';

function ticked(kind: TrackerKind, text: string, ...ids: readonly string[]): string {
  return ids.reduce((before, id) => {
    const after = tickTask(kind, before, taskId(id));
    return after.ok ? after.text : before;
  }, text);
}

const merge = (base: string, ours: string, theirs: string, kind: TrackerKind = 'markdown') =>
  mergeTracker(kind, { base, ours, theirs });

describe('mergeTracker', () => {
  it.each([
    ['a task added below the tick', '- [ ] Logout\n', '- [ ] Logout\n- [ ] Search\n'],
    ['a task added above the tick', '- [ ] Login\n', '- [ ] Search\n- [ ] Login\n'],
    ['the text of a neighbour changed', '- [ ] Profile\n', '- [ ] Profile page, with a picture\n'],
    ['a neighbour taken out', '- [ ] Profile\n', ''],
    ['the order turned round', '- [ ] Login\n- [ ] Logout\n', '- [ ] Logout\n- [ ] Login\n'],
    ['a neighbour ticked by hand', '- [ ] Profile\n', '- [X] Profile\n'],
    ['words added to the ticked task', '- [ ] Logout\n', '- [ ] Logout\n  - from every page\n'],
    ['the tick made by both', '- [ ] Logout\n', '- [x] Logout\n'],
  ])('takes the other side as it is and sets its box: %s', (_what, before, after) => {
    const theirs = PRD.replace(before, after);
    const ours = PRD.replace('- [ ] Logout', '- [x] Logout');
    const wanted = theirs.replace('- [ ] Logout', '- [x] Logout');
    expect(merge(PRD, ours, theirs)).toEqual({ how: 'merged', text: wanted });
    expect(merge(PRD, theirs, ours)).toEqual({ how: 'merged', text: wanted });
    const crlf = (text: string): string => text.replaceAll('\n', '\r\n');
    expect(merge(crlf(PRD), crlf(ours), crlf(theirs))).toEqual({ how: 'merged', text: crlf(wanted) });
    expect(merge(PRD, ours, crlf(theirs))).toEqual({ how: 'merged', text: crlf(wanted) });
  });

  it('leaves out the tick of a task that is gone or says something else by now', () => {
    const ours = ticked('markdown', PRD, 'logout');
    for (const theirs of [PRD.replace('- [ ] Logout\n', ''), PRD.replace('Logout', 'Log out everywhere')])
      expect(merge(PRD, ours, theirs)).toEqual({ how: 'merged', text: theirs });
  });

  it('leaves what a person marked as blocked since', () => {
    const ours = ticked('markdown', PRD, 'logout', 'profile');
    const theirs = PRD.replace('- [ ] Logout', '- [-] Logout');
    const wanted = theirs.replace('- [ ] Profile', '- [x] Profile');
    expect(merge(PRD, ours, theirs)).toEqual({ how: 'merged', text: wanted });
    // What was blocked before it landed is done.
    expect(merge(theirs, ticked('markdown', theirs, 'logout'), `${theirs}- [ ] Search\n`)).toMatchObject({
      text: expect.stringContaining('- [x] Logout') as string,
    });
  });

  it('opens nothing that was ticked, and keeps open what a side opened again', () => {
    const base = ticked('markdown', PRD, 'login');
    const ours = ticked('markdown', base, 'logout');
    expect(merge(base, ours, PRD)).toEqual({ how: 'merged', text: ticked('markdown', PRD, 'logout') });
  });

  it('hands on what both sides changed beside the boxes, with the boxes out of dispute', () => {
    const ours = ticked('markdown', PRD, 'logout').replace('# Plan', '# The plan');
    const theirs = `${PRD}- [ ] Search\n`;
    const done = ticked('markdown', PRD, 'logout');
    expect(merge(PRD, ours, theirs)).toEqual({
      how: 'edited',
      levelled: { base: done, ours, theirs: `${done}- [ ] Search\n` },
    });
  });

  it('goes field by field in JSON and YAML, and adds the field where a task has none', () => {
    const json =
      '{ "stories": [\n  { "id": "a", "title": "A", "passes": false },\n  { "id": "b", "title": "B" }\n] }\n';
    const more = json.replace('"B" }', '"B" },\n  {"id": "c", "title": "C", "passes": false}');
    const merged = merge(json, ticked('json', json, 'a', 'b'), more, 'json');
    expect(merged).toEqual({ how: 'merged', text: ticked('json', more, 'a', 'b') });
    expect(merged).toMatchObject({ text: expect.stringContaining('"title": "B", "passes": true') as string });
    const yaml = 'tasks:\n  - id: a # odd\n    title: A\n    completed: no\n  - title: B\n';
    const other = yaml.replace('- title: B', '- title: Before B\n  - title: B');
    expect(merge(yaml, ticked('yaml', yaml, 'a', 'b'), other, 'yaml')).toEqual({
      how: 'merged',
      text: 'tasks:\n  - id: a # odd\n    title: A\n    completed: yes\n  - title: Before B\n  - title: B\n    completed: true\n',
    });
  });

  it('guesses nothing where a version cannot be read or a tick has two places', () => {
    const json = '[{ "id": "a", "title": "A", "passes": false }]';
    expect(merge(json, ticked('json', json, 'a'), json.slice(0, -1), 'json')).toEqual({ how: 'unsafe' });
    const twice = PRD.replace('- [ ] Login', '- [ ] Logout <!-- id: logout -->\n- [ ] Again <!-- id: logout -->');
    expect(merge(PRD, ticked('markdown', PRD, 'logout'), twice)).toEqual({ how: 'unsafe' });
  });

  it('gives every edit of the file its ticks and changes no other byte, whatever the edit is', () => {
    const names = ['Login', 'Logout', 'Profile', 'Search', 'Export', 'Import'];
    const task = fc.constantFrom(...names).map((name) => `- [ ] ${name}`);
    const line = fc.oneof(task, fc.constantFrom('', 'Some words.', '  - a point', '## Tasks', '```'));
    const list = fc.uniqueArray(line, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(list, list, fc.subarray(names), (before, after, done) => {
        const [base, theirs] = [before.join('\n'), after.join('\n')];
        const ours = ticked('markdown', base, ...done.map((name) => name.toLowerCase()));
        const merged = merge(base, ours, theirs);
        expect(merged.how).toBe('merged');
        const text = 'text' in merged ? merged.text : '';
        expect(text.replaceAll('[x]', '[ ]')).toBe(theirs);
        const doneIn = (each: string): readonly string[] =>
          parseTracker('markdown', each).tasks.flatMap((one) => (one.status === 'done' ? [one.id] : []));
        const kept = parseTracker('markdown', theirs).tasks.map((one) => one.id);
        expect([...doneIn(text)].sort()).toEqual(kept.filter((id) => doneIn(ours).includes(id)).sort());
      }),
    );
  });
});
