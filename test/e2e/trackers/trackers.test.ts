import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { idOf, listOf } from '../harness/answers.ts';
import { project } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';

const MARKDOWN = `---
owner: una
---
# Plan   

Some words. - [ ] not a task, it is in a sentence

## Tasks
* [ ] Star <!-- id: star -->
- [x] Done already <!-- id: old -->
- [-] Cancelled <!-- id: never -->
- [!] Blocked <!-- id: stuck -->
1. [ ] Numbered <!-- id: one -->
- [ ]No space
- [] Empty
- [ ] Real <!-- id: real -->
  - accepts this
  - [ ] a box among the acceptance
  - Depends on: star

\`\`\`md
- [ ] In a fence <!-- id: fenced -->
\`\`\`

~~~
- [ ] In another fence <!-- id: fenced-2 -->
~~~

<!--
- [ ] In a comment <!-- id: hidden
-->
- [ ] Last, no newline at the end <!-- id: last -->`;

const JSON_TEXT = `{
    "project":   "odd spacing kept",
  "userStories": [
\t{ "id": "a", "title": "A",  "passes" : false, "notes": {"x": [1,   2]} },
    {"title": "B", "id": "b", "status": "open"   }
  ] }
`;

const YAML_TEXT = `# plan of the week
tasks:
    # first things first
    - id:    a   # the odd one
      title: "A: with colon"
      completed: false   # not yet
    - {id: b, title: B, completed: false}
    - id: c
      title: C      # says nothing of its state
# the end`;

describe('trackers: reading changes nothing, a tick changes its own field only', () => {
  it('A10 case 82 markdown: only real tasks are tasks, and a tick changes only the box', async () => {
    const one = scratch();
    project(one, { tasks: { 'PRD.md': MARKDOWN }, byTask: {} });
    const listed = await ralph(one, ['tasks', 'list', '--json']);
    expect(readFileSync(join(one.repo, 'PRD.md'), 'utf8')).toBe(MARKDOWN);
    const ids = listOf(listed.stdout, 'tasks').map(idOf);
    expect(ids).toEqual(expect.arrayContaining(['star', 'old', 'stuck', 'real', 'last']));
    for (const id of ['fenced', 'fenced-2', 'hidden']) expect(ids).not.toContain(id);
    expect((await ralph(one, ['run', '--parallel'])).code).toBe(0);
    const after = one.git('cat-file', 'blob', 'main:PRD.md');
    const ticked = new Set(['star', 'real', 'last', 'one']);
    const lines = MARKDOWN.split('\n').map((line) => {
      const id = /<!-- id: ([\w-]+) -->/.exec(line)?.[1] ?? '';
      return ticked.has(id) && ids.includes(id) ? line.replace('[ ]', '[x]') : line;
    });
    const odd = /No space|Empty|a box among/;
    const kept = (text: string): string[] => text.split('\n').filter((line) => !odd.test(line));
    expect(kept(after)).toEqual(kept(lines.join('\n')));
  });

  it('S2.3 prd.json: spacing and unknown fields survive landing', async () => {
    const one = scratch();
    project(one, { tasks: { 'prd.json': JSON_TEXT } });
    expect((await ralph(one, ['run', '--parallel'])).code).toBe(0);
    const after = readFileSync(join(one.repo, 'prd.json'), 'utf8');
    expect(after.replace('"passes" : true', '"passes" : false').replace(/"status": "[a-z]+"/, '"status": "open"')).toBe(
      JSON_TEXT,
    );
    expect(after).toContain('"passes" : true');
    expect(after).not.toContain('"open"');
  });

  it('S2.3 tasks.yaml: comments, order and formatting survive landing', async () => {
    const one = scratch();
    project(one, { tasks: { 'tasks.yaml': YAML_TEXT } });
    expect((await ralph(one, ['run', '--parallel'])).code).toBe(0);
    const after = readFileSync(join(one.repo, 'tasks.yaml'), 'utf8');
    const ticked = YAML_TEXT.replaceAll('completed: false', 'completed: true').split('\n');
    // The third task had no field to change: exactly one line may be new.
    const added = after.split('\n').filter((line) => !ticked.includes(line));
    expect(added).toHaveLength(1);
    expect(added[0]).toMatch(/^ {6}(completed: true|status: \w+)/);
    expect(after.split('\n').filter((line) => line !== added[0])).toEqual(ticked);
  });

  it('a task without an id keeps it when lines are inserted above', async () => {
    const one = scratch();
    project(one, { tasks: { 'PRD.md': '# P\n\n- [ ] Add the login page\n- [ ] Twin\n- [ ] Twin\n' } });
    const ids = async (): Promise<string[]> =>
      listOf((await ralph(one, ['tasks', 'list', '--json'])).stdout, 'tasks').map(idOf);
    const before = await ids();
    expect(new Set(before).size).toBe(3);
    one.put(
      'PRD.md',
      '# P\n\nMore words.\n\n- [ ] Something before\n- [ ] Add the login page\n- [ ] Twin\n- [ ] Twin\n',
    );
    expect((await ids()).slice(1)).toEqual(before);
  });

  it('the tick is in the landing commit of its task, also where agents tick or rewrite the file themselves', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a', 'b', 'c'],
      agent: [
        { write: { path: 'PRD.md', text: '- [x] all done, says ${task}\n' } },
        { write: { path: '${task}.txt', text: '${task}' } },
        { claim: true },
      ],
    });
    expect((await ralph(one, ['run', '--parallel'])).code).toBe(0);
    expect(
      one
        .git('show', 'main:PRD.md')
        .split('\n')
        .filter((line) => line.startsWith('- [x] Make')),
    ).toHaveLength(3);
    const landings = one.git('log', '--first-parent', '--format=%H', '-3', 'main').split('\n');
    for (const commit of landings) {
      const changed = one.git('diff', '--name-only', `${commit}^1`, commit).split('\n').sort();
      expect(changed).toEqual(['PRD.md', expect.stringMatching(/^[abc]\.txt$/)]);
    }
  });
});
