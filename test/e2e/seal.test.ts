import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { gitSays, landedTasks, refsBelow } from './harness/git.ts';
import { beside, ralph } from './harness/ralph.ts';
import { scratch } from './harness/scratch.ts';
import { shellProject } from './harness/shell-agent.ts';
import { why } from './harness/why.ts';

const PARALLEL = ['run', '--parallel', '--max-workers', '3'];
/** Honest agents go on once the bad one is found out: they are at work beside it, and land after it. */
const AWAIT_CHECK = `until ls "$common"/paralph/runs/leak*/1/breach.json > /dev/null 2>&1; do sleep 0.1; done`;

/** A project of one bad agent and two honest ones beside it. */
function leakProject(one: ReturnType<typeof scratch>, script: string): void {
  const started = beside(one, 'started');
  mkdirSync(started);
  shellProject(
    one,
    `common=$(git rev-parse --git-common-dir); main=$(dirname "$common")
     touch ${started}/$RALPH_TASK_ID
     if [ $RALPH_TASK_ID = leak ]; then
       until [ $(ls ${started} | wc -l) = 3 ]; do sleep 0.1; done
       ${script}
     else
       ${AWAIT_CHECK}
     fi
     echo $RALPH_TASK_ID > $RALPH_TASK_ID.txt; echo more >> a.md; echo '<promise>COMPLETE</promise>'`,
    {
      tasks: ['leak', 'x', 'y'],
      files: { 'a.md': 'a\n', '.gitattributes': 'a.md merge=union\n*.md filter=evil merge=evil diff=evil\n' },
    },
  );
}

describe('an agent that leaves its worktree', () => {
  it('is parked as tampered and told of; the checkout is as it was, what it made is kept, the others land', async () => {
    const one = scratch();
    leakProject(
      one,
      `echo mine > leak.txt; git stash -q -u; git config user.name Mallory
       git checkout -q --ignore-other-worktrees main; echo leaked > leaked.txt; git add -A; git commit -q -m leaked`,
    );
    const before = one.git('rev-parse', 'main');
    // The harness compares the whole checkout, with its config, hooks, stash and branches, before and after.
    const run = await ralph(one, PARALLEL);
    expect(run.code, run.stderr).not.toBe(0);
    expect(landedTasks(one.git, 'main').toSorted()).toEqual(['x', 'y']);
    expect(gitSays(one.git, 'merge-base', '--is-ancestor', before, 'main')).toBe(true);
    expect(one.git('log', '--format=%s', 'main')).not.toContain('leaked');
    const { status, reason, sentences } = await why(one, 'leak');
    expect([status, reason]).toEqual(['parked', 'tampered']);
    const said = sentences.join('\n');
    expect(said).toMatch(/moved the branch main from \w{10} to \w{10}/);
    expect(said).toMatch(/left a stash entry \(WIP on ralph\/leak/);
    expect(said).toContain('changed .git/config (user.name)');
    const kept = refsBelow(one.git, 'refs/paralph/keep/');
    expect(kept.filter((ref) => said.includes(ref))).toHaveLength(3);
    expect(kept.some((ref) => gitSays(one.git, 'cat-file', '-e', `${ref}:leaked.txt`))).toBe(true);
    expect((await ralph(one, ['status'])).stdout).toMatch(/^parked +leak +.*moved the branch main/m);
  });
});

describe('programs that an agent plants', () => {
  it('case 25: after the check of its iteration none of them runs in us, through gates, landing and publishing, and the report names the files', async () => {
    const one = scratch();
    const canary = beside(one, 'canary');
    const evil = beside(one, 'evil');
    writeFileSync(evil, `#!/bin/sh\n[ -n "$RALPH_TOKEN" ] || echo "$0 $*" >> ${canary}\ncat\n`, { mode: 0o755 });
    const settings = {
      'core.hooksPath': join(one.root, 'hooks'),
      'core.fsmonitor': evil,
      'core.sshCommand': evil,
      'core.pager': evil,
      'core.editor': evil,
      'filter.evil.clean': evil,
      'filter.evil.smudge': evil,
      'merge.evil.driver': `${evil} %A`,
      'diff.evil.textconv': evil,
      'diff.external': evil,
      'gpg.program': evil,
      'commit.gpgSign': 'true',
      'credential.helper': `!${evil}`,
      'uploadpack.packObjectsHook': evil,
      'alias.status': `!${evil}`,
      'include.path': beside(one, 'more.config'),
    };
    writeFileSync(beside(one, 'more.config'), `[core]\n\taskpass = ${evil}\n`);
    mkdirSync(join(one.root, 'hooks'));
    for (const name of ['reference-transaction', 'post-index-change', 'post-checkout', 'post-merge'])
      writeFileSync(join(one.root, 'hooks', name), `#!/bin/sh\nexec ${evil} ${name}\n`, { mode: 0o755 });
    const plant = Object.entries(settings).map(([key, value]) => `git config ${key} '${value}'`);
    leakProject(
      one,
      `set -x
       cp ${evil} "$main/.git/hooks/pre-commit"; cp ${evil} "$main/.git/hooks/reference-transaction"
       printf '*.md filter=evil merge=evil diff=evil\\n' | tee "$main/.git/info/attributes"
       ${plant.join('\n')}`,
    );
    const run = await ralph(one, PARALLEL);
    expect(existsSync(canary), 'something that was planted ran').toBe(false);
    expect(landedTasks(one.git, 'main').toSorted(), run.stderr).toEqual(['x', 'y']);
    const said = (await why(one, 'leak')).sentences.join('\n');
    for (const name of ['config', 'hooks/pre-commit', 'hooks/reference-transaction', 'info/attributes'])
      expect(said).toContain(`.git/${name}`);
    expect(said).toContain('core.hookspath');
  });
});
