import { writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { summaryOf } from '../harness/answers.ts';
import type { Toml } from '../harness/project.ts';
import { HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { claudeLines, shellProject } from '../harness/shell-agent.ts';
import { until } from '../harness/until.ts';

const TASKS = ['t1', 't2', 't3'];
/** Between these two lies always another day. */
const [TODAY, TOMORROW] = [{ TZ: 'Pacific/Pago_Pago' }, { TZ: 'Pacific/Kiritimati' }];

/** Each task costs half a dollar and 1550 tokens. */
function spendingProject(one: Scratch, limits: Toml[string]): void {
  const script = `echo $RALPH_TASK_ID > $RALPH_TASK_ID.txt\n${claudeLines('All made. <promise>COMPLETE</promise>', 0.5)}`;
  shellProject(one, script, { tasks: TASKS, config: { project: limits } }, { driver: 'claude' });
}

interface Status {
  readonly project: { readonly reached: { readonly key: string; readonly next: string } | null };
}

const reachedIn = async (one: Scratch): Promise<Status['project']['reached']> =>
  (JSON.parse((await ralph(one, ['status', '--json'])).stdout) as Status).project.reached;

const landedIn = (stdout: string): readonly string[] => summaryOf(stdout).landed;

describe('limits of the project', () => {
  it.each([
    ['max_cost', 0.5, 'project.max_cost 1'],
    ['max_tokens', 1000, 'project.max_tokens 2000'],
    ['iterations', 1, 'project.iterations 2'],
    ['runtime', '1ms', 'project.runtime '],
  ])(
    'trip 13: %s: exit 7, the same of the next run, named with the key to raise, and raised it goes on',
    async (...row) => {
      const [name, value, raised] = row;
      const one = scratch();
      spendingProject(one, { [name]: value });
      const first = await ralph(one, ['run', '--json']);
      expect([first.code, landedIn(first.stdout)], first.stderr).toEqual([7, ['t1']]);
      expect(first.stderr).toContain(`ralph config set ${raised}`);
      const again = await ralph(one, ['run', '--json']);
      expect([again.code, landedIn(again.stdout)], again.stderr).toEqual([7, []]);
      const { stdout } = await ralph(one, ['status']);
      expect(stdout).toMatch(new RegExp(`limit of the project.*today.*ralph config set ${raised}`, 's'));
      expect(await reachedIn(one)).toMatchObject({ key: `project.${name}` });
      await ralph(one, ['config', 'set', `project.${name}`, name === 'runtime' ? '10h' : '1000000']);
      const raisedRun = await ralph(one, ['run', '--json']);
      expect([raisedRun.code, landedIn(raisedRun.stdout)], raisedRun.stderr).toEqual([0, ['t2', 't3']]);
      expect(await reachedIn(one)).toBe(null);
    },
  );

  it('trip 13: consecutive_failures: loops parked in a row; one that is done begins anew', async () => {
    const one = scratch();
    const bad = [{ exit: 1 }] as const;
    project(one, {
      tasks: ['bad1', 'good', 'bad2', 'bad3', 'left'],
      byTask: { bad1: bad, bad2: bad, bad3: bad },
      config: { limits: { consecutive_failures: 1 }, project: { consecutive_failures: 2 } },
    });
    const { code, stdout, stderr } = await ralph(one, ['run', '--json']);
    expect(code, stderr).toBe(7);
    const { landed, parked, open } = summaryOf(stdout);
    expect([landed, parked.map(({ task }) => task), open]).toEqual([['good'], ['bad1', 'bad2', 'bad3'], ['left']]);
    expect(await reachedIn(one)).toMatchObject({ key: 'project.consecutive_failures' });
    expect((await ralph(one, ['run'])).code).toBe(7);
    // Whoever frees a task has looked at it.
    await ralph(one, ['tasks', 'reset', 'bad3']);
    expect(await reachedIn(one)).toBe(null);
  });

  it('trip 13: by the day they begin anew with it, in total never', async () => {
    const one = scratch();
    project(one, { tasks: TASKS, config: { project: { iterations: 1 } } });
    expect((await ralph(one, ['run'], { env: TODAY })).code).toBe(7);
    expect((await ralph(one, ['run'], { env: TODAY })).code).toBe(7);
    const next = await ralph(one, ['run', '--json'], { env: TOMORROW });
    expect([next.code, landedIn(next.stdout)], next.stderr).toEqual([7, ['t2']]);
    await ralph(one, ['config', 'set', 'project.per', 'total']);
    await ralph(one, ['config', 'set', 'project.iterations', '2']);
    for (const env of [TODAY, TOMORROW]) {
      const total = await ralph(one, ['run'], { env });
      expect(total.code, total.stderr).toBe(7);
      expect(total.stderr).toMatch(/2 of 2 iterations in total/);
    }
    expect(starts(one).map(({ task }) => task)).toEqual(['t1', 't2']);
  });

  it('trip 13: hold for prompts and for what was interrupted, and wrong ones are refused with their line', async () => {
    const one = scratch();
    project(one, {
      tasks: ['t1'],
      agent: { iterations: [[{ write: { path: 'half.txt', text: 'half\n' } }], HONEST] },
      config: { project: { iterations: 1 } },
    });
    const cut = await ralph(one, ['run', '--json']);
    expect(cut.code, cut.stderr).toBe(7);
    expect((await ralph(one, ['run'])).code).toBe(7);
    expect(starts(one)).toHaveLength(1);
    const prompt = await ralph(one, ['run', '--worktree', 'make something']);
    expect([prompt.code, starts(one).length], prompt.stderr).toEqual([7, 1]);
    expect(prompt.stderr).toMatch(
      /error\[E_LIMIT\].*1 of 1 iterations today[^]*fix: ralph config set project\.iterations 2/,
    );
    one.put('ralph.toml', '[project]\nper = "week"\n');
    const wrong = await ralph(one, ['config', 'check'], { isCheckoutGuarded: false });
    expect(wrong.code).toBe(3);
    expect(wrong.stderr).toMatch(/ralph\.toml:2.*`project\.per` must be one of day, total/);
    one.git('checkout', '-q', 'ralph.toml');
  });
});

/** Agents that wait for a word. */
function waiting(one: Scratch): void {
  const agent = [{ waitForFile: { path: beside(one, 'go') } }, ...HONEST];
  project(one, { tasks: TASKS, agent });
}

describe('a run with an end', () => {
  it('trip 13: --for: nothing new starts, what is under way ends in order, exit 0 with what is left named', async () => {
    const one = scratch();
    waiting(one);
    const host = startRalph(one, ['run', '--for', '1s']);
    await until('the agent works', () => starts(one).length === 1);
    await host.waitFor(/the run has reached its time limit.*nothing new starts/);
    writeFileSync(beside(one, 'go'), '');
    const { code, stderr } = await host.ended;
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/1 landed, 0 ready, 0 parked, 2 open[^]*open +t2[^]*open +t3[^]*to continue: ralph run/);
    expect(starts(one)).toHaveLength(1);
    expect((await ralph(one, ['run'])).code).toBe(0);
  });

  it('trip 13: --for gives back a loop that would need another iteration, and the next run goes on with it', async () => {
    const one = scratch();
    project(one, {
      tasks: ['t1'],
      agent: {
        iterations: [
          [{ waitForFile: { path: beside(one, 'go') } }, { write: { path: 'half.txt', text: 'half\n' } }],
          HONEST,
        ],
      },
    });
    const host = startRalph(one, ['run', '--for', '1s', '--json']);
    await host.waitFor(/the run has reached its time limit/);
    writeFileSync(beside(one, 'go'), '');
    const { code, stdout, stderr } = await host.ended;
    expect([code, summaryOf(stdout).stopped], stderr).toEqual([0, ['t1']]);
    expect((await ralph(one, ['run'])).code).toBe(0);
    expect(starts(one).map(({ iteration }) => iteration)).toEqual([1, 2]);
  });

  it('trip 13: --until: the next time the clock on the wall shows that', async () => {
    const one = scratch();
    waiting(one);
    // A clock that stands at 6:59:58 of some morning when it is asked first, and goes on from there.
    const code = beside(one, 'clock.cjs');
    writeFileSync(
      code,
      `const real = Date.now, at = new Date(real()); at.setHours(6, 59, 58, 0);\nconst by = at.getTime() - real();\nDate.now = () => real() + by;\n`,
    );
    const host = startRalph(one, ['run', '--until', '07:00'], { env: { NODE_OPTIONS: `--require=${code}` } });
    await host.waitFor(/the run has reached its time limit \(--until 07:00\)/);
    writeFileSync(beside(one, 'go'), '');
    const { code: exit, stderr } = await host.ended;
    expect(exit, stderr).toBe(0);
    expect(stderr).toMatch(/open +t3/);
  });

  it.each([
    ['--for', 'soon', /--for soon: .*such as 8h/],
    ['--until', '25:00', /--until 25:00: .*such as 07:00/],
    ['--until', 'noon', /--until noon: .*such as 07:00/],
  ])('trip 13: %s %s is refused at once', async (flag, value, words) => {
    const one = scratch();
    project(one, { tasks: TASKS });
    const { code, stderr } = await ralph(one, ['run', flag, value]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(words)]);
    expect(starts(one)).toEqual([]);
  });
});
