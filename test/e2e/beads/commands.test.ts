import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { listOf } from '../harness/answers.ts';
import { beadsProject, exported, itWithBd } from '../harness/beads.ts';
import { everything } from '../harness/fingerprint.ts';
import { project } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import type { Scratch } from '../harness/scratch.ts';

const OLD_STORE = [
  { id: 'o-1', title: 'Open', status: 'open', priority: 1, issue_type: 'task', labels: ['group:auth'] },
  { id: 'o-2', title: 'Waits', status: 'open', dependencies: [{ depends_on_id: 'o-1', type: 'blocks' }] },
  { id: 'o-3', title: 'Deleted', status: 'tombstone' },
  { id: 'o-4', title: 'Over', status: 'closed' },
  { id: 'o-5', title: 'Epic', status: 'open', issue_type: 'epic' },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

/** All that is not git's or ours. */
const filesOf = ({ repo }: Scratch) =>
  Object.entries(everything(repo)).filter(([path]) => !/^\.(?:git|ralph)\//.test(path));

describe('commands on Beads', () => {
  for (const version of ['1.3.0', '0.47.1'] as const)
    itWithBd(version)(`add, block, unblock, done and reset, by bd ${version}`, async () => {
      const one = beadsProject(version, [
        { id: 't-a' },
        { id: 't-b', status: 'in_progress', labels: ['phase:working'] },
      ]);
      const say = async (...args: string[]): Promise<string> => {
        const { code, stdout, stderr } = await ralph(one.place, ['tasks', ...args]);
        expect(code, stdout + stderr).toBe(0);
        return stdout + stderr;
      };
      const added = await say(
        'add',
        'Search "$(touch canary)"',
        '--group',
        'ui',
        '--depends-on',
        't-a',
        '--priority',
        'high',
      );
      const id = /added (t-\w+) to Beads/.exec(added)?.[1] ?? '';
      expect(one.show(id)).toMatchObject({ title: 'Search "$(touch canary)"', status: 'open', labels: ['group:ui'] });
      expect(existsSync(join(one.place.repo, 'canary'))).toBe(false);
      const { stdout: listed } = await ralph(one.place, ['tasks', 'list', '--json']);
      expect(listOf(listed, 'tasks').find((task) => task['id'] === id)).toMatchObject({
        group: 'ui',
        priority: 1,
        depends_on: ['t-a'],
      });
      await say('block', 't-a', '--reason', 'no design');
      expect(one.show('t-a')).toMatchObject({ status: 'blocked', notes: expect.stringContaining('no design') });
      await say('unblock', 't-a');
      expect(one.show('t-a').status).toBe('open');
      await say('done', 't-a');
      expect(one.show('t-a')).toMatchObject({ status: 'closed', close_reason: 'Done by hand' });
      await say('unblock', 't-a');
      expect(one.show('t-a').status).toBe('open');
      await say('reset', 't-b');
      expect(one.show('t-b').status).toBe('open');
      expect(one.show('t-b').labels ?? []).toEqual([]);
      const refused = await ralph(one.place, ['tasks', 'done', 'nope']);
      expect(refused.code).toBe(2);
    });

  itWithBd('1.3.0')('43. no bd on the PATH: doctor says how to get it, and other trackers work', async () => {
    const one = beadsProject('1.3.0', [{ id: 't-a' }], () => ({
      files: { 'other/PRD.md': '- [ ] One <!-- id: one -->\n' },
    }));
    const without: Scratch = { ...one.place, env: { ...one.place.env, PATH: process.env['PATH'] ?? '' } };
    const run = await ralph(without, ['run']);
    expect(run.code).toBe(4);
    expect(run.stderr).toMatch(/E_BEADS|bd, the program of Beads, is not on the PATH/);
    expect(run.stderr).toContain('npm install -g @beads/bd');
    const doctor = await ralph(without, ['doctor']);
    expect(doctor.code).toBe(4);
    expect(doctor.stdout).toMatch(
      /beads: bd, the program of Beads, is not on the PATH[^]*fix: npm install -g @beads\/bd/,
    );
    const file = await ralph(without, ['run', '--tasks', 'other/PRD.md']);
    expect(file.code, file.stderr).toBe(0);
    expect(file.stdout + file.stderr).toMatch(/1 landed/);
  });

  itWithBd('1.3.0')('another bd than the one that wrote the issues is named before it reads them', async () => {
    const one = beadsProject('1.3.0', [{ id: 't-a' }]);
    const before = exported(one);
    expect((await ralph(one.place, ['doctor'])).stdout).toMatch(/ok\s+beads: bd 1\.3\.0/);
    // What another bd wrote is told by the file it leaves.
    writeFileSync(join(one.place.repo, '.beads/.local_version'), '1.0.5\n');
    const { stdout } = await ralph(one.place, ['doctor']);
    expect(stdout).toMatch(/beads: bd 1\.0\.5 wrote these issues last, and bd 1\.3\.0 is on the PATH/);
    expect(exported(one)).toBe(before);
  });

  itWithBd('0.47.1')('a second bd on the PATH is named', async () => {
    const one = beadsProject('0.47.1', [{ id: 't-a' }]);
    const folder = beside(one.place, 'second');
    mkdirSync(folder);
    writeFileSync(join(folder, 'bd'), '#!/bin/sh\necho "bd version 9.9.9"\n');
    chmodSync(join(folder, 'bd'), 0o755);
    const PATH = `${one.place.env['PATH'] ?? ''}:${folder}`;
    const { stdout } = await ralph(one.place, ['doctor'], { env: { PATH } });
    expect(stdout).toMatch(/beads: bd 0\.47\.1 \(\S+\) counts, and bd 9\.9\.9 \(\S+\) is on the PATH too/);
  });

  it('44. an old store in JSON lines is read without bd, and not worked on', async () => {
    const place = scratch();
    project(place, { tasks: { '.beads/issues.jsonl': OLD_STORE } });
    const before = filesOf(place);
    const list = await ralph(place, ['tasks', 'list', '--json', '--tasks', '.beads/issues.jsonl']);
    expect(list.code, list.stderr).toBe(0);
    const tasks = listOf(list.stdout, 'tasks');
    expect(tasks.map((task) => task['id'])).toEqual(['o-1', 'o-2', 'o-4']);
    expect(tasks[1]).toMatchObject({ depends_on: ['o-1'] });
    const run = await ralph(place, ['run', '--tasks', '.beads/issues.jsonl']);
    expect(run.code).toBe(3);
    expect(run.stderr).toContain('bd import .beads/issues.jsonl');
    const edit = await ralph(place, ['tasks', 'done', 'o-1', '--tasks', '.beads/issues.jsonl']);
    expect(edit.code).toBe(3);
    expect(filesOf(place)).toEqual(before);
    place.put('.beads/issues.jsonl', `${OLD_STORE}not json\n${OLD_STORE.split('\n')[0] ?? ''}\n`);
    const bad = await ralph(place, ['tasks', 'list', '--tasks', '.beads/issues.jsonl']);
    expect(bad.code).toBe(3);
    expect(bad.stderr).toMatch(/issues\.jsonl:6:1 no issue of Beads/);
    expect(bad.stderr).toMatch(/issues\.jsonl:7:1 duplicate id "o-1": it is already used on line 1/);
  });

  it('44. one that is kept in many files is one list, as a shell names them and as a pattern', async () => {
    const place = scratch();
    const [first = '', second = '', ...rest] = OLD_STORE.trimEnd().split('\n');
    const files = { '.beads/issues/a.jsonl': second, '.beads/issues/b.jsonl': [first, ...rest].join('\n') };
    project(place, { tasks: files });
    for (const named of [Object.keys(files), ['.beads/issues/*.jsonl']]) {
      const { code, stdout, stderr } = await ralph(place, ['tasks', 'list', '--tasks', ...named, '--json']);
      expect(code, stderr).toBe(0);
      const tasks = listOf(stdout, 'tasks');
      expect(tasks.map((task) => task['id'])).toEqual(['o-1', 'o-2', 'o-4']);
      expect(tasks[1]).toMatchObject({ depends_on: ['o-1'] });
      expect((await ralph(place, ['run', '--tasks', ...named])).stderr).toContain('bd import');
    }
    const none = await ralph(place, ['tasks', 'list', '--tasks', 'nowhere/*.jsonl']);
    expect([none.code, none.stderr]).toEqual([3, expect.stringContaining('nowhere/*.jsonl: no such file')]);
  });
});
