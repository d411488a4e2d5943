import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { gitIn, gitSays, landedTasks } from '../harness/git.ts';
import { beside, ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { shellProject } from '../harness/shell-agent.ts';

const CLAIM = "echo '<promise>COMPLETE</promise>'";
const GATE = 'grep -qx good state.txt';

/** What a stranger gets: a clone that shares nothing, and the gate in it. */
function strangersGate(one: Scratch): boolean {
  const clone = beside(one, 'clone');
  one.git('clone', '-q', '--no-local', '-b', 'main', one.repo, clone);
  return gitSays(gitIn(clone, one.env), 'grep', '-q', '^good$', 'HEAD', '--', 'state.txt');
}

function exactProject(one: Scratch, script: string, files: Readonly<Record<string, string>> = {}): void {
  shellProject(one, `common=$(git rev-parse --git-common-dir)\n${script}\n${CLAIM}`, {
    tasks: ['one'],
    files: { 'state.txt': 'good\n', ...files },
    config: { gates: { commands: [GATE] }, limits: { iterations: 2 } },
  });
}

describe('what is tested is what lands', () => {
  it('mend c: an object that an agent replaced by another one does not pass for it', async () => {
    const one = scratch();
    exactProject(
      one,
      `good=$(git rev-parse main:state.txt); echo bad > state.txt; echo made > made.txt; git add -A; git commit -q --allow-empty -m work
       mkdir -p "$common/refs/replace"; echo $good > "$common/refs/replace/$(git rev-parse HEAD:state.txt)"
       rm state.txt; git checkout -q state.txt; sleep 1.1; touch "$(git rev-parse --git-dir)/index"`,
    );
    const run = await ralph(one, ['run'], { isCheckoutGuarded: false });
    expect(strangersGate(one), 'main is red in a fresh clone').toBe(true);
    expect([run.code, landedTasks(one.git, 'main')]).toEqual([1, []]);
  });

  it('mend c: filters and attributes that an agent writes past git while others work do not show gates another tree', async () => {
    const one = scratch();
    const started = beside(one, 'started');
    mkdirSync(started);
    shellProject(
      one,
      `common=$(git rev-parse --git-common-dir)
       touch ${started}/$RALPH_TASK_ID; until [ $(ls ${started} | wc -l) = 2 ]; do sleep 0.1; done
       if [ $RALPH_TASK_ID = one ]; then
         cd "$common"; printf '[filter "x"]\\n\\tsmudge = sed s/bad/good/\\n\\tclean = sed s/good/bad/\\n' | dd of=config oflag=append conv=notrunc status=none
         printf 'state.txt filter=x\\n' | dd of=info/attributes status=none; cd "$OLDPWD"
         echo bad > state.txt; touch ${beside(one, 'planted')}; git add -A; git commit -q -m work
         rm state.txt; git checkout -q state.txt
       else until [ -e ${beside(one, 'planted')} ]; do sleep 0.1; done; sleep 0.5; fi
       echo $RALPH_TASK_ID > $RALPH_TASK_ID.txt; ${CLAIM}`,
      {
        tasks: ['one', 'two'],
        files: { 'state.txt': 'good\n' },
        config: { gates: { commands: [GATE] }, limits: { iterations: 1 } },
      },
    );
    const run = await ralph(one, ['run', '--parallel', '--max-workers', '2'], { isCheckoutGuarded: false });
    expect(strangersGate(one), `main is red in a fresh clone\n${run.stderr}`).toBe(true);
    expect(landedTasks(one.git, 'main')).toContain('two');
    // Two were at work, so nobody is accused and it stays; but nobody is left in the dark.
    expect(run.stderr).toMatch(/set while agents were at work, .*filter\.x\.smudge.*info\/attributes/);
  });

  it('mend c: a history that an agent cut short with a file named shallow is the whole one to us', async () => {
    const one = scratch();
    exactProject(
      one,
      `echo made > made.txt; git add -A; git commit -q -m work; git rev-parse HEAD HEAD~1 > "$common/shallow"`,
    );
    const run = await ralph(one, ['run'], { isCheckoutGuarded: false });
    expect([run.code, landedTasks(one.git, 'main')], run.stderr).toEqual([0, ['one']]);
    rmSync(join(one.repo, '.git/shallow'));
    expect(one.git('log', '--format=%s', 'main')).toContain('Start');
  });

  it('mend c: a program that a repository inside names is not run by our looks at the worktree', async () => {
    const one = scratch();
    const canary = beside(one, 'canary');
    const evil = beside(one, 'evil');
    writeFileSync(evil, `#!/bin/sh\n[ -n "$RALPH_TOKEN" ] || echo "$*" >> ${canary}\ncat\n`, { mode: 0o755 });
    exactProject(
      one,
      `[ -e inside ] || {
       git init -q inside; cd inside; git config user.name a; git config user.email a@b
       git config filter.evil.clean '${evil} clean'; git config core.fsmonitor '${evil} fsmonitor'
       echo '* filter=evil' > .gitattributes; echo s > s; git add -A; git commit -q -m s
       cd ..; git add inside 2> /dev/null; echo t > inside/s; touch -d 2020-01-01 inside/s; echo made > made.txt; }`,
    );
    const run = await ralph(one, ['run']);
    expect(existsSync(canary) ? readFileSync(canary, 'utf8') : '', 'something that was planted ran').toBe('');
    expect([run.code, landedTasks(one.git, 'main')], run.stderr).toEqual([0, ['one']]);
  });

  it.each(['staged', 'committed'])(
    'mend c: the same of one that .gitmodules names, %s: neither our looks nor what we add or throw away runs it',
    async (how) => {
      const one = scratch();
      const [canary, evil] = [beside(one, 'canary'), beside(one, 'evil')];
      writeFileSync(evil, `#!/bin/sh\n[ -n "$RALPH_TOKEN" ] || echo "$*" >> ${canary}\ncat\n`, { mode: 0o755 });
      exactProject(
        one,
        `git init -q inside; cd inside; git config user.name a; git config user.email a@b; echo s > s; git add -A; git commit -q -m s
         git config filter.evil.clean '${evil} clean'; git config filter.evil.process '${evil} process'; git config core.fsmonitor '${evil} monitor'
         mkdir -p .git/info; echo '* filter=evil' > .git/info/attributes
         cd ..; git config -f .gitmodules submodule.inside.path inside; git config -f .gitmodules submodule.inside.url ./inside
         git add inside .gitmodules 2> /dev/null; ${how === 'committed' ? 'git commit -q -m inside' : ':'}
         echo t > inside/s; touch -d 2020-01-01 inside/s; echo made > made.txt`,
      );
      const run = await ralph(one, ['run', '--set', 'parallel.merge_policy=manual']);
      const told = await ralph(one, ['loops', 'discard', 'one', '-y']);
      expect(existsSync(canary) ? readFileSync(canary, 'utf8') : '', 'something that was planted ran').toBe('');
      expect([run.code, told.code], run.stderr).toEqual([0, 6]);
      expect(told.stderr).toContain('the submodule inside has changes that are not committed');
    },
  );

  it('mend c: filters of the user and of the repository from before the run apply where gates run, and find what they keep', async () => {
    const one = scratch();
    const keeper = beside(one, 'keeper');
    writeFileSync(
      keeper,
      `#!/bin/sh
kept=$(git rev-parse --git-common-dir)/keeper; mkdir -p "$kept"
if [ $1 = clean ]; then cat > "$kept/new.$$"; id=$(cksum < "$kept/new.$$" | tr ' ' -); mv "$kept/new.$$" "$kept/$id"; echo $id
else cat "$kept/$(cat)"; fi
`,
      { mode: 0o755 },
    );
    one.git('config', 'filter.keeper.clean', `${keeper} clean`);
    one.git('config', 'filter.keeper.smudge', `${keeper} smudge`);
    one.git('config', 'filter.keeper.required', 'true');
    one.git('config', '--global', 'filter.loud.smudge', 'tr a-z A-Z');
    one.git('config', '--global', 'filter.loud.clean', 'tr A-Z a-z');
    shellProject(one, `echo 'big two' > two.big; echo HERE > here.loud; ${CLAIM}`, {
      tasks: ['one'],
      files: { '.gitattributes': '*.big filter=keeper\n*.loud filter=loud\n', 'one.big': 'big one\n' },
      config: {
        gates: {
          commands: [
            'grep -qx "big one" one.big && ( ! test -e two.big || grep -qx "big two" two.big )',
            'test ! -e here.loud || grep -qx HERE here.loud',
          ],
        },
      },
    });
    const run = await ralph(one, ['run'], { isCheckoutGuarded: false });
    expect([run.code, landedTasks(one.git, 'main')], run.stderr).toEqual([0, ['one']]);
    expect(one.git('show', 'main:two.big')).toMatch(/^\d+-\d+$/);
    expect(one.git('show', 'main:here.loud')).toBe('here');
  });
});
