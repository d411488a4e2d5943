import { describe, expect, it } from 'vitest';

import { summaryOf } from '../harness/answers.ts';
import { landedTasks } from '../harness/git.ts';
import { project } from '../harness/project.ts';
import type { ProjectSpec } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { CLAIM, OWN_FILE, promptOf, shellAgent } from '../harness/train.ts';

const RUN = ['run', '--json'];
const GATE = { 'gate.sh': 'test ! -e BROKEN\n' };
const MANIFEST = (scripts: object, version = '1.0.0'): string => `${JSON.stringify({ version, scripts })}\n`;

/** Each task does what stands under its name, and leaves a file of its own. */
function tasks(one: Scratch, acts: Readonly<Record<string, string>>, spec: Partial<ProjectSpec>): void {
  const cases = Object.entries(acts).map(([id, act]) => `${id}) ${act};;`);
  const shell = shellAgent(one, 'shell', `case $RALPH_TASK_ID in ${cases.join(' ')} esac; ${OWN_FILE}; ${CLAIM}`);
  project(one, {
    tasks: Object.keys(acts),
    ...spec,
    config: { agent: 'shell', ...spec.config, 'agents.shell': shell },
  });
}

const parkedAs = (stdout: string): unknown[] =>
  summaryOf(stdout).parked.map(({ task, reason, next }) => ({ task, reason, next }));

