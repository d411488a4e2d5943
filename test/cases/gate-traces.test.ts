import { expect, it } from 'vitest';

import { gitSays } from '../e2e/harness/git.ts';
import { HONEST_SH, promptFor, promptProject } from '../e2e/harness/prompt-project.ts';
import { ralph } from '../e2e/harness/ralph.ts';
import { scratch } from '../e2e/harness/scratch.ts';
import { userCommits } from '../e2e/harness/train.ts';
import { why } from '../e2e/harness/why.ts';

/** A gate that changes a file, commits it with a new one, and changes it again. */
const SPOILS =
  'echo x >> README.md; echo y > new.txt; git add -A; git -c user.name=g -c user.email=g@x commit -qm junk; echo z >> README.md';

it('case 33: what a gate changes, adds or commits lands nowhere, in no worktree, and is told', async () => {
  const one = scratch();
  promptProject(one, HONEST_SH, { gates: { commands: ['true', SPOILS] } });
  const ran = await ralph(one, ['run', '--worktree', '--no-auto-merge', promptFor('a')]);
  expect(ran.code, ran.stderr).toBe(0);
  const id = /^loop (\S+):/m.exec(ran.stderr)?.[1] ?? '';
  const told = /one of the gates `true`, .* changed 2 tracked files and committed: README\.md, new\.txt/;
  expect(ran.stderr).toMatch(new RegExp(`${id} gates green; ${told.source} \\(none of it lands\\)`));
  expect((await why(one, id)).sentences.join(' ')).toMatch(new RegExp(`Where the gates ran, ${told.source}\\. None`));
  expect(one.git('log', '--format=%s', '--branches'), 'its branch is as its agent left it').not.toContain('junk');

  userCommits(one, { 'mine.txt': 'mine' });
  const landed = await ralph(one, ['land', '--all']);
  expect(landed.code, landed.stderr).toBe(0);
  expect(landed.stderr).toMatch(new RegExp(`merged with main the gates are green; ${told.source}`));
  const history = await ralph(one, ['loops', 'history', id]);
  expect(history.stdout).toMatch(new RegExp(`${id} gates green; ${told.source}[^]*merged with main .*${told.source}`));
  expect([one.git('show', 'main:README.md'), one.git('show', 'main:a.txt')]).toEqual(['# scratch', 'made by a']);
  expect(gitSays(one.git, 'cat-file', '-e', 'main:new.txt')).toBe(false);
});
