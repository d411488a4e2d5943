import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import type { Step } from '../../scripted/scenario.ts';
import { landedTasks } from '../harness/git.ts';
import { processesOf } from '../harness/processes.ts';
import { HONEST, markdownTasks, project, starts } from '../harness/project.ts';
import { promptFor, promptProject, readBook } from '../harness/prompt-project.ts';
import type { Result } from '../harness/ralph.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { say, wait } from '../harness/recovery.ts';
import { scratch } from '../harness/scratch.ts';
import type { Scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const RUN = ['run', '--parallel', '--max-workers', '3'];
const TASKS = ['t1', 't2', 't3', 't4', 't5'];
/** Red until somebody makes the file BUILT. */
const GATE = 'echo the build was never set up; test -e BUILT';
const MENDS: Step = {
  fixOnGateFailure: { when: 'main itself fails its gates', steps: [{ write: { path: 'BUILT', text: 'yes\n' } }] },
};

/** How often the gates of a project ran: each run writes a line outside of it. */
const counting = (one: Scratch, gate: string): string => `echo run >> ${beside(one, 'gates.txt')}; ${gate}`;
const gateRuns = (one: Scratch): number =>
  existsSync(beside(one, 'gates.txt')) ? readFileSync(beside(one, 'gates.txt'), 'utf8').split('\n').length - 1 : 0;

const attempts = async (one: Scratch): Promise<Record<string, number>> => {
  const { stdout } = await ralph(one, ['status', '--json']);
  const { tasks } = JSON.parse(stdout) as { tasks: { id: string; attempts: number }[] };
  return Object.fromEntries(tasks.map((task) => [task.id, task.attempts]));
};
const startsOf = (one: Scratch, task: string): number => starts(one).filter((call) => call.task === task).length;
const isTold = ({ stderr }: Result): boolean =>
  /main itself fails its gates \(\w+\): echo the build[^]*\| the build was never set up/.test(stderr);

describe('mend 7: a gate that is red on main', () => {
  it('mend 7: is said with its end, burns two claims of the earliest task and none of the others, and ends with exit 6', async () => {
    const one = scratch();
    // The first agents are at work before the base is known to be red: they do not wait for it.
    const held = `until test -e ${beside(one, 'at-work')}; do sleep 0.05; done`;
    project(one, { tasks: TASKS, agent: [wait(one, 'go'), ...HONEST], config: { gates: { commands: [held, GATE] } } });
    const run = startRalph(one, RUN);
    await until('three agents', () => starts(one).length === 3);
    writeFileSync(beside(one, 'at-work'), '');
    await run.waitFor(/only t1 continues/);
    writeFileSync(beside(one, 'go'), '');
    const ended = await run.ended;
    expect(ended.code).toBe(6);
    expect(isTold(ended)).toBe(true);
    expect(ended.stderr).toContain('fix main, then: ralph run');
    expect(ended.stderr).toContain('ralph run --anyway');
    expect(startsOf(one, 't1')).toBe(2);
    for (const task of ['t2', 't3']) expect(startsOf(one, task)).toBe(1);
    for (const task of ['t4', 't5']) expect(startsOf(one, task)).toBe(0);
    expect(await attempts(one)).toMatchObject({ t4: 0, t5: 0 });
    expect(processesOf(one.root)).toEqual([]);
    const doctor = await ralph(one, ['doctor', '--json']);
    expect(doctor.stdout).toContain('main itself fails its gates');
    expect((await ralph(one, ['why', 't2'])).stdout).toContain('main itself fails its gates');
    expect((await ralph(one, ['why', 't5'])).stdout).toContain('main itself');
    expect(JSON.parse((await ralph(one, [...RUN, '--dry-run', '--json'])).stdout)).toMatchObject({
      resume: [{ task: 't1' }],
      start: [],
    });
  });

  it('mend 7: the earliest task is told how main fails, mends it, and then the others go on with what they had', async () => {
    const one = scratch();
    project(one, {
      tasks: TASKS,
      agent: [wait(one, 'go'), ...HONEST],
      byTask: { t1: [wait(one, 'go'), { prompt: { path: beside(one, 'prompt') } }, MENDS, ...HONEST] },
      config: { gates: { commands: [GATE] } },
    });
    const run = startRalph(one, RUN);
    await run.waitFor(/only t1 continues/);
    writeFileSync(beside(one, 'go'), '');
    const ended = await run.ended;
    expect(ended.stderr).toContain('main passes its gates');
    expect(ended.code).toBe(0);
    expect(landedTasks(one.git, 'main').sort()).toEqual(TASKS);
    expect(landedTasks(one.git, 'main')[0]).toBe('t1');
    const prompt = readFileSync(beside(one, 'prompt'), 'utf8');
    expect(prompt).toContain('## main itself fails its gates');
    expect(prompt).toContain('the build was never set up');
    // What they claimed before is judged again once main is green, and not made again.
    for (const task of ['t2', 't3', 't4', 't5']) expect(startsOf(one, task)).toBe(1);
    expect(await attempts(one)).toEqual({ t1: 1, t2: 1, t3: 1, t4: 1, t5: 1 });
  });

  it('mend 7: the user mends main while the earliest task is at work, and all go on', async () => {
    const one = scratch();
    project(one, {
      tasks: TASKS,
      byTask: { t1: [say(one), wait(one, 'go'), ...HONEST] },
      config: { gates: { commands: [GATE] } },
    });
    const run = startRalph(one, RUN, { isCheckoutGuarded: false });
    await run.waitFor(/main itself fails its gates/);
    expect(startsOf(one, 't5')).toBe(0);
    one.put('BUILT', 'yes\n');
    one.git('add', 'BUILT');
    one.git('commit', '-q', '-m', 'Set up the build');
    await run.waitFor(/main passes its gates/);
    await until('the last task starts', () => startsOf(one, 't5') === 1);
    writeFileSync(beside(one, 'go'), '');
    const done = await run.ended;
    expect(done.code, done.stderr).toBe(0);
    expect(landedTasks(one.git, 'main').sort()).toEqual(TASKS);
  });

  it('mend 7: where a person lands, what mends main is ready, and the command that lands it is named', async () => {
    const one = scratch();
    project(one, {
      tasks: TASKS,
      byTask: { t1: [MENDS, ...HONEST] },
      config: { gates: { commands: [GATE] }, parallel: { merge_policy: 'manual' } },
    });
    const ended = await ralph(one, RUN);
    expect(ended.code).toBe(6);
    expect(ended.stderr).toContain('next: ralph land t1');
    const land = await ralph(one, ['land', 't1']);
    expect(land.code, land.stderr).toBe(0);
    expect((await ralph(one, [...RUN, '--merge-policy', 'auto_merge'])).code).toBe(0);
    expect(landedTasks(one.git, 'main').sort()).toEqual(TASKS);
  });

  it('mend 7: who mends a gate that is a file of main waits for a person, and the run ends there', async () => {
    const one = scratch();
    const mends: Step = {
      fixOnGateFailure: { when: 'main itself fails', steps: [{ write: { path: 'gate.sh', text: 'true\n' } }] },
    };
    project(one, {
      tasks: TASKS,
      agent: [wait(one, 'go'), ...HONEST],
      byTask: { t1: [wait(one, 'go'), mends, ...HONEST] },
      files: { 'gate.sh': 'echo the gate itself is broken; false\n' },
      config: { gates: { commands: ['sh gate.sh'] } },
    });
    const run = startRalph(one, RUN);
    await run.waitFor(/only t1 continues/);
    writeFileSync(beside(one, 'go'), '');
    const ended = await run.ended;
    expect(ended.code, ended.stderr).toBe(6);
    expect(ended.stderr).toMatch(/parked {2}t1 \(protected\)[^]*next: ralph land t1-/);
    expect(startsOf(one, 't4') + startsOf(one, 't5')).toBe(0);
    expect((await ralph(one, ['land', 't1'])).code).toBe(0);
    expect((await ralph(one, RUN)).code).toBe(0);
    expect(landedTasks(one.git, 'main').sort()).toEqual(TASKS);
  });

  it('mend 7: what a fresh worktree lacks is named as the likely cause, with the setting that brings it', async () => {
    const one = scratch();
    project(one, {
      tasks: ['t1'],
      files: { '.gitignore': 'node_modules/\n.env*\n' },
      config: {
        gates: { commands: ['echo no module named left-pad; test -e node_modules/left-pad'] },
        worktree: { setup: [], copy: ['*.local'] },
      },
    });
    one.put('node_modules/left-pad/index.js', '');
    one.put('.env', 'PORT=1\n');
    one.put('.env.example', 'PORT=\n');
    const doctor = await ralph(one, ['doctor']);
    expect(doctor.stdout).toMatch(/a fresh worktree has no node_modules\n +fix: ralph config set worktree\.setup/);
    const ended = await ralph(one, ['run']);
    expect(ended.code).toBe(6);
    expect(ended.stderr).toMatch(
      /likely cause: a fresh worktree has no node_modules; bring it: ralph config set worktree\./,
    );
    expect(ended.stderr).toContain(`no .env; bring it: ralph config set worktree.copy '["*.local",".env"]'`);
    expect(ended.stderr).not.toContain('.env.example');
  });

  it('mend 7: --anyway starts all, and tells all the same; gates.base = false asks nothing of main', async () => {
    const one = scratch();
    const tasks = ['t1', 't2'];
    project(one, { tasks, config: { gates: { commands: [counting(one, GATE)] }, limits: { iterations: 2 } } });
    const off = await ralph(one, [...RUN, '--set', 'gates.base=false']);
    expect(off.code).toBe(1);
    expect(off.stderr).not.toContain('main itself fails');
    expect(gateRuns(one)).toBe(4);
    for (const task of tasks) await ralph(one, ['tasks', 'reset', task]);
    const anyway = await ralph(one, [...RUN, '--anyway']);
    expect(anyway.code).toBe(1);
    expect(anyway.stderr).toMatch(/main itself fails its gates[^]*--anyway/);
    for (const task of tasks) expect(startsOf(one, task)).toBe(4);
  });

  it('mend 7: a main that is green is tested once, and not again while its tree is the same', async () => {
    const one = scratch();
    project(one, {
      tasks: ['t1'],
      agent: [say(one), wait(one, 'go'), ...HONEST],
      config: { gates: { commands: [counting(one, 'true')] } },
    });
    const run = startRalph(one, ['run', '--events']);
    await until('main was tested', () => run.events().some((event) => event.type === 'base-tested'));
    writeFileSync(beside(one, 'go'), '');
    const done = await run.ended;
    expect(done.code, done.stderr).toBe(0);
    // Main, and the work on top of it.
    expect(gateRuns(one)).toBe(2);
    one.put('PRD.md', `${readFileSync(`${one.repo}/PRD.md`, 'utf8')}${markdownTasks(['t2']).split('\n').at(-2)}\n`);
    const again = await ralph(one, ['run', '--events'], { isCheckoutGuarded: false });
    expect(again.stdout).not.toContain('base-tested');
  });

  it('mend 7: a prompt on a red main is told so, and two red claims end it with exit 6', async () => {
    const one = scratch();
    promptProject(one, 'echo x >> "$name.txt"\necho "<promise>COMPLETE</promise>"', { gates: { commands: [GATE] } });
    const ended = await ralph(one, ['run', '--worktree', promptFor('wish')]);
    expect(ended.code).toBe(6);
    expect(isTold(ended)).toBe(true);
    expect(readBook(one, 'wish.prompt')).toContain('main itself fails its gates');
    expect(readBook(one, 'wish.pwd').split('\n').length - 1).toBe(2);
    expect(ended.stderr).toMatch(/next: ralph loops resume make-wish/);
  });
});
