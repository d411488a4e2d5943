import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { crashAt } from '../harness/crash.ts';
import { gitIn, landedTasks } from '../harness/git.ts';
import { markdownTasks, project } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import type { Scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const LIST = `${markdownTasks(['t1', 't2', 't3']).replaceAll('\n', '\r\n')}\r\n  mine, with blanks  `;
const tickedIn = (text: string, ...tasks: readonly string[]): string =>
  tasks.reduce((now, task) => now.replace(`[ ] Make ${task} `, `[x] Make ${task} `), text);
const textOf = (one: Scratch, path = 'PRD.md'): string => readFileSync(join(one.repo, path), 'utf8');
/** What a run may change of the user's is looked at byte by byte. */
const ITS_OWN = { isCheckoutGuarded: false };

function looseProject(one: Scratch, ignored: boolean, config = {}): void {
  project(one, { tasks: {}, config, ...(ignored ? { files: { '.gitignore': '.env\n*.ignored\nPRD.md\n' } } : {}) });
  one.put('PRD.md', LIST);
  chmodSync(join(one.repo, 'PRD.md'), 0o640);
}

describe('a task file that git does not have', () => {
  it.each([
    ['not known to git', false],
    ['ignored', true],
  ])('trip 5: %s, its boxes are ticked as their tasks land, and no other byte changes', async (_, ignored) => {
    const one = scratch();
    looseProject(one, ignored);
    const { code, stderr } = await ralph(one, ['run', '--task', 't1', '--task', 't3'], ITS_OWN);
    expect(code, stderr).toBe(0);
    expect(textOf(one)).toBe(tickedIn(LIST, 't1', 't3'));
    expect(statSync(join(one.repo, 'PRD.md')).mode & 0o777).toBe(0o640);
    expect(one.git('status', '--porcelain')).toBe(ignored ? '' : '?? PRD.md');
    expect((await ralph(one, ['run'], ITS_OWN)).code).toBe(0);
    expect(textOf(one)).toBe(tickedIn(LIST, 't1', 't2', 't3'));
    expect(landedTasks(one.git, 'main').toSorted()).toEqual(['t1', 't2', 't3']);
    expect(one.git('ls-tree', '-r', '--name-only', 'main')).not.toContain('PRD.md');
  });

  it('trip 5: it is ticked when the task lands, and not at the end of the run', async () => {
    const one = scratch();
    project(one, { tasks: {}, byTask: { t2: [{ waitForFile: { path: beside(one, 'go') } }, { claim: true }] } });
    writeFileSync(beside(one, 'PRD.md'), LIST);
    const host = startRalph(one, ['run', '--parallel', '--tasks', '../PRD.md']);
    await until('t1 is ticked', () => readFileSync(beside(one, 'PRD.md'), 'utf8').includes('[x] Make t1'));
    host.signal('SIGINT');
    await host.ended;
    expect(readFileSync(beside(one, 'PRD.md'), 'utf8')).not.toContain('[x] Make t2');
  });

  it('trip 5: killed right after the landing, the next start ticks it; parked and ready ones stay as they are', async () => {
    const one = scratch();
    looseProject(one, false, { parallel: { merge_policy: 'manual' } });
    expect((await ralph(one, ['run'], ITS_OWN)).code).toBe(0);
    expect(textOf(one)).toBe(LIST);
    await crashAt(one, ['land', 't2'], 'land.done');
    expect(textOf(one)).toBe(LIST);
    expect((await ralph(one, ['land', '--all'], ITS_OWN)).code).toBe(0);
    expect(textOf(one)).toBe(tickedIn(LIST, 't1', 't2', 't3'));
  });

  it('trip 5: one that cannot be written is said once, and what landed has landed', async () => {
    const one = scratch();
    project(one, { tasks: {} });
    mkdirSync(beside(one, 'list/.PRD.md.ralph-tick'), { recursive: true });
    writeFileSync(beside(one, 'list/PRD.md'), LIST);
    const { code, stderr } = await ralph(one, ['run', '--tasks', '../list/PRD.md']);
    expect(code, stderr).toBe(0);
    expect(stderr.match(/warning: \.\.\/list\/PRD\.md cannot be ticked: .*EISDIR/g)).toHaveLength(1);
    expect(landedTasks(one.git, 'main').length).toBe(3);
    expect(readFileSync(beside(one, 'list/PRD.md'), 'utf8')).toBe(LIST);
  });

  it('trip 5: one that another repository has is not ours to change', async () => {
    const one = scratch();
    project(one, { tasks: {} });
    const other = gitIn(beside(one, 'other'), one.env);
    mkdirSync(beside(one, 'other'));
    other('init', '-q');
    writeFileSync(beside(one, 'other/PRD.md'), LIST);
    other('add', '-A');
    expect((await ralph(one, ['run', '--tasks', '../other/PRD.md'])).code).toBe(0);
    expect(readFileSync(beside(one, 'other/PRD.md'), 'utf8')).toBe(LIST);
  });
});
