import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { killHost } from '../harness/crash.ts';
import { parseEvents } from '../harness/events.ts';
import { gitSays, landedTasks, refsBelow } from '../harness/git.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { shellProject } from '../harness/shell-agent.ts';
import { until } from '../harness/until.ts';
import { why } from '../harness/why.ts';

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
      `echo mine > leak.txt; git stash -q -u; git config user.name Mallory; echo quiet > "$main/quiet.txt"
       git checkout -q --ignore-other-worktrees main; echo leaked > leaked.txt; git add -A; git commit -q -m leaked`,
    );
    const before = one.git('rev-parse', 'main');
    // The harness compares the whole checkout, with its config, hooks, stash and branches, before and after.
    const run = await ralph(one, PARALLEL);
    expect(run.code, run.stderr).not.toBe(0);
    expect(landedTasks(one.git, 'main').toSorted()).toEqual(['x', 'y']);
    expect(gitSays(one.git, 'merge-base', '--is-ancestor', before, 'main')).toBe(true);
    expect(one.git('log', '--format=%s', 'main')).not.toContain('leaked');
    const { state, reason, sentences } = await why(one, 'leak');
    expect([state, reason]).toEqual(['parked', 'tampered']);
    const said = sentences.join('\n');
    expect(said).toMatch(/moved the branch main from \w{10} to \w{10}/);
    expect(said).toMatch(/left a stash entry \(WIP on ralph\/leak/);
    expect(said).toContain('changed .git/config (user.name)');
    expect(said).toContain('made quiet.txt in the main checkout');
    const kept = refsBelow(one.git, 'refs/paralph/keep/');
    expect(kept.filter((ref) => said.includes(ref))).toHaveLength(3);
    expect(kept.some((ref) => gitSays(one.git, 'cat-file', '-e', `${ref}:leaked.txt`))).toBe(true);
    expect((await ralph(one, ['status'])).stdout).toMatch(/^parked +leak +.*moved the branch main/m);
  });
});

describe('an agent that had left its worktree before everything we knew was deleted', () => {
  it.each([['run'], ['doctor', '--fix']])(
    'is still parked as tampered after ralph %s, and nothing of it lands',
    async (...args) => {
      const one = scratch();
      const behaves = beside(one, 'behaves');
      shellProject(
        one,
        `echo z > z.txt; git add -A; git commit -q -m z
       test -e ${behaves} || git update-ref refs/heads/main HEAD
       echo '<promise>COMPLETE</promise>'`,
        { tasks: ['leak'] },
      );
      expect((await ralph(one, PARALLEL)).code).not.toBe(0);
      expect((await why(one, 'leak')).reason).toBe('tampered');
      rmSync(join(one.repo, '.git/paralph'), { recursive: true });
      writeFileSync(behaves, '');
      const first = await ralph(one, args);
      expect(`${first.stdout}${first.stderr}`).toMatch(
        /^(healed:|fixed) .*\.git\/paralph\/log was missing; what git knows/m,
      );
      const again = await ralph(one, PARALLEL);
      expect(again.code, again.stderr).not.toBe(0);
      expect(again.stderr).not.toContain('was missing');
      expect(landedTasks(one.git, 'main')).toEqual([]);
      const { state, reason, sentences } = await why(one, 'leak');
      expect([state, reason]).toEqual(['parked', 'tampered']);
      expect(sentences.join('\n')).toContain('moved the branch main');
    },
  );
});

describe('a main that an agent moves and that nobody has checked yet', () => {
  it('is not landed, and what landed meanwhile is published once it is back', async () => {
    const one = scratch();
    shellProject(
      one,
      `common=$(git rev-parse --git-common-dir); main=$(dirname "$common")
       case $RALPH_TASK_ID in
         leak)
           echo leaked > leaked.txt; git add -A; git commit -q -m leaked
           git update-ref refs/heads/main HEAD; touch ${beside(one, 'leaked')}
           until git cat-file -e refs/paralph/int/main:x.txt 2> /dev/null; do sleep 0.1; done
           until grep -q publish-blocked "$common"/paralph/log/*; do sleep 0.1; done;;
         x) until [ -e ${beside(one, 'leaked')} ]; do sleep 0.1; done;;
         y) until [ -e "$main/x.txt" ]; do sleep 0.1; done;;
       esac
       echo $RALPH_TASK_ID > $RALPH_TASK_ID.txt; echo '<promise>COMPLETE</promise>'`,
      { tasks: ['leak', 'x', 'y'], config: { landing: { publish: 'each' } } },
    );
    const before = one.git('rev-parse', 'main');
    const run = await ralph(one, [...PARALLEL, '--events'], { isCheckoutGuarded: false });
    expect(landedTasks(one.git, 'main'), run.stderr).toEqual(['x', 'y']);
    expect(one.git('log', '--format=%s', `${before}..main`)).not.toContain('leaked');
    expect(one.git('status', '--porcelain')).toBe('');
    const types = parseEvents(run.stdout).map(({ type }) => type);
    const count = (type: string): number => types.filter((other) => other === type).length;
    expect([count('published'), count('integration-advanced')]).toEqual([2, 2]);
    for (const busy of ['publish-blocked', 'target-moved', 'landing-started', 'train-built'])
      expect(count(busy), `${busy} again and again`).toBeLessThanOrEqual(4);
  });
});

