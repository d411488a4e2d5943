import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loopId, taskId } from '../../../src/core/model/ids.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import { noteProgram } from '../../../src/world/agents/run/agent-file.ts';
import { openSeal } from '../../../src/world/seal/seal.ts';
import { runFolder } from '../../../src/world/git/run/state-places.ts';
import { gitIn } from '../scratch.ts';
import { IDENTITY, play, sealScene } from './scene.ts';

describe('the stash', () => {
  it('case 22: two agents stash, and each entry goes to a keep ref of its own', async () => {
    const { git, iterate, dir, repo, seal, sibling, common } = await sealScene();
    writeFileSync(join(dir, 'b.txt'), 'of the user\n');
    git('stash', '-q');
    const before = readFileSync(join(common, 'logs/refs/stash'), 'utf8');
    const other = { loop: loopId('two-y'), task: taskId('two'), n: 1, slot: 2, cwd: sibling };
    await seal.take(other, 'ralph/two');
    const one = await iterate('echo one > a.txt; git stash -q', () =>
      play(repo, other, 'echo two > a.txt; git stash -q; echo more > a.txt; git stash push -q -m named'),
    );
    const two = await seal.check(other, 'ralph/two');
    expect(one?.did).toEqual([expect.stringMatching(/^left a stash entry \(WIP on ralph\/one: /) as string]);
    expect(two?.did.map((line) => line.slice(0, 30))).toEqual([
      'left a stash entry (WIP on ral',
      'left a stash entry (On ralph/t',
    ]);
    expect(readFileSync(join(common, 'logs/refs/stash'), 'utf8')).toBe(before);
    expect(git('stash', 'show', '-p')).toContain('+of the user');
    const contents = [...(one?.kept ?? []), ...(two?.kept ?? [])].map((ref) => git('show', `${ref}:a.txt`));
    expect(contents.toSorted()).toEqual(['more', 'one', 'two']);
  });

  it('case 22: one that gets what another one put there meanwhile is told, and so is that one; who gets its own is not', async () => {
    const { iterate, repo, seal, sibling, gitOwn, iteration, git, dir } = await sealScene();
    writeFileSync(join(dir, 'b.txt'), 'of the user\n');
    git('stash', '-q');
    let n = 0;
    const besides = async (mine: string, ...rest: readonly (readonly ['one' | 'two', string])[]) => {
      const other = { loop: loopId('two-y'), task: taskId('two'), n: (n += 1), slot: 2, cwd: sibling };
      await seal.take(other, 'ralph/two');
      const one = await iterate(mine, () => {
        for (const [who, script] of rest) play(repo, who === 'one' ? iteration() : other, script);
      });
      const two = await seal.check(other, 'ralph/two');
      for (const cwd of [sibling, gitOwn('rev-parse', '--show-toplevel')]) gitIn(cwd, 'checkout', '-q', '.');
      return [one?.did ?? [], two?.did ?? []];
    };
    const [put, take] = ['echo more >> a.txt; git stash -q', 'git stash pop -q'];
    const both = `${put}; ${take}`;
    expect(await besides(both, ['two', both], ['one', put], ['two', both], ['one', take]), 'each its own').toEqual([
      [],
      [],
    ]);
    expect(await besides(put, ['two', put], ['one', take], ['two', take]), 'in turn').toEqual([
      ['took a stash entry of the loop two-y', 'left a stash entry that the loop two-y took'],
      ['left a stash entry that the loop one-x took', 'took a stash entry of the loop one-x'],
    ]);
    expect(await besides(':', ['two', put], ['one', take]), 'without one of its own').toEqual([
      ['took a stash entry of the loop two-y'],
      ['left a stash entry that the loop one-x took'],
    ]);
    const [one, two] = await besides(put, ['two', put], ['one', take]);
    expect(one).toEqual([expect.stringMatching(/^left a stash entry \(WIP/), 'took a stash entry of the loop two-y']);
    expect(two, 'also after we have dropped what was left').toEqual(['left a stash entry that the loop one-x took']);
    expect(git('stash', 'list').split('\n')).toEqual([expect.stringMatching(/WIP on main/)]);
  });

  it('an entry it took from somebody comes back, and is all there was', async () => {
    const { git, iterate, dir } = await sealScene();
    writeFileSync(join(dir, 'b.txt'), 'of the user\n');
    git('stash', '-q');
    const breach = await iterate('git stash pop -q');
    expect(breach?.did).toEqual([expect.stringMatching(/^took a stash entry that was not its own/) as string]);
    expect(git('stash', 'list')).toMatch(/^stash@\{0\}: WIP on main/);
    expect(git('stash', 'show', '-p')).toContain('+of the user');
  });
});

describe('files of the git folder', () => {
  it('case 23: core.bare set by a `git init` of a hook is false again, and what the user set meanwhile stays', async () => {
    const { git, iterate, common } = await sealScene();
    const config = join(common, 'config');
    const before = readFileSync(config, 'utf8');
    const first = await iterate('(cd "$(mktemp -d -p ..)" && GIT_DIR=$MAIN/.git/worktrees/wt-1 git init -q)');
    expect([first?.did, first?.restored]).toEqual([['changed .git/config (core.bare)'], ['.git/config']]);
    expect(readFileSync(config, 'utf8')).toBe(before);
    git('config', 'user.nick', 'ada');
    const second = await iterate('(cd "$(mktemp -d -p ..)" && GIT_DIR=$MAIN/.git/worktrees/wt-1 git init -q)', () => {
      // File times lag behind the clock, so the user's write can seem to be of the moment in which the agent's git still ran.
      const { mtime } = statSync(config);
      git('config', 'core.editor', 'vi');
      utimesSync(config, mtime, mtime);
    });
    expect(second?.restored).toEqual(['core.bare in .git/config']);
    expect([git('config', 'core.bare'), git('config', 'core.editor'), git('config', 'user.nick')]).toEqual([
      'false',
      'vi',
      'ada',
    ]);
  });

  it('settings by `git config`, and by writing into the file, are taken back and kept', async () => {
    const { git, iterate, common } = await sealScene();
    const before = readFileSync(join(common, 'config'), 'utf8');
    const byGit = await iterate('git config core.hooksPath /tmp/evil; git config user.name Mallory');
    expect(byGit?.did).toEqual(['changed .git/config (user.name, core.hookspath)']);
    expect(readFileSync(join(common, 'config'), 'utf8')).toBe(before);
    expect(git('show', `${byGit?.kept[0]}:git/config`)).toContain('Mallory');
    const byHand = await iterate('printf "[filter \\"x\\"]\\n\\tclean = evil\\n" >> $MAIN/.git/config');
    expect(byHand?.did).toEqual(['changed .git/config (filter.x.clean)']);
    expect(readFileSync(join(common, 'config'), 'utf8')).toBe(before);
    // With another agent at work nobody knows who wrote it, and neither is accused.
    const other = join(common, 'paralph/runs/two-y/1');
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, 'start.json'), '{}');
    expect(await iterate('printf "[alias]\\n\\tx = !evil\\n" >> $MAIN/.git/config')).toBeNull();
    expect(readFileSync(join(common, 'config'), 'utf8')).not.toBe(before);
  });

  it('a hook it says it wrote goes; one that only may be its own is told and stays', async () => {
    const { git, iterate, common } = await sealScene();
    const hook = join(common, 'hooks/pre-commit');
    const plant = 'printf "#!/bin/sh\\n" > $MAIN/.git/hooks/pre-commit; chmod +x $MAIN/.git/hooks/pre-commit';
    const said = await iterate(`set -x; ${plant}`);
    expect([said?.did, said?.restored]).toEqual([['made .git/hooks/pre-commit'], ['.git/hooks/pre-commit']]);
    expect([existsSync(hook), git('show', `${said?.kept[0]}:git/hooks/pre-commit`)]).toEqual([false, '#!/bin/sh']);
    const silent = await iterate(plant);
    expect([silent?.did, silent?.restored]).toEqual([
      ['made .git/hooks/pre-commit, unless you did: no other loop was at work then'],
      [],
    ]);
    expect(existsSync(hook)).toBe(true);
  });

  it.each([
    ['a folder', 'rm .git; git init -q'],
    ['a link', 'rm .git; ln -s $MAIN/.git .git'],
  ])('case 26: its .git file replaced by %s is found, not followed, and put back', async (what, script) => {
    const { iterate, gitOwn, own, git } = await sealScene();
    writeFileSync(join(own, 'work.txt'), 'work\n');
    const breach = await iterate(script);
    expect(breach?.did).toEqual([`put ${what} in the place of its worktree's .git file`]);
    expect(breach?.restored[0]).toMatch(/^the \.git file of its worktree; the earlier one is in .*replaced-git$/);
    expect([lstatSync(join(own, '.git')).isFile(), gitOwn('symbolic-ref', '--short', 'HEAD')]).toEqual([
      true,
      'ralph/one',
    ]);
    expect(git('show', `${breach?.kept[0]}:work.txt`)).toBe('work');
  });
});

