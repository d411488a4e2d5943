import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

interface Worker {
  readonly task_id: string;
  readonly status: string;
  readonly branch: string;
  readonly duration: number;
  readonly gates_status: string | null;
  readonly error: string | null;
  readonly pid: number | null;
}

const KEYS = ['task_id', 'status', 'branch', 'duration', 'gates_status', 'error', 'pid'];

const fileOf = (one: Scratch, name: string): string => join(one.repo, '.ralph', name);
const workersIn = (text: string): readonly Worker[] => (JSON.parse(text) as { workers: Worker[] }).workers;
const ofTask = (all: readonly Worker[], task: string): Worker | undefined => all.find(({ task_id: id }) => id === task);

/** Two that end, one landed and one parked, beside one that waits for `go`. */
function threeWorkers(one: Scratch): void {
  project(one, {
    tasks: ['lands', 'parks', 'stays'],
    byTask: {
      lands: HONEST,
      parks: [{ printErr: 'src/app.js:7: no such model\n' }, { exit: 9 }],
      stays: [{ waitForFile: { path: beside(one, 'go') } }, ...HONEST],
    },
    config: { limits: { consecutive_failures: 1 } },
  });
}

describe('the workers of a run', () => {
  it('trip 12: state.json and status --parallel keep those that ended, with what became of them, until the run is over and after', async () => {
    const one = scratch();
    threeWorkers(one);
    const run = startRalph(one, ['run', '--parallel', '--max-workers', '3']);
    const all = await until('two that ended beside one at work', () => {
      try {
        const found = workersIn(readFileSync(fileOf(one, 'state.json'), 'utf8'));
        const ended = ['landed', 'parked'].every((status) => found.some((worker) => worker.status === status));
        return ended && ofTask(found, 'stays')?.status === 'at-work' && found;
      } catch {
        return false;
      }
    });
    for (const worker of all) expect(Object.keys(worker)).toEqual(expect.arrayContaining(KEYS));
    expect(ofTask(all, 'lands')).toMatchObject({ gates_status: 'green', error: null, pid: null });
    expect(ofTask(all, 'parks')).toMatchObject({
      gates_status: null,
      error: expect.stringMatching(/failures: .*src\/app\.js:7: no such model/) as string,
      pid: null,
    });
    expect(ofTask(all, 'stays')).toMatchObject({ gates_status: null, error: null, pid: run.pid });
    for (const worker of all) expect(worker.branch).toMatch(/^ralph\//);
    const said = JSON.parse((await ralph(one, ['status', '--parallel', '--json'])).stdout) as { workers: Worker[] };
    const still = (workers: readonly Worker[]): unknown =>
      workers.map((worker) => KEYS.filter((key) => key !== 'duration').map((key) => worker[key as keyof Worker]));
    expect(still(said.workers)).toEqual(still(all));
    for (const task of ['lands', 'parks'])
      expect(ofTask(said.workers, task)?.duration, 'it has ended').toBe(ofTask(all, task)?.duration);
    const table = (await ralph(one, ['status', '--parallel'])).stdout;
    expect(table).toMatch(/lands +landed .*green/);
    expect(table).toMatch(/parks +parked .*no such model/);
    expect(table).toMatch(/stays +at-work/);
    writeFileSync(beside(one, 'go'), '');
    expect((await run.ended).code).toBe(1);
    const last = workersIn(readFileSync(fileOf(one, 'state.json'), 'utf8'));
    expect(last.map((worker) => [worker.task_id, worker.status, worker.pid])).toEqual([
      ['lands', 'landed', null],
      ['parks', 'parked', null],
      ['stays', 'landed', null],
    ]);
    expect((await ralph(one, ['status', '--parallel'])).stdout).toMatch(/parks +parked .*no such model/);
  });

  it('trip 12: the next run begins with none', async () => {
    const one = scratch();
    project(one, { tasks: ['t1'] });
    expect((await ralph(one, ['run'])).code).toBe(0);
    expect(workersIn(readFileSync(fileOf(one, 'state.json'), 'utf8'))).toHaveLength(1);
    expect((await ralph(one, ['run'])).code).toBe(0);
    expect(workersIn(readFileSync(fileOf(one, 'state.json'), 'utf8'))).toEqual([]);
  });

  it('trip 12: state.json is written again though nothing happens, while a host lives', async () => {
    const one = scratch();
    threeWorkers(one);
    const run = startRalph(one, ['run', '--parallel', '--max-workers', '3']);
    await until('the agents', () => starts(one).length === 3);
    const seq = async (): Promise<number> =>
      (JSON.parse((await ralph(one, ['status', '--json'])).stdout) as { seq: number }).seq;
    const read = (): { readonly seq: number; readonly workers: readonly Worker[] } =>
      JSON.parse(readFileSync(fileOf(one, 'state.json'), 'utf8')) as ReturnType<typeof read>;
    // A landing may take its time between two records.
    await until('the others to have ended', () =>
      ['landed', 'parked'].every((status) => read().workers.some((worker) => worker.status === status)),
    );
    const quiet = await until('a log that stands still', async () => {
      const before = await seq();
      const { mtimeMs } = statSync(fileOf(one, 'state.json'));
      await until('it to be written', () => statSync(fileOf(one, 'state.json')).mtimeMs > mtimeMs);
      return (await seq()) === before && before;
    });
    const before = read();
    const after = await until('it to grow older', () => {
      const now = read();
      return (ofTask(now.workers, 'stays')?.duration ?? 0) > (ofTask(before.workers, 'stays')?.duration ?? 0) && now;
    });
    expect(after.seq, 'nothing was written to the log').toBe(quiet);
    writeFileSync(beside(one, 'go'), '');
    await run.ended;
  });

  it('trip 12: the heartbeat has a line for each living host, with its loops', async () => {
    const one = scratch();
    project(one, {
      tasks: ['t1', 't2'],
      agent: [{ waitForFile: { path: beside(one, 'go') } }, ...HONEST],
      files: { 'OTHER.md': '## Tasks\n\n- [ ] Make o1 <!-- id: o1 -->\n' },
    });
    const runs = ['PRD.md', 'OTHER.md'].map((tasks) => startRalph(one, ['run', '--parallel', '--tasks', tasks]));
    await until('the agents', () => starts(one).length === 3);
    const lines = (): readonly string[] => readFileSync(fileOf(one, 'heartbeat'), 'utf8').split('\n').slice(0, -1);
    const line = (pid: number): string => lines().find((text) => new RegExp(`\\bpid ${pid}\\b`).test(text)) ?? '';
    const [first = 0, second = 0] = runs.map(({ pid }) => pid);
    await until('a line of each', () => / t1-\S+ t2-\S+$/.test(line(first)) && / o1-\S+$/.test(line(second)));
    expect(lines()).toHaveLength(2);
    for (const text of lines()) expect(text).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z h-\w+ pid \d+ up \S/);
    runs[1]?.signal('SIGKILL');
    await until('one line', () => lines().length === 1);
    expect(line(first)).toContain('t1-');
    writeFileSync(beside(one, 'go'), '');
    expect((await runs[0]?.ended)?.code).toBe(0);
    expect(lines(), 'nobody lives').toEqual([]);
    expect((await ralph(one, ['run', '--tasks', 'OTHER.md'])).code).toBe(0);
  });
});