describe('programs that an agent plants', () => {
  it('case 25: none of them runs in us, while its agent lives, and after the host was killed; filters of the user do, and the report names the files', async () => {
    const one = scratch();
    const canary = beside(one, 'canary');
    const evil = beside(one, 'evil');
    writeFileSync(evil, `#!/bin/sh\n[ -n "$RALPH_TOKEN" ] || echo "$0 $*" >> ${canary}\ncat\n`, { mode: 0o755 });
    const settings = {
      'core.hooksPath': join(one.root, 'hooks'),
      'core.fsmonitor': `${evil} fsmonitor`,
      'core.sshCommand': `${evil} ssh`,
      'core.pager': `${evil} pager`,
      'core.editor': `${evil} editor`,
      'filter.evil.clean': `${evil} clean`,
      'filter.evil.smudge': `${evil} smudge`,
      'filter.evil.required': 'true',
      'filter.other.process': `${evil} process`,
      'filter.own.clean': `${evil} own`,
      'merge.evil.driver': `${evil} merge %A`,
      'diff.evil.textconv': `${evil} textconv`,
      'diff.external': `${evil} external`,
      'gpg.program': evil,
      'commit.gpgSign': 'true',
      'credential.helper': `!${evil} credential`,
      'uploadpack.packObjectsHook': `${evil} pack`,
      'remote.origin.uploadpack': `${evil} upload`,
      'alias.status': `!${evil} alias`,
      'include.path': beside(one, 'more.config'),
    };
    writeFileSync(
      beside(one, 'more.config'),
      `[core]\n\taskpass = ${evil}\n[filter "a=b"]\n\tclean = ${evil} included\n`,
    );
    mkdirSync(join(one.root, 'hooks'));
    for (const name of ['reference-transaction', 'post-index-change', 'post-checkout', 'post-merge'])
      writeFileSync(join(one.root, 'hooks', name), `#!/bin/sh\nexec ${evil} ${name}\n`, { mode: 0o755 });
    const plant = Object.entries(settings).map(([key, value]) => `git config ${key} '${value}'`);
    const awaitFile = (path: string): string => `until [ -e ${path} ]; do sleep 0.1; done`;
    shellProject(
      one,
      `common=$(git rev-parse --git-common-dir); main=$(dirname "$common")
       case $RALPH_TASK_ID in
         leak)
           set -x
           cp ${evil} "$main/.git/hooks/pre-commit"; cp ${evil} "$main/.git/hooks/reference-transaction"
           printf '*.md filter=evil merge=evil diff=evil\\n*.txt filter=other\\n*.inc filter=a=b\\n' | tee "$main/.git/info/attributes"
           ${plant.join('\n')}
           set +x; touch ${beside(one, 'planted')}; ${awaitFile('"$main/y.txt"')};;
         x) ${awaitFile(beside(one, 'planted'))};;
         y) ${awaitFile(beside(one, 'killed'))};;
       esac
       for kind in txt inc own; do echo plain > $RALPH_TASK_ID.$kind; done
       echo more >> a.md; echo '<promise>COMPLETE</promise>'`,
      {
        tasks: ['leak', 'x', 'y'],
        files: { 'a.md': 'a\n', '.gitattributes': 'a.md merge=union\n*.own filter=own\n' },
        config: { landing: { publish: 'each' } },
      },
    );
    one.git('config', 'filter.own.clean', 'sed s/plain/CLEAN/');
    const host = startRalph(one, PARALLEL);
    // Each waits for the other: leftovers, gates, landing and publishing of x and y, while what was planted is in place.
    await until('x is published', () => existsSync(join(one.repo, 'x.txt')));
    await killHost(host);
    writeFileSync(beside(one, 'killed'), '');
    const run = await ralph(one, PARALLEL, { isCheckoutGuarded: false });
    expect(existsSync(canary) ? readFileSync(canary, 'utf8') : '', 'something that was planted ran').toBe('');
    expect(landedTasks(one.git, 'main').toSorted(), run.stderr).toEqual(['x', 'y']);
    for (const task of ['x', 'y'])
      expect(['txt', 'inc', 'own'].map((kind) => one.git('show', `main:${task}.${kind}`))).toEqual([
        'plain',
        'plain',
        'CLEAN',
      ]);
    expect(one.git('config', '--get-regexp', '^(filter|include|merge)[.]')).toBe('filter.own.clean sed s/plain/CLEAN/');
    const said = (await why(one, 'leak')).sentences.join('\n');
    for (const name of ['config', 'hooks/pre-commit', 'hooks/reference-transaction', 'info/attributes'])
      expect(said).toContain(`.git/${name}`);
    expect(said).toContain('core.hookspath');
  });
});
