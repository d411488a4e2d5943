import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { gitSays, refsBelow } from '../e2e/harness/git.ts';
import { ralph } from '../e2e/harness/ralph.ts';
import { scratch } from '../e2e/harness/scratch.ts';
import { shellProject } from '../e2e/harness/shell-agent.ts';
import { why } from '../e2e/harness/why.ts';

/** Tests of the user's that make a repository of their own: in a hook, git has told them that it is this one. */
const HOOK = `#!/bin/sh
place=$(mktemp -d); trap 'rm -rf "$place"' EXIT
cd "$place" && git init -q && echo fixture > fixture.txt && git add fixture.txt
git -c user.name=f -c user.email=f@example.com commit -q --no-verify -m fixture || true
`;

it('case 23: a pre-commit hook that makes a repository elsewhere: the checkout works as before, its fixture lands nowhere, the work is kept', async () => {
  const one = scratch();
  shellProject(
    one,
    `echo work > work.txt; git add -A; git commit -qm work || true; echo '<promise>COMPLETE</promise>'`,
    {
      tasks: ['a'],
      config: { limits: { iterations: 1 } },
    },
  );
  writeFileSync(join(one.repo, '.git/hooks/pre-commit'), HOOK, { mode: 0o755 });
  const run = await ralph(one, ['run']);
  expect(run.code, run.stderr).toBe(1);
  expect([one.git('config', 'core.bare'), one.git('status', '--porcelain')]).toEqual(['false', '']);
  const { reason, sentences } = await why(one, 'a');
  expect([reason, sentences.join(' ')]).toEqual(['tampered', expect.stringContaining('.git/config (core.bare)')]);
  for (const ref of ['main', 'refs/paralph/int/main'].filter((name) => gitSays(one.git, 'rev-parse', '--verify', name)))
    expect(one.git('log', '--format=%s', ref)).not.toContain('fixture');
  const [branch = ''] = refsBelow(one.git, 'refs/heads/ralph/');
  expect(one.git('show', `${branch}:work.txt`)).toBe('work');
  expect(gitSays(one.git, 'cat-file', '-e', `${branch}:fixture.txt`), 'its files are not in what the loop made').toBe(
    false,
  );
});