describe('files of the checkout', () => {
  it('written by the agent are kept and put back where nobody else is in them; the rest is only noted', async () => {
    const { git, iterate, dir, own } = await sealScene();
    writeFileSync(join(dir, 'b.txt'), 'edited by the user\n');
    const breach = await iterate(
      `echo same > a.txt; cp a.txt $MAIN/a.txt; echo "+ cp a.txt $MAIN/a.txt"
       echo "{\\"name\\":\\"Write\\",\\"input\\":{\\"file_path\\":\\"$MAIN/fresh/notes.md\\"}}"; mkdir $MAIN/fresh; echo hi > $MAIN/fresh/notes.md
       echo "wrote $MAIN/said.txt"; echo x > $MAIN/said.txt
       echo "{\\"name\\":\\"Read\\",\\"input\\":{\\"file_path\\":\\"$MAIN/mine.md\\"}}"`,
      () => writeFileSync(join(dir, 'mine.md'), 'of the user\n'),
    );
    expect(breach?.did.toSorted()).toEqual([
      'changed a.txt in the main checkout',
      'made fresh/notes.md in the main checkout',
      'made said.txt in the main checkout',
      'perhaps also changed in the main checkout: mine.md',
    ]);
    expect(breach?.restored.toSorted()).toEqual([
      'a.txt',
      'fresh/notes.md taken out of the main checkout',
      'said.txt taken out of the main checkout',
    ]);
    expect(git('status', '--porcelain')).toBe('M b.txt\n?? mine.md');
    expect(git('show', `${breach?.kept[0]}:checkout/fresh/notes.md`)).toBe('hi');
    expect(readFileSync(join(own, 'a.txt'), 'utf8')).toBe('same\n');
    expect(readFileSync(join(dir, '.ralph/logs/worker-1-one.log'), 'utf8')).toMatch(
      /\(mine\.md\); nothing tells by whom/,
    );
  });

  it('written without a word are the agent’s where its own script says so, and nobody’s where it is for another task', async () => {
    const { git, iterate, dir, own, common, repo, iteration } = await sealScene();
    const script = 'echo leak > $MAIN/leak.txt; echo leak >> $MAIN/a.txt; rm $MAIN/b.txt; cp a.txt $MAIN/.git/HEAD';
    const quiet = 'echo leak > $MAIN/leak.txt; echo leak >> $MAIN/a.txt; rm $MAIN/b.txt';
    const as = (text: string) => () =>
      noteProgram(runFolder(repo, iteration().loop, iteration().n), ['sh', '-c', text], own);
    const tidy = (): void => void (git('checkout', '-q', '--', '.'), git('clean', '-fq'));
    git('branch', 'x');
    const breach = await iterate(quiet, as(script));
    expect(breach?.did.toSorted()).toEqual([
      'changed a.txt in the main checkout',
      'made leak.txt in the main checkout',
      'removed b.txt in the main checkout',
    ]);
    expect(git('show', `${breach?.kept[0]}:checkout/a.txt`)).toBe('a\nleak');
    expect([git('status', '--porcelain'), readFileSync(join(dir, 'b.txt'), 'utf8')]).toEqual(['', 'b\n']);
    const other = join(common, 'paralph/runs/two-y/1');
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, 'start.json'), '{}');
    expect(await iterate(quiet, as(script)), 'another agent runs the same text').toBeNull();
    tidy();
    expect(await iterate(quiet, as(`[ $RALPH_TASK_ID = two ] && { ${script}; }`))).toBeNull();
    tidy();
    expect((await iterate(quiet, as(`[ $RALPH_TASK_ID = one ] && { ${script}; }`)))?.did).toHaveLength(3);
    const head = await iterate(
      'echo ref: refs/heads/x > $MAIN/.git/HEAD',
      as('case $RALPH_TASK_ID in one) echo > $MAIN/.git/HEAD;; esac'),
    );
    expect([head?.did, git('symbolic-ref', 'HEAD')]).toEqual([
      ['switched the main checkout from main to x'],
      'refs/heads/main',
    ]);
  });

  it('switched to another branch, it stands on its own again', async () => {
    const { git, iterate } = await sealScene();
    git('branch', 'other', git('commit-tree', '-p', 'HEAD', '-m', 'other', 'ralph/two^{tree}'));
    const breach = await iterate('git -C $MAIN switch -q other');
    expect(breach?.did).toEqual(['switched the main checkout from main to other']);
    expect([git('symbolic-ref', '--short', 'HEAD'), git('status', '--porcelain')]).toEqual(['main', '']);
    const staged = await iterate('echo x >> $MAIN/a.txt; git -C $MAIN add a.txt');
    expect(staged?.did).toEqual(['changed the index of the main checkout (git add)']);
    expect(git('show', `${staged?.kept[0]}:a.txt`)).toBe('a\nx');
    expect([staged?.restored, git('status', '--porcelain')]).toEqual([['the index of the main checkout'], 'M a.txt']);
    git('add', 'a.txt');
    const beside = await iterate('echo z > $MAIN/z.txt; git -C $MAIN add z.txt');
    expect([beside?.restored, git('status', '--porcelain')], 'something of the user is staged too').toEqual([
      [],
      'M  a.txt\nA  z.txt',
    ]);
  });
});

