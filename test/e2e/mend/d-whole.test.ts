import { existsSync, renameSync, rmSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { listOf, summaryOf } from '../harness/answers.ts';
import { gitIn, gitSays, landedTasks } from '../harness/git.ts';
import { beside, ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { CLAIM, OWN_FILE, promptOf, readyTrain, shellAgent, watchedGate } from '../harness/train.ts';
import { why } from '../harness/why.ts';
import { project } from '../harness/project.ts';

/** Loops that do what the script says in their first iteration, and make their commits anew in the second. */
function wholeProject(one: Scratch, script: string, tasks: readonly string[] = ['one']): void {
  const agent = `task=$RALPH_TASK_ID; common=$(git rev-parse --git-common-dir)
    if [ $RALPH_ITERATION = 1 ] && [ $task = one ]; then
      echo first > first.txt; git add -A; git commit -q -m first
      ${script}
    else
      git reset -q --soft main; rm -f first.txt far.txt; echo "made by $task" > $task.txt; git add -A; git commit -q -m "$task"
    fi
    ${CLAIM}`;
  project(one, {
    tasks,
    config: { agent: 'shell', limits: { iterations: 3 }, 'agents.shell': shellAgent(one, 'shell', agent) },
  });
}

/** What a stranger gets, from a server that checks what it is given. */
function strangerTakes(one: Scratch): string {
  const server = beside(one, 'server.git');
  one.git('init', '-q', '--bare', '-b', 'main', server);
  gitIn(server, one.env)('config', 'transfer.fsckObjects', 'true');
  one.git('push', '-q', server, 'main');
  one.git('clone', '-q', '--no-local', '-b', 'main', server, beside(one, 'clone'));
  return gitIn(beside(one, 'clone'), one.env)('fsck', '--strict');
}

const COMMIT = 'git commit-tree -m odd -p HEAD';

describe('what lands', () => {
  it.each([
    [
      'a commit whose blob is nowhere',
      `tree=$( (git ls-tree HEAD; printf '100644 blob %040d\\tgone.txt\\n' 1) | git mktree --missing)
       git reset -q --soft $(${COMMIT} $tree); git commit -q -m "take it back"`,
      /unable to read 0{39}1/,
    ],
    [
      'a commit whose folder is nowhere',
      `tree=$( (git ls-tree HEAD; printf '040000 tree %040d\\tgone\\n' 1) | git mktree --missing)
       git update-ref HEAD $(${COMMIT} $tree)`,
      /commits are damaged: .*0{39}1.*git reset --soft/,
    ],
    [
      'a commit whose files are nowhere',
      `rm -f $common/objects/$(git rev-parse HEAD^{tree} | sed 's|^..|&/|')`,
      /commits are damaged: .*git reset --soft/,
    ],
    [
      'a commit that is nowhere',
      `rm -f $common/objects/$(git rev-parse HEAD | sed 's|^..|&/|')`,
      /commits are damaged: .*git reset --soft/,
    ],
    [
      'a commit whose parent is nowhere',
      `odd=$(git cat-file commit HEAD | sed "s/^parent .*/parent $(printf %040d 1)/" | git hash-object --literally -t commit -w --stdin)
       echo $odd > $common/$(git symbolic-ref HEAD)`,
      /0{39}1/,
    ],
    [
      'a blob that is there no more',
      `rm -f $common/objects/$(git rev-parse HEAD:first.txt | sed 's|^..|&/|')`,
      /unable to read/,
    ],
    [
      'a folder named .git in a commit that a later one takes back',
      `blob=$(echo x | git hash-object -w --stdin); inner=$(printf '100644 blob %s\\tconfig\\n' $blob | git mktree)
       tree=$( (git ls-tree HEAD; printf '040000 tree %s\\t.git\\n' $inner) | git mktree)
       git reset -q --soft $(${COMMIT} $tree); git commit -q -m "take it back"`,
      /hasDotgit/,
    ],
    [
      'a blob that is only behind alternates of its making',
      `git init -q "$HOME/else"; blob=$(echo far | git -C "$HOME/else" hash-object -w --stdin)
       echo "$HOME/else/.git/objects" >> "$common/objects/info/alternates"
       git update-index --add --cacheinfo 100644,$blob,far.txt; git commit -q -m far; git checkout -q far.txt`,
      /unable to read/,
    ],
  ])('mend d: %s goes back to its loop with the reason, and lands once it is made anew', async (_, script, reason) => {
    const one = scratch();
    wholeProject(one, script);
    const run = await ralph(one, ['run'], { isCheckoutGuarded: false });
    expect([run.code, landedTasks(one.git, 'main')], run.stderr).toEqual([0, ['one']]);
    rmSync(`${one.home}/else`, { recursive: true, force: true });
    rmSync(`${one.repo}/.git/objects/info/alternates`, { force: true });
    expect(strangerTakes(one)).toBe('');
    expect(promptOf(one, 'shell', 'one', 2)).toMatch(reason);
    expect(existsSync(beside(one, 'prompts/shell.one.3'))).toBe(false);
    // What nothing names any more is looked at by nobody.
    one.git('reflog', 'expire', '--expire=now', '--all');
    one.git('prune', '--expire=now');
  });

  it.each([
    ['a file', ':two.txt', /unable to read/],
    ['a folder', '^{tree}', /bad tree object|unable to read/],
    ['the commit', '', /bad object|unable to read/],
  ])(
    'mend d: a car of which %s vanished since it was ready is put out, and the others land',
    async (_, what, words) => {
      const one = scratch();
      const tasks = ['one', 'two', 'three'];
      await readyTrain(one, { tasks, gate: watchedGate(one, 'true'), script: `${OWN_FILE}; ${CLAIM}` });
      const branch = one.git('for-each-ref', '--format=%(refname)', 'refs/heads/ralph/two*');
      const object = one.git('rev-parse', `${branch}${what}`);
      const file = `${one.repo}/.git/objects/${object.slice(0, 2)}/${object.slice(2)}`;
      renameSync(file, beside(one, 'object'));
      const { stdout, stderr } = await ralph(one, ['land', '--all', '--json']);
      const { stdout: listed } = await ralph(one, ['worktree', 'list', '--json']);
      renameSync(beside(one, 'object'), file);
      expect(stdout, stderr).not.toBe('');
      expect(summaryOf(stdout), stderr).toMatchObject({
        landed: ['one', 'three'],
        parked: [{ task: 'two', reason: 'red' }],
      });
      expect(listOf(listed, 'worktrees').length, listed).toBeGreaterThan(1);
      const told = await why(one, 'two');
      expect([told.gate?.tail, told.reproduce]).toEqual([
        expect.stringMatching(words),
        expect.stringContaining('git fsck'),
      ]);
      // Once it is there again, a person lands it.
      expect((await ralph(one, ['land', 'two'])).code).toBe(0);
    },
  );

  it('mend d: malformed commits that the target already has stop nobody, nor do links, signatures and odd names', async () => {
    const one = scratch();
    wholeProject(
      one,
      `ln -s nowhere link; printf '\\351' > "$(printf 'na\\351me')"; mkdir empty; git add -A
       git update-index --add --cacheinfo 160000,$(printf '%040d' 2),sub
       git config -f .gitmodules submodule.sub.path sub; git config -f .gitmodules submodule.sub.url ./sub; git add .gitmodules
       git commit -q -m odd
       { git cat-file commit HEAD | sed 's/^committer .*/&\\nodd header\\ngpgsig -----BEGIN-----\\n  x\\n -----END-----/'; } > "$HOME/c"
       git reset -q --soft $(git hash-object -t commit -w "$HOME/c")`,
    );
    one.git('config', 'fsck.missingEmail', 'ignore');
    const tree = one.git('rev-parse', 'HEAD^{tree}');
    const bad = `tree ${tree}\nparent ${one.git('rev-parse', 'HEAD')}\nauthor a a 1 +0000\ncommitter a <a> 1 +0000\n\nold\n`;
    one.put('bad-commit', bad);
    const old = one.git('hash-object', '--literally', '-t', 'commit', '-w', 'bad-commit');
    rmSync(`${one.repo}/bad-commit`);
    one.git('update-ref', 'refs/heads/main', old);
    const run = await ralph(one, ['run'], { isCheckoutGuarded: false });
    expect([run.code, landedTasks(one.git, 'main')], run.stderr).toEqual([0, ['one']]);
    expect(gitSays(one.git, 'cat-file', '-e', 'main:link')).toBe(true);
  });
});
