import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { landedTasks } from '../harness/git.ts';
import { starts } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { CLAIM, OWN_FILE, promptOf, readyTrain, trainProject, watchedGate } from '../harness/train.ts';

const IGNORED = { '.gitignore': 'node_modules/\n.env\nout/\n' };
const linesOf = (file: string): string[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
/** Where setup ran, one line for each time. */
const setups = (one: Scratch, kind: 'gate' | 'wt'): number =>
  linesOf(beside(one, 'setups')).filter((line) => line.includes(`/${kind}`)).length;
const row = (id: string, on = ''): string =>
  `- [ ] ${id} <!-- id: ${id} -->\n${on === '' ? '' : `  - Depends on: ${on}\n`}`;

describe('mend b: what a gate worktree gets beside the tree', () => {
  it('setup runs in a new one, not again, and again when a lock file changed', async () => {
    const one = scratch();
    const installs = `pwd >> ${beside(one, 'setups')}; mkdir -p node_modules; cp package-lock.json node_modules/installed`;
    // What is installed is always what the lock file of this very tree says.
    const gate = watchedGate(one, 'cmp package-lock.json node_modules/installed');
    trainProject(one, {
      tasks: { 'PRD.md': `## Tasks\n\n${row('a')}${row('b', 'a')}${row('c', 'b')}` },
      files: { ...IGNORED, 'package.json': '{}', 'package-lock.json': 'one\n' },
      gate,
      config: { worktree: { setup: [installs] } },
      script: `test $RALPH_TASK_ID != c || echo two > package-lock.json; ${OWN_FILE}; ${CLAIM}`,
    });
    const ran = await ralph(one, ['run']);
    expect([ran.code, landedTasks(one.git, 'main')], ran.stderr).toEqual([0, ['a', 'b', 'c']]);
    expect(gate.runs()).toBe(3);
    expect(setups(one, 'gate')).toBe(2);
  });

  it('what an agent installed by hand is not there', async () => {
    const one = scratch();
    trainProject(one, {
      tasks: ['t1'],
      files: { ...IGNORED, 'package.json': '{}', 'package-lock.json': 'one\n' },
      gate: watchedGate(one, 'test ! -e node_modules/by-hand; test -e node_modules/installed'),
      config: { worktree: { setup: ['mkdir -p node_modules; touch node_modules/installed'] } },
      script: `test -e node_modules/installed; touch node_modules/by-hand; ${OWN_FILE}; ${CLAIM}`,
    });
    const ran = await ralph(one, ['run']);
    expect([ran.code, landedTasks(one.git, 'main')], ran.stderr).toEqual([0, ['t1']]);
  });

  it('files that are copied are there; another content asks for another verdict', async () => {
    const one = scratch();
    const gate = watchedGate(one, 'grep -q KEY= .env');
    one.put('.env', 'KEY=1\n');
    const spec = { tasks: ['t1'], files: IGNORED, gate, script: `grep -q KEY=1 .env; ${OWN_FILE}; ${CLAIM}` };
    await readyTrain(one, spec, 1);
    expect(gate.runs(), 'its own').toBe(1);
    one.put('.env', 'KEY=2\n');
    const landed = await ralph(one, ['land', '--all']);
    expect([landed.code, landedTasks(one.git, 'main')], landed.stderr).toEqual([0, ['t1']]);
    expect(gate.runs(), 'once more').toBe(2);
    expect(readFileSync(join(one.repo, '.ralph/worktrees/gate-1/.env'), 'utf8')).toBe('KEY=2\n');
    expect(one.git('log', '--all', '--format=%H', '--', '.env')).toBe('');
  });

  it('with the same content the verdict counts', async () => {
    const one = scratch();
    const gate = watchedGate(one, 'grep -q KEY= .env');
    one.put('.env', 'KEY=1\n');
    await readyTrain(one, { tasks: ['t1'], files: IGNORED, gate, script: `${OWN_FILE}; ${CLAIM}` }, 1);
    expect((await ralph(one, ['land', '--all'])).code).toBe(0);
    expect(gate.runs()).toBe(1);
  });
});

describe('mend 7: setup of loops', () => {
  it('that is configured and fails ends the run before any agent, exit 4; the next run goes on', async () => {
    const one = scratch();
    const works = beside(one, 'works');
    trainProject(one, {
      tasks: ['t1', 't2'],
      gate: watchedGate(one, 'true'),
      config: { worktree: { setup: [`echo preparing; test -e ${works}`] } },
      script: `${OWN_FILE}; ${CLAIM}`,
    });
    const ran = await ralph(one, ['run']);
    expect([ran.code, starts(one)], ran.stderr).toEqual([4, []]);
    expect(ran.stderr).toMatch(/E_SETUP/);
    expect(ran.stderr).toContain(`test -e ${works}`);
    writeFileSync(works, '');
    const again = await ralph(one, ['run']);
    expect([again.code, landedTasks(one.git, 'main').sort()], again.stderr).toEqual([0, ['t1', 't2']]);
    expect(again.stderr).toMatch(/t1 is set up after [\d.]+m?s: echo preparing/);
  });

  it('that is detected and fails is a warning, and the agent is told', async () => {
    const one = scratch();
    trainProject(one, {
      tasks: ['t1'],
      // No lock file that any npm takes.
      files: { ...IGNORED, 'package.json': '{"dependencies":{"a":"1"}}', 'package-lock.json': '{}' },
      gate: watchedGate(one, 'true'),
      script: `${OWN_FILE}; ${CLAIM}`,
    });
    const ran = await ralph(one, ['run']);
    expect([ran.code, landedTasks(one.git, 'main')], ran.stderr).toEqual([0, ['t1']]);
    expect(ran.stderr).toMatch(/warning: t1 starts though npm ci failed/);
    expect(promptOf(one, 'shell', 't1', 1)).toMatch(/not fully set up[^]*npm ci/);
  });
});
