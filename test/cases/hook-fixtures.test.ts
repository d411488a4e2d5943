import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { landedTasks, refsBelow } from '../e2e/harness/git.ts';
import { project } from '../e2e/harness/project.ts';
import { ralph } from '../e2e/harness/ralph.ts';
import { scratch } from '../e2e/harness/scratch.ts';
import { promptOf, shellAgent } from '../e2e/harness/train.ts';

/** Tests of the user's that make a repository of their own: in a hook, git has told them that it is this one. */
const HOOK = `#!/bin/sh
place=$(mktemp -d); trap 'rm -rf "$place"' EXIT
cd "$place" && git init -q && echo fixture > fixture.txt && git add fixture.txt
git -c user.name=f -c user.email=f@example.com commit -q --no-verify -m fixture || true
`;

/** Twice it works and commits; the second time it is done. */
const AGENT = `echo $RALPH_ITERATION >> work.txt; git add -A; git commit -qm work || true
test $RALPH_ITERATION = 1 || echo '<promise>COMPLETE</promise>'`;

it('case 23: a pre-commit hook that makes a repository elsewhere: core.bare stays false, its commit is kept and on no branch, the work goes on', async () => {
  const one = scratch();
  project(one, { tasks: ['a'], config: { agent: 'shell', 'agents.shell': shellAgent(one, 'shell', AGENT) } });
  writeFileSync(join(one.repo, '.git/hooks/pre-commit'), HOOK, { mode: 0o755 });
  const run = await ralph(one, ['run']);
  expect(run.code, run.stderr).toBe(0);
  expect([one.git('config', 'core.bare'), one.git('status', '--porcelain')]).toEqual(['false', '']);
  expect([landedTasks(one.git, 'main'), one.git('show', 'main:work.txt')]).toEqual([['a'], '1\n2']);
  expect(one.git('log', '--format=%s', '--branches', 'refs/paralph/int/main')).not.toContain('fixture');
  const kept = refsBelow(one.git, 'refs/paralph/keep/').filter((ref) =>
    one.git('log', '--format=%s', ref, '--not', 'main').includes('fixture'),
  );
  expect(kept).toHaveLength(2);
  expect(run.stderr).toMatch(/a hook took this repository for one of its own: .*core\.bare.*put back: .*kept: /);
  expect(promptOf(one, 'shell', 'a', 2)).toContain('## A hook went wrong when you committed');
});
