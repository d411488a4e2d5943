import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { killHost } from '../harness/crash.ts';
import { landedTasks } from '../harness/git.ts';
import { isAlive } from '../harness/processes.ts';
import { calls, HONEST, project, starts, writeScenario } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { allLanded, isHere, RUN, say, startsOf, TRUTH, wait } from '../harness/recovery.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';
import { INT, watchRefs } from '../harness/values.ts';

const WORK = { write: { path: '${task}.txt', text: 'made by ${task}\n' } };

/** kill -9 of one task's agent and of the shim above it: nobody writes an exit code. */
async function killAgentOf(one: Scratch, task: string): Promise<void> {
  const { pid } = starts(one).findLast((call) => call.task === task) ?? { pid: 0 };
  const shim = Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }));
  process.kill(shim, 'SIGKILL');
  process.kill(pid, 'SIGKILL');
  await until(`the agent of ${task} is dead`, () => !isAlive(pid) && !isAlive(shim));
}

async function phases(one: Scratch): Promise<Record<string, unknown>> {
  const { stdout } = await ralph(one, ['status', '--json']);
  const { tasks } = JSON.parse(stdout) as { tasks: readonly { id: string; state: unknown }[] };
  return Object.fromEntries(tasks.map(({ id, state }) => [id, state]));
}

describe('S4.4 killed, and run again', () => {
  it('recovery 5: worktrees that no record tells of: their work goes on where it was, the user’s own stay as they are', async () => {
    const one = scratch();
    const begun = [
      { write: { path: 'first.txt', text: 'committed\n' } },
      { commit: 'First' },
      { leaveDirty: { path: 'second.txt', text: 'not committed\n' } },
      say(one),
      wait(one, 'never'),
    ];
    project(one, { tasks: ['a', 'b'], byTask: { a: { iterations: [begun, HONEST] } } });
    watchRefs(one);
    one.git('worktree', 'add', '-q', '-b', 'agent/mine', beside(one, 'mine'));
    writeFileSync(beside(one, 'mine/draft.txt'), 'a draft');
    const host = startRalph(one, RUN);
    await until('one landed, one at work', () => isHere(one, 'a') && landedTasks(one.git, INT).length === 1);
    await killHost(host);
    await killAgentOf(one, 'a');
    const [{ cwd } = { cwd: '' }] = starts(one).filter((call) => call.task === 'a');
    rmSync(join(one.repo, '.git/paralph/log'), { recursive: true });
    writeScenario(one, {});
    const { code, stderr } = await ralph(one, RUN);
    expect(code, stderr).toBe(0);
    allLanded(one, ['a', 'b']);
    expect(startsOf(one)).toEqual({ a: 2, b: 1 });
    expect(starts(one).at(-1)?.cwd).toBe(cwd);
    for (const [path, text] of [
      ['first.txt', 'committed'],
      ['second.txt', 'not committed'],
    ] as const)
      expect(one.git('show', `main:${path}`)).toBe(text);
    expect(readFileSync(beside(one, 'mine/draft.txt'), 'utf8')).toBe('a draft');
    expect(one.git('-C', beside(one, 'mine'), 'status', '--porcelain')).toBe('?? draft.txt');
  });

  it('recovery 6: every task in another phase: the same before and after, and each goes on from its own', async () => {
    const one = scratch();
    const [gate, later] = [beside(one, 'gate'), beside(one, 'later')];
    project(one, {
      tasks: ['landed', 'gating', 'living', 'dead', 'finished', 'waiting'],
      byTask: {
        gating: [WORK, { write: { path: 'slow', text: '' } }, { claim: true }],
        living: [say(one), wait(one, 'later'), ...HONEST],
        dead: { iterations: [[WORK, say(one), wait(one, 'never')], HONEST] },
        finished: [say(one), wait(one, 'go'), ...HONEST],
      },
      config: {
        gates: {
          commands: [`if test -e slow; then : > ${gate}; while ! test -e ${later}; do sleep 0.1; done; fi; ${TRUTH}`],
        },
      },
    });
    watchRefs(one);
    const host = startRalph(one, RUN);
    await until('each in its phase', () => {
      const isAtWork = ['living', 'dead', 'finished'].every((task) => isHere(one, task));
      return isAtWork && existsSync(gate) && landedTasks(one.git, INT).length === 1;
    });
    await killHost(host);
    const before = await phases(one);
    await killAgentOf(one, 'dead');
    writeFileSync(beside(one, 'go'), '');
    await until('an agent ended unseen', () => calls(one).some((call) => call.ended && call.task === 'finished'));
    expect(await phases(one)).toEqual(before);
    expect(new Set(Object.values(before)).size).toBeGreaterThanOrEqual(3);
    const next = startRalph(one, RUN);
    await until('all four are adopted', () => next.events().filter(({ type }) => type === 'loop-adopted').length === 4);
    writeFileSync(later, '');
    const { code, stderr } = await next.ended;
    expect(code, stderr).toBe(0);
    allLanded(one, ['landed', 'gating', 'living', 'dead', 'finished', 'waiting']);
    expect(startsOf(one)).toEqual({ landed: 1, gating: 1, living: 1, dead: 2, finished: 1, waiting: 1 });
  });

  it('recovery 7: dead or alive: the living is adopted, the dead respawned, whoever has its pid now left alone', async () => {
    const one = scratch();
    project(one, {
      tasks: ['alive', 'dead'],
      byTask: {
        alive: [say(one), wait(one, 'later'), ...HONEST],
        dead: { iterations: [[say(one), wait(one, 'never')], HONEST] },
      },
    });
    watchRefs(one);
    const host = startRalph(one, RUN);
    await until('both agents at work', () => isHere(one, 'alive') && isHere(one, 'dead'));
    await killHost(host);
    await killAgentOf(one, 'dead');
    const stranger = spawn('sleep', ['600'], { cwd: one.root, env: one.env, stdio: 'ignore' });
    const folders = join(one.repo, '.git/paralph/runs');
    const [name = ''] = readdirSync(folders, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /dead.*identity\.json$/.test(file),
    );
    const identity = JSON.parse(readFileSync(join(folders, name), 'utf8')) as { pid: number };
    // The number came around, the start time did not.
    writeFileSync(join(folders, name), JSON.stringify({ ...identity, pid: stranger.pid }));
    const next = startRalph(one, RUN);
    await until('both are adopted', () => next.events().filter(({ type }) => type === 'loop-adopted').length === 2);
    writeFileSync(beside(one, 'later'), '');
    const { code, stderr } = await next.ended;
    expect(code, stderr).toBe(0);
    allLanded(one, ['alive', 'dead']);
    expect(startsOf(one)).toEqual({ alive: 1, dead: 2 });
    expect(isAlive(stranger.pid ?? 0)).toBe(true);
    stranger.kill('SIGKILL');
    await once(stranger, 'exit');
  });
});
