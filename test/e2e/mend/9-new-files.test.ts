import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { summaryOf } from '../harness/answers.ts';
import { landedTasks } from '../harness/git.ts';
import { project } from '../harness/project.ts';
import type { ProjectSpec } from '../harness/project.ts';
import { promptFor, promptProject, PROMISE } from '../harness/prompt-project.ts';
import { ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { CLAIM, iterationsOf, OWN_FILE, promptOf, shellAgent } from '../harness/train.ts';
import { why } from '../harness/why.ts';

const COMMIT = 'git add -A; git commit -q -m "All there is"';
/** A folder with so many files, without a process for each. */
const fill = (folder: string, count: number): string =>
  `mkdir -p ${folder}; i=0; while [ $i -lt ${count} ]; do echo "$i" > ${folder}/$i.js; i=$((i+1)); done`;
const big = (name: string, mb: number): string => `head -c ${mb * 1024 * 1024} /dev/zero > ${name}`;

function given(one: Scratch, acts: Readonly<Record<string, string>>, spec: Partial<ProjectSpec> = {}): void {
  const cases = Object.entries(acts).map(([id, act]) => `${id}) ${act};;`);
  const shell = shellAgent(one, 'shell', `${OWN_FILE}; case $RALPH_TASK_ID in ${cases.join(' ')} esac; ${CLAIM}`);
  const config = { agent: 'shell', ...spec.config, 'agents.shell': shell };
  project(one, { ...spec, tasks: Object.keys(acts), config });
}

const onMain = (one: Scratch): readonly string[] => one.git('ls-tree', '-r', '--name-only', 'main').split('\n');

describe('mend 9: what is too much to land', () => {
  it('mend 9: 3,001 files of an unignored node_modules and a 60 MB binary are left out, and the agent is told', async () => {
    const one = scratch();
    given(one, { t1: `${fill('node_modules/a', 3001)}; ${big('core.bin', 60)}` });
    const { code, stderr } = await ralph(one, ['run']);
    expect(code, stderr).toBe(0);
    expect(landedTasks(one.git, 'main')).toEqual(['t1']);
    expect(onMain(one)).toContain('t1.txt');
    expect(onMain(one).filter((path) => /node_modules|core\.bin/.test(path))).toEqual([]);
    const words =
      'files were left out of the commit: node_modules/ (3001 files, made by tools), core.bin (60 MB, landing.max_new_mb is 50)';
    expect(stderr).toContain(words);
    expect(promptOf(one, 'shell', 't1', 2)).toContain(words);
    expect(iterationsOf(one, 'shell', 't1')).toBe(2);
  });

  it('mend 9: in commits of its own they are parked as too-large, and ralph land lands them', async () => {
    const one = scratch();
    given(
      one,
      {
        t1: `${fill('node_modules/a', 3)}; ${COMMIT}`,
        t2: `${big('core.bin', 2)}; ${COMMIT}`,
        t3: `${fill('data', 6)}; ${COMMIT}`,
      },
      { config: { landing: { max_new_mb: 1, max_new_files: 5 } } },
    );
    const { code, stdout } = await ralph(one, ['run', '--json']);
    expect(code).toBe(1);
    expect(summaryOf(stdout).parked.map(({ task, reason, next }) => ({ task, reason, next }))).toEqual([
      { task: 't1', reason: 'too-large', next: expect.stringMatching(/^ralph land t1-/) },
      { task: 't2', reason: 'too-large', next: expect.stringMatching(/^ralph land t2-/) },
      { task: 't3', reason: 'too-large', next: expect.stringMatching(/^ralph land t3-/) },
    ]);
    expect(summaryOf(stdout).parked).toMatchObject([
      { why: 'node_modules/ (3 files, made by tools)' },
      { why: 'core.bin (2 MB, landing.max_new_mb is 1)' },
      { why: 'data/ (6 files, landing.max_new_files is 5)' },
    ]);
    expect(landedTasks(one.git, 'main')).toEqual([]);
    expect((await why(one, 't2')).sentences.join('\n')).toContain(
      'It adds too much to land without a person: core.bin',
    );
    const land = await ralph(one, ['land', 't1', 't2', 't3']);
    expect(land.code, land.stderr).toBe(0);
    expect(onMain(one)).toEqual(expect.arrayContaining(['node_modules/a/2.js', 'core.bin', 'data/5.js', 't3.txt']));
  });

  it('mend 9: what is left uncommitted over a limit is left out: the largest file, the fullest folder', async () => {
    const one = scratch();
    const acts = { t1: `${big('core.bin', 2)}; mkdir -p src; echo 1 > src/own.js; ${fill('src/made', 6)}` };
    given(one, acts, { config: { landing: { max_new_mb: 1, max_new_files: 5 } } });
    const { code, stderr } = await ralph(one, ['run']);
    expect(code, stderr).toBe(0);
    expect(onMain(one)).toEqual(expect.arrayContaining(['t1.txt', 'src/own.js']));
    expect(onMain(one).filter((path) => /core|made/.test(path))).toEqual([]);
    expect(promptOf(one, 'shell', 't1', 2)).toContain('src/made/ (6 files, landing.max_new_files is 5)');
  });

  it('mend 9: a folder that the target tracks, and files that are only moved, land like any other', async () => {
    const one = scratch();
    const files = { 'dist/a.js': '1\n', ...Object.fromEntries([1, 2, 3, 4].map((n) => [`old/${n}.js`, `${n}\n`])) };
    given(one, { t1: 'echo 2 > dist/b.js', t2: 'mv old new' }, { files, config: { landing: { max_new_files: 2 } } });
    const { code, stderr } = await ralph(one, ['run']);
    expect(code, stderr).toBe(0);
    expect(onMain(one)).toEqual(expect.arrayContaining(['dist/b.js', 'new/1.js', 'new/4.js']));
    expect([1, 2].map((n) => iterationsOf(one, 'shell', `t${n}`))).toEqual([1, 1]);
  });

  it('mend 9: in place they stay where they are, and do not land', async () => {
    const one = scratch();
    promptProject(one, `echo mine > "$name.txt"\n${fill('target/debug', 3)}\n${PROMISE}`);
    const run = await ralph(one, ['run', promptFor('first')], { isCheckoutGuarded: false });
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('1 landed')]);
    expect(run.stderr).toContain('files were left out of the commit: target/ (3 files, made by tools)');
    expect(onMain(one)).toContain('first.txt');
    expect(onMain(one).filter((path) => path.startsWith('target'))).toEqual([]);
    expect(existsSync(join(one.repo, 'target/debug/2.js'))).toBe(true);
  });
});