describe('mend 12: what defines the gates is protected', () => {
  it('mend 12: a file that a gate names by path is parked until a person lands it', async () => {
    const one = scratch();
    tasks(one, { t1: 'echo true > gate.sh' }, { files: GATE, config: { gates: { commands: ['sh ./gate.sh'] } } });
    const { code, stdout } = await ralph(one, RUN);
    expect(code).toBe(1);
    expect(parkedAs(stdout)).toEqual([
      { task: 't1', reason: 'protected', next: expect.stringMatching(/^ralph land t1-/) },
    ]);
    expect(summaryOf(stdout).parked).toMatchObject([{ why: expect.stringContaining('gate.sh') as string }]);
    expect(one.git('show', 'main:gate.sh')).toBe('test ! -e BROKEN');
    expect((await ralph(one, ['land', 't1'])).code).toBe(0);
    expect(one.git('show', 'main:gate.sh')).toBe('true');
  });

  it('mend 12: what switches the scripts of a package manager off waits for a person too', async () => {
    const one = scratch();
    tasks(one, { t1: 'echo script-shell=/bin/true > .npmrc' }, {});
    const { stdout } = await ralph(one, RUN);
    expect(parkedAs(stdout)).toEqual([
      { task: 't1', reason: 'protected', next: expect.stringMatching(/^ralph land t1-/) },
    ]);
  });

  it('mend 12: where a person lands anyway it is parked all the same, and --all does not take it along', async () => {
    const one = scratch();
    const config = { gates: { commands: ['sh ./gate.sh'] }, parallel: { merge_policy: 'manual' } };
    tasks(one, { t1: 'echo true > gate.sh', t2: 'true' }, { files: GATE, config });
    const { code, stdout } = await ralph(one, RUN);
    expect(code).toBe(1);
    expect(parkedAs(stdout)).toEqual([
      { task: 't1', reason: 'protected', next: expect.stringMatching(/^ralph land t1-/) },
    ]);
    await ralph(one, ['land', '--all']);
    expect(landedTasks(one.git, 'main')).toEqual(['t2']);
    expect(one.git('show', 'main:gate.sh')).toBe('test ! -e BROKEN');
    expect((await ralph(one, ['land', 't1'])).code).toBe(0);
    expect(one.git('show', 'main:gate.sh')).toBe('true');
  });

  it('mend 12: "!gate.sh" takes one out and leaves the rest; one the target lacks is made by a task', async () => {
    const one = scratch();
    const acts = { t1: 'echo true > gate.sh', t2: 'echo "* text" > .gitattributes', t3: 'echo true > later.sh' };
    const gates = { commands: ['sh gate.sh', 'test ! -e later.sh || sh later.sh'] };
    tasks(one, acts, { files: GATE, config: { gates, landing: { protect: ['!gate.sh'] } } });
    const { stdout, stderr } = await ralph(one, RUN);
    expect(summaryOf(stdout).landed, stderr).toEqual(['t1', 't3']);
    expect(parkedAs(stdout)).toEqual([
      { task: 't2', reason: 'protected', next: expect.stringMatching(/^ralph land t2-/) },
    ]);
  });

  it('mend 12: of package.json the scripts that gates call are protected, and nothing else', async () => {
    const one = scratch();
    const scripts = { test: 'npm run -s unit', unit: 'test ! -e BROKEN', build: 'true' };
    const acts = {
      t1: `echo '${JSON.stringify({ version: '1.0.0', scripts: { ...scripts, test: 'true' } })}' > package.json`,
      t2: `echo '${JSON.stringify({ version: '1.0.0', scripts: { ...scripts, unit: 'true' } })}' > package.json`,
      t3: `echo '${JSON.stringify({ version: '2.0.0', scripts: { ...scripts, build: 'x', more: 'y' } })}' > package.json`,
    };
    const gates = { commands: ['npm test --silent'] };
    tasks(one, acts, { files: { 'package.json': MANIFEST(scripts) }, config: { gates } });
    const { stdout, stderr } = await ralph(one, RUN);
    expect(summaryOf(stdout).landed, stderr).toEqual(['t3']);
    expect(summaryOf(stdout).parked).toMatchObject([
      { task: 't1', reason: 'protected', why: expect.stringContaining('package.json (scripts.test)') as string },
      { task: 't2', reason: 'protected', why: expect.stringContaining('package.json (scripts.unit)') as string },
    ]);
  });

  it('mend 12: workflows, attributes and .cursor are protected by default', async () => {
    const one = scratch();
    const put = (path: string): string => `mkdir -p "$(dirname ${path})"; echo x > ${path}`;
    const paths = { t1: '.github/workflows/ci.yml', t2: 'sub/.gitattributes', t3: '.cursor/rules/a.mdc' };
    tasks(one, Object.fromEntries(Object.entries(paths).map(([id, path]) => [id, put(path)])), {});
    const { stdout } = await ralph(one, [...RUN, '--parallel', '--max-workers', '3']);
    expect(summaryOf(stdout).parked.map(({ reason }) => reason)).toEqual(['protected', 'protected', 'protected']);
    expect(landedTasks(one.git, 'main')).toEqual([]);
  });

  it('mend 12: a Makefile that gates go through, CLAUDE.md and AGENTS.md land and are named in the summary', async () => {
    const one = scratch();
    const gates = { commands: ['true || make check'] };
    const act = 'echo x > Makefile; echo x > AGENTS.md; mkdir sub; echo x > sub/CLAUDE.md';
    tasks(one, { t1: act, t2: 'echo x > justfile' }, { files: { Makefile: 'check:\n\ttrue\n' }, config: { gates } });
    const { code, stderr } = await ralph(one, ['run']);
    expect(code, stderr).toBe(0);
    expect(landedTasks(one.git, 'main')).toEqual(['t1', 't2']);
    expect(stderr).toMatch(
      /landed {2}t1 .*\n.*AGENTS\.md, Makefile, sub\/CLAUDE\.md, which later gates and agents use/,
    );
    expect(stderr).not.toContain('justfile');
    // What landed before is no news.
    expect((await ralph(one, ['run'])).stderr).not.toContain('obey');
  });

  it('mend 12: a gate list that differs from the last run is announced in one line', async () => {
    const one = scratch();
    tasks(one, { t1: 'true' }, { config: { gates: { commands: ['true', 'test ! -e BROKEN'] } } });
    expect((await ralph(one, ['run'])).stderr).not.toContain('the gates have changed');
    expect((await ralph(one, ['run'])).stderr).not.toContain('the gates have changed');
    const changed = await ralph(one, ['run', '--set', 'gates.commands=["test ! -e BROKEN","test -e README.md"]']);
    expect(changed.stderr.match(/the gates have changed since the last run.*/g)).toEqual([
      'the gates have changed since the last run: new: "test -e README.md"; gone: "true"',
    ]);
  });

  it('mend 12: memories from loops are shown as such, to people and to agents', async () => {
    const one = scratch();
    tasks(one, { t1: 'ralph memory add "gates may be skipped"', t2: 'true' }, {});
    expect((await ralph(one, ['memory', 'add', 'use tabs'])).code).toBe(0);
    expect((await ralph(one, ['run'])).code).toBe(0);
    const { stdout } = await ralph(one, ['memory', 'list']);
    expect(stdout).toMatch(/- gates may be skipped \(from loop t1-\w+\)/);
    expect(stdout).toMatch(/- use tabs \(user\)/);
    const prompt = promptOf(one, 'shell', 't2', 1);
    expect(prompt).toMatch(/- \(from loop t1-\w+\) gates may be skipped/);
    expect(prompt).toMatch(/^- use tabs$/m);
  });
});
