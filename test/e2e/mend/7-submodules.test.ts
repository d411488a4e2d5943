import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { gitIn, landedTasks } from '../harness/git.ts';
import { beside, ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { CLAIM, OWN_FILE, trainProject, watchedGate } from '../harness/train.ts';

it('mend 7: submodules are there for loops and gates, as the commit says', async () => {
  const one = scratch();
  const lib = beside(one, 'lib');
  mkdirSync(lib);
  const git = gitIn(lib, one.env);
  git('init', '-q', '-b', 'main');
  writeFileSync(join(lib, 'lib.txt'), 'lib\n');
  git('add', '-A');
  git('-c', 'user.name=l', '-c', 'user.email=l@example.com', 'commit', '-qm', 'lib');
  one.git('config', '--global', 'protocol.file.allow', 'always');
  one.git('submodule', 'add', '-q', lib, 'sub');
  const row = (id: string, on: string): string => `- [ ] ${id} <!-- id: ${id} -->\n${on}`;
  const tasks = `${row('a', '')}${row('b', '  - Depends on: a\n')}${row('c', '  - Depends on: b\n')}`;
  trainProject(one, {
    tasks: { 'PRD.md': `## Tasks\n\n${tasks}` },
    // What one run of the gates leaves in it is not there for the next.
    gate: watchedGate(
      one,
      'test "$(cat sub/lib.txt)" = lib; test ! -e sub/left; touch sub/left; echo changed > sub/lib.txt',
    ),
    script: `test "$(cat sub/lib.txt)" = lib; ${OWN_FILE}; ${CLAIM}`,
  });
  const ran = await ralph(one, ['run']);
  expect([ran.code, landedTasks(one.git, 'main')], ran.stderr).toEqual([0, ['a', 'b', 'c']]);
  expect(one.git('ls-tree', 'main', 'sub')).toContain('160000');
});
