import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { listOf, summaryOf } from '../harness/answers.ts';
import { bundle } from '../harness/bundle.ts';
import { project } from '../harness/project.ts';
import { promptFor, promptProject, PROMISE } from '../harness/prompt-project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import { landedTasks } from '../harness/git.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { fakeProgram } from '../harness/shell-agent.ts';
import { CLAIM, OWN_FILE, promptOf, shellAgent } from '../harness/train.ts';

/** `.env` and `*.ignored` are ignored in every scratch repository. */
const SECRET = 'echo TOKEN=abc > .env; git add -f .env';

function given(one: Scratch, acts: Readonly<Record<string, string>>): void {
  const cases = Object.entries(acts).map(([id, act]) => `${id}) ${act};;`);
  const shell = shellAgent(one, 'shell', `${OWN_FILE}; case $RALPH_TASK_ID in ${cases.join(' ')} esac; ${CLAIM}`);
  project(one, { tasks: Object.keys(acts), config: { agent: 'shell', 'agents.shell': shell } });
}

const onMain = (one: Scratch): readonly string[] => one.git('ls-tree', '-r', '--name-only', 'main').split('\n');

describe('mend 9: files that git ignores, added by force', () => {
  it('mend 9: staged with git add -f, a .env is left out, and the agent is told', async () => {
    const one = scratch();
    given(one, { t1: SECRET });
    const { code, stderr } = await ralph(one, ['run']);
    expect([code, onMain(one).includes('t1.txt'), onMain(one).includes('.env')], stderr).toEqual([0, true, false]);
    const words = 'files were left out of the commit: .env (git ignores it)';
    expect(stderr).toContain(words);
    expect(promptOf(one, 'shell', 't1', 2)).toContain(words);
  });

  it('mend 9: committed by the agent, it waits for a person; one that main tracks lands like any other', async () => {
    const one = scratch();
    one.put('known.ignored', '1\n');
    one.git('add', '-f', 'known.ignored');
    given(one, {
      t1: `${SECRET}; git commit -q -m "All there is"`,
      t2: 'echo 2 > known.ignored; git commit -q -a -m "Two"',
      t3: 'git rm -q --cached known.ignored; : > .gitignore; echo 3 > was.ignored; git add -A; git commit -q -m "Three"',
    });
    const { code, stdout, stderr } = await ralph(one, ['run', '--json']);
    expect([code, summaryOf(stdout).landed], stderr).toEqual([1, ['t2', 't3']]);
    expect(summaryOf(stdout).parked).toMatchObject([
      { task: 't1', reason: 'too-large', why: '.env (git ignores it)', next: expect.stringMatching(/^ralph land t1-/) },
    ]);
    expect(onMain(one)).toEqual(expect.arrayContaining(['was.ignored']));
    const land = await ralph(one, ['land', 't1']);
    expect([land.code, onMain(one).includes('.env')], land.stderr).toEqual([0, true]);
  });

  it('mend 9: in place too', async () => {
    const one = scratch();
    promptProject(one, `echo mine > "$name.txt"\n${SECRET}\n${PROMISE}`);
    const { code, stderr } = await ralph(one, ['run', promptFor('first')], { isCheckoutGuarded: false });
    expect([code, onMain(one).includes('first.txt'), onMain(one).includes('.env')], stderr).toEqual([0, true, false]);
    expect(stderr).toContain('.env (git ignores it)');
  });
});

describe('mend stranger: a repository that an agent left inside', () => {
  const INNER = '[ -e inner ] || { git init -q inner; cd inner; echo x > a; git add a; git commit -q -m x; cd ..; }';

  it('mend stranger: it is named where it is left out, and the agent is told', async () => {
    const one = scratch();
    given(one, { t1: INNER });
    const { code, stderr } = await ralph(one, ['run']);
    expect([code, onMain(one).filter((path) => path.startsWith('inner'))], stderr).toEqual([0, []]);
    expect(stderr).toContain('files were left out of the commit: inner/ (a repository of its own)');
    expect(promptOf(one, 'shell', 't1', 2)).toContain('inner/ (a repository of its own)');
  });

  it('mend stranger: committed as a bare link, it does not land by itself', async () => {
    const one = scratch();
    given(one, { t1: `${INNER}; git add -A 2> /dev/null; git commit -q -m "All there is"` });
    const { stdout, stderr } = await ralph(one, ['run', '--json']);
    expect(summaryOf(stdout).landed, stderr).toEqual([]);
    expect(summaryOf(stdout).parked).toMatchObject([{ task: 't1', why: 'inner (a repository of its own)' }]);
  });
});

/** What is printed, as a person who pastes it does. */
function pasted(one: Scratch, command: string | undefined) {
  const bin = fakeProgram(one, 'ralph', `exec '${process.execPath}' '${bundle().main}' "$@"`);
  const env = { ...one.env, PATH: `${bin}:${one.env['PATH'] ?? ''}` };
  return spawnSync('sh', ['-c', command ?? 'false'], { cwd: one.repo, env, encoding: 'utf8' });
}

