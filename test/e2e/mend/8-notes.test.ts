import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { promptFor, promptProject, PROMISE, readBook, writeAgent } from '../harness/prompt-project.ts';
import { ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { shellProject } from '../harness/shell-agent.ts';

/** What agents of this kind write for themselves. */
const NOTES_SH = `mkdir -p .agent .ralph/agent
echo "thinking about $name" > .agent/scratchpad.md
echo '{"topic":"x"}' > .ralph/events.jsonl
echo deep > .ralph/agent/tasks.jsonl
`;
const WORK_SH = 'echo "made by $name" > "$name.txt"\n';
/** As a person finds them in the files of main. */
const notesOnMain = (one: Scratch): string => one.git('ls-tree', '-r', '--name-only', 'main', '--', '.agent', '.ralph');

/** Notes that an agent makes in place stay there. */
const OPEN = { isCheckoutGuarded: false };

interface Listed {
  readonly text: string;
  readonly by: string;
}
const memories = async (one: Scratch): Promise<readonly Listed[]> => {
  const listed = JSON.parse((await ralph(one, ['memory', 'list', '--json'])).stdout) as unknown;
  return (Array.isArray(listed) ? listed : (listed as { memories: Listed[] }).memories) as Listed[];
};

describe('notes of agents', () => {
  it('mend 8: what an agent writes below .ralph/ and .agent/ neither parks its loop nor lands, however it is committed', async () => {
    const ways = {
      left: '',
      added: 'git add -A; git commit -q -m "All there is"',
      forced: 'git add -f .agent .ralph "$name.txt"; git commit -q -m "By force"',
      staged: 'git add -f .agent .ralph',
      cleaned:
        'git clean -fdxq; echo again > "$name.txt"; mkdir -p .agent; echo x > .agent/x; git add -A; git commit -qm x',
    };
    const one = scratch();
    shellProject(one, `name=$RALPH_TASK_ID\n${NOTES_SH}${WORK_SH}case $name in ${caseOf(ways)} esac\n${PROMISE}`, {
      tasks: Object.keys(ways),
    });
    const run = await ralph(one, ['run']);
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('5 landed, 0 ready, 0 parked')]);
    expect(notesOnMain(one)).toBe('');
    for (const name of Object.keys(ways)) expect(one.git('show', `main:${name}.txt`), name).not.toBe('');
    expect(one.git('status', '--porcelain')).toBe('');
  });

  it('mend 8: each loop has its own, ignored in its worktree, and they are kept with the transcript', async () => {
    const one = scratch();
    const look = `ls -A .agent .ralph >> "$BOOKS/$name.seen" 2>&1 || true\ngit status --porcelain >> "$BOOKS/$name.status"\n`;
    promptProject(one, `${look}${NOTES_SH}git status --porcelain >> "$BOOKS/$name.status"\n${WORK_SH}${PROMISE}`);
    for (const name of ['first', 'second']) {
      const run = await ralph(one, ['run', '--worktree', promptFor(name)]);
      expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('1 landed')]);
      expect(readBook(one, `${name}.seen`)).not.toContain('scratchpad.md');
      expect(readBook(one, `${name}.status`)).toBe('');
    }
    const runs = join(one.repo, '.git/paralph/runs');
    const [first = ''] = readdirSync(runs).filter((name) => name.startsWith('make-first-'));
    const kept = join(runs, first, '1/notes');
    expect(readFileSync(join(kept, '.agent/scratchpad.md'), 'utf8')).toBe('thinking about first\n');
    expect(existsSync(join(kept, '.ralph/agent/tasks.jsonl'))).toBe(true);
  });

  it('mend 8: a path that the target tracks is an ordinary file, or a protected one', async () => {
    const one = scratch();
    promptProject(one, `echo changed >> .agent/rules.md\n${NOTES_SH}${WORK_SH}${PROMISE}`);
    one.put('.agent/rules.md', 'rules\n');
    one.put('.ralph/prompts/iteration.md', 'see {{task_body}} {{promise_rule}}\n');
    one.git('add', '-A', '-f');
    one.git('commit', '-q', '-m', 'Track some');
    const run = await ralph(one, ['run', '--worktree', promptFor('ordinary')]);
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('1 landed')]);
    expect(one.git('show', 'main:.agent/rules.md')).toBe('rules\nchanged');
    expect(notesOnMain(one)).toBe('.agent/rules.md\n.ralph/prompts/iteration.md');
    writeAgent(one, `echo more >> .ralph/prompts/iteration.md\n${WORK_SH}${PROMISE}`);
    const held = await ralph(one, ['run', '--worktree', promptFor('guarded')]);
    expect([held.code, held.stderr]).toEqual([1, expect.stringMatching(/parked.*\(protected\).*iteration\.md/)]);
  });

  it.each([['--worktree'], ['--exclusive']])(
    'mend 8: .agent/memories.md shows the memories; what is written below them is one more (%s)',
    async (place) => {
      const one = scratch();
      promptProject(
        one,
        `cp .agent/memories.md "$BOOKS/$name.page"
sed -i.bak 's/use pnpm/use yarn/' .agent/memories.md
echo 'the gate needs node 20' >> .agent/memories.md
echo '- tests live in spec/' >> .agent/memories.md
${WORK_SH}${PROMISE}`,
      );
      await ralph(one, ['memory', 'add', 'use pnpm']);
      const run = await ralph(one, ['run', place, promptFor('first')], OPEN);
      expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('1 landed')]);
      expect(readBook(one, 'first.page')).toContain('use pnpm');
      const all = await memories(one);
      expect(all.map(({ text }) => text).toSorted()).toEqual([
        'tests live in spec/',
        'the gate needs node 20',
        'use pnpm',
      ]);
      expect(all.filter(({ by }) => by.startsWith('make-first-now-'))).toHaveLength(2);
      expect(notesOnMain(one)).toBe('');
      expect(one.git('status', '--porcelain')).toBe('');
      writeAgent(
        one,
        `cp .agent/memories.md "$BOOKS/$name.page"\necho 'all mine' > .agent/memories.md\n${WORK_SH}${PROMISE}`,
      );
      expect((await ralph(one, ['run', place, promptFor('second')], OPEN)).code).toBe(0);
      expect(readBook(one, 'second.page')).toMatch(/tests live in spec\/[^]*use pnpm/);
      expect(await memories(one)).toHaveLength(3);
    },
  );

  it('mend 8: in place, a page and notes of yours stay as they are', async () => {
    const one = scratch();
    promptProject(one, `echo '- not for all' >> .agent/memories.md\n${NOTES_SH}git add -A\n${WORK_SH}${PROMISE}`);
    one.put('.agent/memories.md', '# Mine\n');
    one.put('.agent/plan.md', 'my plan\n');
    const run = await ralph(one, ['run', promptFor('first')], OPEN);
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('1 landed')]);
    expect(readFileSync(join(one.repo, '.agent/plan.md'), 'utf8')).toBe('my plan\n');
    expect(readFileSync(join(one.repo, '.agent/memories.md'), 'utf8')).toMatch(/^# Mine\n/);
    expect(existsSync(join(one.repo, '.agent/.gitignore'))).toBe(false);
    expect(notesOnMain(one)).toBe('');
  });
});

function caseOf(ways: Readonly<Record<string, string>>): string {
  return Object.entries(ways)
    .map(([name, script]) => `${name}) ${script === '' ? ':' : script};;`)
    .join(' ');
}
