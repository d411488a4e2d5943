import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { refsBelow } from '../harness/git.ts';
import { project, starts } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';

const BAD: Readonly<Record<string, string>> = {
  'PRD.md': `# Plan

- [ ] Fine <!-- id: fine -->
- [ ] A <!-- id: ring-a -->
  - Depends on: ring-b
- [ ] B <!-- id: ring-b -->
  - Depends on: ring-a
- [ ] C <!-- id: lost -->
  - Depends on: nowhere
- [ ] D <!-- id: twin -->
- [ ] E <!-- id: twin -->
- [ ] F <!-- id: narcissus -->
  - Depends on: narcissus
`,
  'prd.json': `{
  "userStories": [
    { "id": "fine", "title": "Fine", "passes": false },
    { "id": "ring-a", "title": "A", "dependsOn": ["ring-b"] },
    { "id": "ring-b", "title": "B", "dependsOn": ["ring-a"] },
    { "id": "lost", "title": "C", "depends_on": ["nowhere"] },
    { "id": "twin", "title": "D" },
    { "id": "twin", "title": "E" },
    { "id": "narcissus", "title": "F", "dependsOn": ["narcissus"] }
  ]
}
`,
  'tasks.yaml': `version: 1
tasks:
  - id: fine
    title: Fine
  - id: ring-a
    title: A
    depends_on: [ring-b]
  - id: ring-b
    title: B
    depends_on: [ring-a]
  - id: lost
    title: C
    depends_on: [nowhere]
  - id: twin
    title: D
  - id: twin
    title: E
  - id: narcissus
    title: F
    depends_on: [narcissus]
`,
};

/** Lines of the task that is at fault, and of the field that says so. */
function linesOf(file: string, id: string): number[] {
  const lines = (BAD[file] ?? '').split('\n');
  return lines.flatMap((line, index) => (line.includes(id) ? [index, index + 1, index + 2, index + 3] : []));
}

describe('A7 task files that cannot work', () => {
  it.each(Object.keys(BAD))(
    'A7 case 77 %s: all faults at once with file:line, exit 3, nothing started',
    async (file) => {
      const one = scratch();
      project(one, { tasks: { [file]: BAD[file] ?? '' } });
      const { code, stdout, stderr } = await ralph(one, ['run', '--parallel']);
      expect(code).toBe(3);
      expect(stdout).toBe('');
      const faults: [RegExp, string][] = [
        [/cycle|circle|circular/i, 'ring-'],
        [/nowhere/, 'lost'],
        [/duplicate|twice|already|more than once|same id/i, 'twin'],
        [/itself|self/i, 'narcissus'],
      ];
      for (const [words, id] of faults) {
        const line = stderr.split('\n').find((one) => words.test(one) && one.includes(`${file}:`));
        expect(line, `${words} with file:line in\n${stderr}`).toBeDefined();
        const place = Number(/:(\d+)/.exec(line ?? '')?.[1]);
        expect(linesOf(file, id)).toContain(place);
      }
      expect(starts(one)).toEqual([]);
      expect(refsBelow(one.git, 'refs/heads/ralph/')).toEqual([]);
      const worktrees = join(one.repo, '.ralph/worktrees');
      expect(existsSync(worktrees) ? readdirSync(worktrees) : []).toEqual([]);
    },
  );

  it('A7 the dry run answers the same', async () => {
    const one = scratch();
    project(one, { tasks: { 'PRD.md': BAD['PRD.md'] ?? '' } });
    const { code, stderr } = await ralph(one, ['run', '--parallel', '--dry-run']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/PRD\.md:\d+/);
  });

  it('A7 no task file at all: exit 3 and what to do', async () => {
    const one = scratch();
    project(one, { tasks: {} });
    const { code, stderr } = await ralph(one, ['run', '--parallel']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/PRD\.md|prd\.json|tasks\.yaml|--tasks/);
  });

  it('A7 --tasks with a file that is not there: exit 3, its name in the message', async () => {
    const one = scratch();
    project(one, { tasks: ['a'] });
    const { code, stderr } = await ralph(one, ['run', '--parallel', '--tasks', 'gone.md']);
    expect([2, 3]).toContain(code);
    expect(stderr).toContain('gone.md');
  });
});