describe('mend stranger: commands that are printed work', () => {
  it('mend stranger: what a discarded loop left in the checkout is named, and one line takes it and nothing else away', async () => {
    const one = scratch();
    const acts =
      'echo mine > "$name.txt"; git add "$name.txt"; git commit -q -m x; echo "# more" >> README.md; echo 2 > new.txt';
    promptProject(one, `${acts}\nexit 1`);
    one.put('mine.txt', 'mine\n');
    const before = one.git('status', '--porcelain');
    await ralph(one, ['run', promptFor('first'), '--max-iterations', '1'], { isCheckoutGuarded: false });
    const [row] = listOf((await ralph(one, ['loops', '--json'])).stdout, 'loops');
    const { code, stderr } = await ralph(one, ['loops', 'discard', String(row?.['id']), '-y']);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('still in your checkout: README.md, first.txt, new.txt\n');
    const done = pasted(one, /to remove that: (.+)$/m.exec(stderr)?.[1]);
    expect([done.status, one.git('status', '--porcelain')], done.stderr).toEqual([0, before]);
  });

  it('mend stranger: files of yours in the way of publishing: what is printed publishes, and brings yours back', async () => {
    const one = scratch();
    const lines = 'a\nb\nc\nd\ne\nf\ng\n';
    one.put('known.txt', lines);
    given(one, { t1: 'sed -i s/a/A/ known.txt' });
    one.put('t1.txt', 'my own\n');
    one.put('known.txt', lines.replace('g', 'G'));
    const blocked = await ralph(one, ['run']);
    expect(blocked.code, blocked.stderr).toBe(6);
    expect(blocked.stderr).toContain('known.txt (modified), t1.txt (untracked)');
    const next = pasted(one, /next: (.+)$/m.exec(blocked.stderr)?.[1]);
    expect(next.status, next.stderr).toBe(0);
    expect(one.git('show', 'main:t1.txt')).toBe('made by t1');
    const thens = [...blocked.stderr.matchAll(/then: (?:yours instead of what landed: )?(.+)$/gm)].map(
      ([, one]) => one,
    );
    for (const then of thens) expect(pasted(one, then), then).toMatchObject({ status: 0 });
    expect(one.git('status', '--porcelain')).toBe(' M known.txt\n M t1.txt');
    expect(one.git('diff', '-U0', 'known.txt')).toMatch(/^-g\n\+G$/m);
  });

  it('mend stranger: who lands what was protected sees what it changes there, before it lands', async () => {
    const one = scratch();
    given(one, { t1: 'mkdir -p .github/workflows; echo "on: push" > .github/workflows/a.yml' });
    expect((await ralph(one, ['run'])).stderr).toContain('parked  t1 (protected)');
    const seen = /changes files that later gates and agents use:\n(?: +\|.*\n)* +\| \+on: push\n/;
    expect((await ralph(one, ['land', 't1', '--dry-run'])).stderr).toMatch(seen);
    const land = await ralph(one, ['land', 't1']);
    expect([land.code, seen.test(land.stderr)], land.stderr).toEqual([0, true]);
    expect(land.stderr).not.toContain('made by t1');
    expect(land.stderr.search(seen)).toBeLessThan(land.stderr.indexOf('t1 landed as'));
  });
});

describe('mend stranger: advice that leads on', () => {
  it('mend stranger: green alone and red on main: what is printed lets its agent mend it, and does not name itself again', async () => {
    const one = scratch();
    const work = `[ -e ${beside(one, 'mends')} ] && rm -f *.lock || : > $RALPH_TASK_ID.lock`;
    const config = {
      agent: 'shell',
      'agents.shell': shellAgent(one, 'shell', `${work}; ${OWN_FILE}; ${CLAIM}`),
      gates: { commands: ['set -- *.lock; [ $# -lt 2 ]'] },
      parallel: { enabled: true, max_workers: 2, merge_policy: 'manual' },
      landing: { max_attempts: 0 },
    };
    project(one, { tasks: ['a', 'b'], config });
    expect((await ralph(one, ['run'])).stderr).toContain('2 ready');
    const land = await ralph(one, ['land', '--all']);
    expect(land.stderr).toMatch(/parked {2}\w \(red\)/);
    const next = /next: (ralph loops resume (\w)-\S+)/.exec(land.stderr);
    writeFileSync(beside(one, 'mends'), '');
    const resumed = pasted(one, next?.[1]);
    expect(resumed.status, land.stderr + resumed.stderr).toBe(0);
    await ralph(one, ['run']);
    const again = await ralph(one, ['land', '--all']);
    expect([again.code, landedTasks(one.git, 'main').sort()], again.stderr).toEqual([0, ['a', 'b']]);
  });

  it('mend stranger: who has looked at what was put aside is told how to let it in, and how not to', async () => {
    const one = scratch();
    given(one, { t1: `${SECRET}; git commit -q -m "All there is"` });
    const [parked] = summaryOf((await ralph(one, ['run', '--json'])).stdout).parked;
    expect(parked?.reason).toBe('too-large');
    const [row] = listOf((await ralph(one, ['loops', '--json'])).stdout, 'loops');
    const id = String(row?.['id']);
    const seen = await ralph(one, ['loops', 'diff', id]);
    expect([seen.code, seen.stderr]).toEqual([0, expect.stringContaining(`next: ralph land ${id}   or discard it`)]);
  });
});
