import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { killHost } from '../harness/crash.ts';
import { isAlive } from '../harness/processes.ts';
import { calls, HONEST, project, starts } from '../harness/project.ts';
import { beside, startRalph } from '../harness/ralph.ts';
import { allLanded, endings, isHere, say, startsOf, wait } from '../harness/recovery.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';
import { watchRefs } from '../harness/values.ts';

const RUN = ['run', '--parallel', '--max-workers', '20', '--events'];
const LONG = { timeoutMs: 150_000 };
const names = (kind: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${kind}${at + 1}`);
const [LIVING, DONE, BROKEN] = [names('living', 10), names('done', 7), names('broken', 3)];
const TASKS = [...LIVING, ...DONE, ...BROKEN];

describe('S4.3 many agents outlive their host', () => {
  it('case 47: kill -9 with 20 at work: the living are adopted, the ended harvested with their exit codes, none started twice', async () => {
    const one = scratch();
    const orphan = { spawnSetsid: { sleepMs: 600_000, path: beside(one, 'orphan-${task}') } };
    const done = [say(one), orphan, wait(one, 'go'), ...HONEST];
    project(one, {
      tasks: TASKS,
      agent: [say(one), wait(one, 'later'), ...HONEST],
      byTask: {
        ...Object.fromEntries(DONE.map((task) => [task, done])),
        ...Object.fromEntries(
          BROKEN.map((task, at) => [task, { iterations: [[say(one), wait(one, 'go'), { exit: 41 + at }], HONEST] }]),
        ),
      },
    });
    watchRefs(one);
    const host = startRalph(one, RUN, LONG);
    await until('all are at work', () => TASKS.every((task) => isHere(one, task)), 90_000);
    await until('orphans', () => DONE.every((task) => existsSync(beside(one, `orphan-${task}`))));
    await killHost(host);
    const stranger = spawn('sleep', ['600'], { cwd: one.repo, env: one.env, stdio: 'ignore' });
    writeFileSync(beside(one, 'go'), '');
    await until('ten ended unseen', () => calls(one).filter((call) => call.ended).length === 10, 60_000);
    const orphans = DONE.map((task) => Number(readFileSync(beside(one, `orphan-${task}`), 'utf8')));
    expect(orphans.every(isAlive)).toBe(true);
    const next = startRalph(one, RUN, LONG);
    const adopted = (): number => next.events().filter(({ type }) => type === 'loop-adopted').length;
    await until('all are adopted', () => adopted() === TASKS.length, 60_000);
    expect(starts(one).filter(({ task }) => LIVING.includes(task))).toHaveLength(LIVING.length);
    writeFileSync(beside(one, 'later'), '');
    const { code, stderr } = await next.ended;
    expect(code, stderr).toBe(0);
    allLanded(one, TASKS);
    const twice = Object.fromEntries(BROKEN.map((task) => [task, 2]));
    expect(startsOf(one)).toEqual({ ...Object.fromEntries(TASKS.map((task) => [task, 1])), ...twice });
    const ended = endings(next.events(), [...host.events(), ...next.events()]);
    expect(BROKEN.map((task) => ended[`${task} 1`])).toEqual([41, 42, 43].map((exit) => ['failed', exit]));
    expect([...LIVING, ...DONE].map((task) => ended[`${task} 1`])).toEqual(Array(17).fill(['claimed', 0]));
    expect(orphans.filter(isAlive)).toEqual([]);
    expect(isAlive(stranger.pid ?? 0)).toBe(true);
    stranger.kill('SIGKILL');
    await once(stranger, 'exit');
  });
});
