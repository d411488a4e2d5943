import { describe, expect, it } from 'vitest';
import { fingerprint } from '../harness/fingerprint.ts';
import { project, starts } from '../harness/project.ts';
import { startRalph } from '../harness/ralph.ts';
import type { Result } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';

const graph = (...ids: readonly string[]): string =>
  `nodes:\n${ids.map((id) => `  - {id: ${id}, title: Make ${id}, status: ready}\n`).join('')}`;

const SHARDS = { 'auth/task-graph.yaml': graph('login', 'logout'), 'ui/task-graph.yaml': graph('header', 'footer') };
const FILES = Object.keys(SHARDS);
const FLAGS = FILES.flatMap((file) => ['--tasks', file]);

/** Their answers are lists, one for each file, which no schema of a command is. */
const call = (one: Scratch, ...words: readonly string[]): Promise<Result> => startRalph(one, words).ended;

describe('several task files', () => {
  it('named by flags: worked on side by side, each ticked in its own file, once', async () => {
    const one = scratch();
    project(one, { tasks: SHARDS });
    const print = fingerprint(one.repo);
    const dry = await call(one, 'run', '--parallel', '--dry-run', ...FLAGS);
    for (const id of ['login', 'logout', 'header', 'footer']) expect(dry.stdout).toContain(id);
    expect([dry.code, fingerprint(one.repo)]).toEqual([0, print]);
    const { code, stdout, stderr } = await call(one, 'orchestrate', '--json', ...FLAGS);
    expect(code, stderr).toBe(0);
    const { trackers } = JSON.parse(stdout) as {
      readonly trackers: readonly { readonly landed: readonly unknown[] }[];
    };
    expect(trackers.map(({ landed }) => landed.length)).toEqual([2, 2]);
    expect(
      starts(one)
        .map(({ task }) => task)
        .toSorted(),
    ).toEqual(['footer', 'header', 'login', 'logout']);
    for (const file of FILES) expect(one.git('show', `main:${file}`).match(/complete/g), file).toHaveLength(2);
  });

  it('named by a setting: what is asked about an id finds its file', async () => {
    const one = scratch();
    project(one, { tasks: SHARDS, config: { tasks: FILES } });
    const listed = JSON.parse((await call(one, 'tasks', 'list', '--json')).stdout) as {
      readonly trackers: readonly { readonly tracker: string }[];
    };
    expect(listed.trackers.map(({ tracker }) => tracker)).toEqual(FILES);
    expect((await call(one, 'tasks', 'show', 'footer')).stdout).toContain('Make footer');
    expect((await call(one, 'prompt', 'head')).stdout).toContain('# Task header');
    expect((await call(one, 'worker', 'footer')).code).toBe(0);
    expect(starts(one).map(({ task }) => task)).toEqual(['footer']);
    expect(one.git('show', 'main:ui/task-graph.yaml')).toContain('id: footer, title: Make footer, status: complete');
    expect((await call(one, 'doctor')).stdout).toMatch(
      /auth\/task-graph\.yaml: 2 tasks[\s\S]*ui\/task-graph\.yaml: 2 tasks/,
    );
  });

  it('an id in two of them, and whatever else is wrong, is told at once with its places: exit 3, nothing started', async () => {
    const one = scratch();
    project(one, {
      tasks: {
        'a.yaml': graph('login', 'x'),
        'b.yaml': graph('y', 'login'),
        'c.yaml': graph('z').replace('ready', 'odd'),
      },
    });
    for (const words of [['run'], ['orchestrate'], ['tasks', 'list'], ['run', '--dry-run']]) {
      const { code, stderr } = await call(one, ...words, '--tasks', 'a.yaml', '--tasks', 'b.yaml', '--tasks', 'c.yaml');
      expect([code, starts(one)], stderr).toEqual([3, []]);
      expect(stderr).toContain('b.yaml:3:1 duplicate id "login", also at a.yaml:2');
      expect(stderr).toMatch(/c\.yaml:2:\d+ the status must be/);
    }
  });

  it('Ctrl-C ends all of them in order, and the same words go on', async () => {
    const one = scratch();
    project(one, { tasks: SHARDS, agent: [{ hang: true }] });
    const run = startRalph(one, ['run', '--parallel', ...FLAGS]);
    await run.waitFor(/login starts[\s\S]*header starts|header starts[\s\S]*login starts/);
    run.signal('SIGINT');
    const { code, stderr } = await run.ended;
    expect(code, stderr).toBe(130);
    expect(stderr.match(/everything is kept/g)).toHaveLength(2);
  });
});