describe('a host that dies', () => {
  it('leaves enough for the next one: what was found before is not lost, and found once', async () => {
    const { git, iterate, repo, iteration, common, own } = await sealScene();
    const main = git('rev-parse', 'main');
    const first = await iterate('git update-ref refs/heads/main $(git commit-tree -p HEAD -m stray HEAD^{tree})');
    const dir = join(common, 'paralph/runs/one-x/1');
    // It died before it could tidy up.
    mkdirSync(join(own, '../.trace'));
    symlinkSync(join(dir, 'git-trace.jsonl'), join(own, '../.trace/one-x-1'));
    const next = openSeal({
      repo,
      view: await openView(repo),
      identity: IDENTITY,
      ignored: [],
      made: [],
      worktreeRoot: '/',
    });
    expect(await next.check(iteration(), 'ralph/one')).toEqual(first);
    expect(existsSync(join(own, '../.trace'))).toBe(false);
    // It died between keeping and putting back.
    const { breach } = JSON.parse(readFileSync(join(dir, 'breach.json'), 'utf8')) as { breach: object };
    writeFileSync(join(dir, 'breach.json'), JSON.stringify({ breach, isDone: false }));
    expect(await next.check(iteration(), 'ralph/one')).toEqual(first);
    expect(git('rev-parse', 'main')).toBe(main);
    expect(readdirSync(dir)).toContain('git-trace.jsonl');
    appendFileSync(join(dir, 'seal.json'), 'torn');
    writeFileSync(join(dir, 'breach.json'), '');
    expect(await next.check(iteration(), 'ralph/one')).toBeNull();
  });
});
