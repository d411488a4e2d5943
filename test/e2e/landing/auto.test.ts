import { describe, expect, it } from 'vitest';
import { summaryOf } from '../harness/answers.ts';
import { landedTasks } from '../harness/git.ts';
import { forgeProject } from '../forge/project.ts';
import { project } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import type { Step } from '../../scripted/scenario.ts';

const writes = (path: string, lines = 1): readonly Step[] => [
  { write: { path, text: 'line\n'.repeat(lines) } },
  { claim: true },
];

const TASKS = `# Plan

- [ ] Write it down <!-- id: page --> <!-- labels: small -->
- [ ] Write a lot down <!-- id: book --> <!-- labels: small -->
- [ ] Write code <!-- id: code --> <!-- labels: small -->
- [ ] Write it down elsewhere <!-- id: other -->
`;

const SPEC = {
  tasks: { 'PRD.md': TASKS },
  byTask: {
    page: writes('docs/page.md', 2),
    book: writes('docs/book.md', 30),
    code: writes('src/code.ts'),
    other: writes('docs/other.md'),
  },
};
const AUTO = { 'landing.auto': { paths: ['docs/**'], max_lines: 10, labels: ['small'] } };

const WHY: Readonly<Record<string, string>> = {
  book: 'changes 30 lines, and landing.auto.max_lines is 10',
  code: 'changes src/code.ts, which landing.auto.paths does not name',
  other: 'is for a task without a label of landing.auto.labels (small)',
};

describe('what lands without a person', () => {
  it('A19.11 is what fits landing.auto; the rest waits for one', async () => {
    const one = scratch();
    project(one, { ...SPEC, config: AUTO });
    const ran = await ralph(one, ['run', '--json']);
    expect(ran.code, ran.stderr).toBe(1);
    expect(landedTasks(one.git, 'main')).toEqual(['page']);
    const { parked } = summaryOf(ran.stdout);
    expect(parked.map(({ task }) => task).toSorted()).toEqual(['book', 'code', 'other']);
    for (const [task, why] of Object.entries(WHY))
      expect((await ralph(one, ['why', task])).stdout.toLowerCase()).toContain(why.toLowerCase());
    const landed = await ralph(one, ['land', 'code']);
    expect(landed.code, landed.stderr).toBe(0);
    expect(landedTasks(one.git, 'main')).toEqual(['page', 'code']);
  });

  it('A19.11 is merged without an approval, where it is a pull request', async () => {
    const { forge, run } = await forgeProject({ ...SPEC, config: { ...AUTO, forge: { checks: 'none' } } });
    expect((await run(['run'])).code).toBe(0);
    const merger = await run(['merger', '--json']);
    const { merged, waiting } = JSON.parse(merger.stdout) as {
      readonly merged: readonly { readonly task: string }[];
      readonly waiting: readonly { readonly task: string; readonly waits: string }[];
    };
    expect(merged.map(({ task }) => task)).toEqual(['page']);
    const waits = Object.fromEntries(waiting.map(({ task, waits: why }) => [task, why]));
    for (const [task, why] of Object.entries(WHY)) expect(waits[task]).toBe(`a person has to approve it: it ${why}`);
    const code = forge.pulls.find(({ title }) => title.includes('Write code'));
    if (code === undefined) throw new Error('there is none');
    forge.review(code.number, 'rev-token', 'APPROVED');
    await run(['merger']);
    expect(code.merged).not.toBeNull();
  });
});
