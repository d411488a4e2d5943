import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { gitSays, landedTasks } from '../harness/git.ts';
import { beside, ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { CLAIM, OWN_FILE, trainProject, watchedGate } from '../harness/train.ts';

const IGNORED = { '.gitignore': 'build/\n.env\n*.log\nnode_modules/\n' };
/** Notes which of these names there are, before it makes all of them. */
const notes = (one: Scratch): string => `
echo "$RALPH_TASK_ID: $(ls -d build .env deep/x.log node_modules 2>/dev/null | tr '\\n' ' ')" >> ${beside(one, 'seen')}
mkdir -p build deep node_modules; echo "$RALPH_TASK_ID" | tee build/out .env deep/x.log > node_modules/x`;
const seen = (one: Scratch): string => readFileSync(beside(one, 'seen'), 'utf8');
const row = (id: string, on: string): string =>
  `- [ ] ${id} <!-- id: ${id} -->\n${on === '' ? '' : `  - Depends on: ${on}\n`}`;
/** The third begins when the second lands, in the worktree of the first. */
const tasks = { 'PRD.md': `## Tasks\n\n${row('a', '')}${row('b', 'a')}${row('c', 'b')}` };

describe('mend 4: ignored files', () => {
  it('of one task are not there for the next in the same worktree; an .env of its agent is kept', async () => {
    const one = scratch();
    trainProject(one, {
      tasks,
      files: IGNORED,
      gate: watchedGate(one, 'true'),
      script: `${notes(one)}; pwd >> ${beside(one, 'where')}; ${OWN_FILE}; ${CLAIM}`,
    });
    const ran = await ralph(one, ['run']);
    expect([ran.code, landedTasks(one.git, 'main')], ran.stderr).toEqual([0, ['a', 'b', 'c']]);
    const [first, , third] = readFileSync(beside(one, 'where'), 'utf8').split('\n');
    expect(third, 'the worktree is used again').toBe(first);
    expect(seen(one)).toBe('a: \nb: \nc: \n');
    const keep = one.git('for-each-ref', '--format=%(refname)', 'refs/paralph/keep').split('\n')[0] ?? '';
    expect(one.git('show', `${keep}:.env`)).toBe('a');
  });

  it('that the project installs, or that are named, stay for the next loop', async () => {
    const one = scratch();
    trainProject(one, {
      tasks,
      files: { ...IGNORED, 'package.json': '{}' },
      gate: watchedGate(one, 'true'),
      script: `${notes(one)}; ${OWN_FILE}; ${CLAIM}`,
    });
    expect((await ralph(one, ['run'])).code).toBe(0);
    expect(seen(one)).toBe('a: \nb: \nc: node_modules \n');
  });

  it('of an earlier candidate in a build folder turn no later one green', async () => {
    const one = scratch();
    const gate = watchedGate(one, 'if test -e makes.txt; then mkdir -p build; touch build/out; fi; test -e build/out');
    trainProject(one, {
      tasks: { 'PRD.md': `## Tasks\n\n${row('a', '')}${row('b', '')}` },
      files: IGNORED,
      gate,
      config: { limits: { iterations: 1, attempts: 1 }, landing: { method: 'rebase' } },
      script: `if [ $RALPH_TASK_ID = a ]; then touch makes.txt; else git rm -q --ignore-unmatch makes.txt; fi; ${OWN_FILE}; ${CLAIM}`,
    });
    const ran = await ralph(one, ['run']);
    expect([ran.code, landedTasks(one.git, 'main')], ran.stderr).toEqual([1, ['a']]);
    expect(gitSays(one.git, 'cat-file', '-e', 'main:makes.txt')).toBe(true);
  });

  it('named by worktree.keep stay where gates run, and only those', async () => {
    const one = scratch();
    const list = `(ls -d build .env deep node_modules 2>/dev/null || true) | tr '\\n' ' ' >> ${beside(one, 'gates')}; echo >> ${beside(one, 'gates')}`;
    const gate = watchedGate(
      one,
      `${list}; mkdir -p build deep node_modules; touch build/out .env deep/x.log node_modules/x`,
    );
    trainProject(one, {
      tasks,
      files: IGNORED,
      gate,
      config: { worktree: { keep: ['build'] } },
      script: `${OWN_FILE}; ${CLAIM}`,
    });
    const ran = await ralph(one, ['run']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(readFileSync(beside(one, 'gates'), 'utf8')).toBe('\nbuild \nbuild \n');
    expect(existsSync(join(one.repo, '.ralph/worktrees/gate-1/build/out'))).toBe(true);
    expect(readdirSync(join(one.repo, '.ralph/worktrees/gate-1'))).not.toContain('wt');
  });
});
