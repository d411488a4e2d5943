import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, onTestFinished } from 'vitest';

import { itMounts, smallDisk } from '../../small-disk.ts';
import { processesOf } from '../harness/processes.ts';
import { ralph, startRalph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import type { Scratch } from '../harness/scratch.ts';
import { shellProject } from '../harness/shell-agent.ts';
import { until } from '../harness/until.ts';

const outside = realpathSync(tmpdir());
const disk = smallDisk(32);
const FULL = /warning: .*no space left/i;
const TOLD = /warning: .*no space left/gi;
const OVER = /warning: the disk can be written again/g;

interface Stage {
  readonly one: Scratch;
  /** The agent of this task has begun. */
  readonly begun: (task: string) => Promise<unknown>;
  readonly hasBegun: (task: string, iteration: number) => boolean;
  /** Agents end when this is called. */
  readonly letGo: () => void;
}

/** Agents write their file, then wait for a sign that lies on another disk. `slow` needs a second iteration. */
function stage(tasks: readonly string[], freeMb: number): Stage {
  const signs = mkdtempSync(join(outside, 'ralph-signs-'));
  onTestFinished(() => rmSync(signs, { recursive: true, force: true }));
  const one = scratch();
  onTestFinished(() => disk.free());
  const script = `echo made > $RALPH_TASK_ID.txt; touch ${signs}/$RALPH_TASK_ID-$RALPH_ITERATION
while ! test -e ${signs}/go; do sleep 0.1; done
test $RALPH_TASK_ID-$RALPH_ITERATION = slow-1 || echo '<promise>COMPLETE</promise>'`;
  shellProject(one, script, { tasks, config: { limits: { iterations: 4, grace: '1s', free_mb: freeMb } } });
  const hasBegun = (task: string, iteration: number): boolean => existsSync(join(signs, `${task}-${iteration}`));
  return {
    one,
    begun: (task) => until(`the agent of ${task}`, () => hasBegun(task, 1) && isNoted(one, task)),
    hasBegun,
    letGo: () => writeFileSync(join(signs, 'go'), ''),
  };
}

/** The host has written down whom it started: what it does next is to wait. */
function isNoted(one: Scratch, task: string): boolean {
  const runs = join(one.repo, '.git/paralph/runs');
  const loop = readdirSync(runs).find((name) => name.startsWith(`${task}-`)) ?? '';
  return existsSync(join(runs, loop, '1/identity.json'));
}

/** What is freed meanwhile is taken at once. */
const keepFullUntil = (what: string, isSo: () => boolean): Promise<unknown> =>
  until(what, () => {
    disk.fill();
    return isSo();
  });

const agentsOf = (one: Scratch): number => processesOf(one.root).filter(({ isLoops }) => isLoops).length;
const recordsOf = (one: Scratch): readonly string[] =>
  readdirSync(join(one.repo, '.git/paralph/log'))
    .filter((name) => !name.startsWith('.'))
    .sort();

describe('a disk that gets full while agents work', () => {
  itMounts('case 60: the host waits, agents go on, nothing is written by half, and all lands after', async () => {
    const { one, begun, letGo } = stage(['a', 'b'], 1);
    const run = startRalph(one, ['run', '--parallel', '--max-workers', '2', '--events']);
    await begun('a');
    await begun('b');
    await keepFullUntil('it to be told', () => FULL.test(run.output().stderr));
    expect(agentsOf(one)).toBeGreaterThan(0);
    letGo();
    await keepFullUntil('the agents to end', () => agentsOf(one) === 0);
    const records = recordsOf(one);
    disk.free();
    const { code, stderr } = await run.ended;
    expect(code, stderr).toBe(0);
    expect(recordsOf(one)).toEqual(expect.arrayContaining([...records]));
    // Once for each time: what somebody deletes meanwhile makes room for a moment.
    expect(stderr.match(TOLD)?.length).toBe(stderr.match(OVER)?.length);
    for (const task of ['a', 'b']) expect(one.git('show', `main:${task}.txt`)).toBe('made');
    const told = run.events().map(({ type }) => type);
    expect(told.filter((type) => type === 'command-failed' || type === 'loop-parked')).toEqual([]);
  });

  itMounts('Ctrl-C ends it all the same, and the next run goes on', async () => {
    const { one, begun, letGo } = stage(['a'], 1);
    const run = startRalph(one, ['run', '--parallel']);
    await begun('a');
    await keepFullUntil('it to be told', () => FULL.test(run.output().stderr));
    run.signal('SIGINT');
    const stopped = await run.ended;
    expect(stopped.code, stopped.stderr).toBe(4);
    expect(stopped.stderr).toMatch(/E_DISK/);
    await until('no agent left', () => agentsOf(one) === 0);
    disk.free();
    letGo();
    const { code, stderr } = await ralph(one, ['run', '--parallel']);
    expect(code, stderr).toBe(0);
    expect(one.git('show', 'main:a.txt')).toBe('made');
  });
});

describe('case 60: a disk below the floor', () => {
  itMounts('lets what runs go on and land, starts nothing new, says so once, and goes on by itself', async () => {
    const { one, begun, hasBegun, letGo } = stage(['a', 'slow', 'b'], 16);
    const run = startRalph(one, ['run', '--parallel', '--max-workers', '2']);
    await begun('a');
    await begun('slow');
    disk.fill(20);
    await run.waitFor(/waits for disk space: \d+ MB free, 16 MB required.*ralph parallel clean/);
    letGo();
    await run.waitFor(/slow iteration 1: not done yet/);
    await run.waitFor(/a landed/);
    const why = await ralph(one, ['why', 'b'], { isCheckoutGuarded: false });
    expect(why.stdout + why.stderr).toMatch(/disk space/);
    expect(run.output().stderr).not.toMatch(/b starts/);
    expect(hasBegun('slow', 2)).toBe(false);
    disk.free();
    const { code, stderr } = await run.ended;
    expect(code, stderr).toBe(0);
    expect(stderr.match(/waits for disk space/g)).toHaveLength(1);
    expect(stderr).toMatch(/there is disk space again/);
    for (const task of ['a', 'slow', 'b']) expect(one.git('show', `main:${task}.txt`)).toBe('made');
  });
});
