import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { loopId, sha, taskId } from '../../../src/core/model/ids.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import { openIntegration } from '../../../src/world/landing/integration.ts';
import { readFingerprint } from '../../../src/world/seal/fingerprint.ts';
import { findLeak, openPublish } from '../../../src/world/seal/is-leak.ts';
import { runFolder } from '../../../src/world/git/run/state-places.ts';
import { gitIn, plainEnvironment } from '../scratch.ts';
import { IDENTITY, sealScene } from './scene.ts';
import type { Fingerprint } from '../../../src/world/seal/fingerprint.ts';
import type { Iteration } from '../../../src/world/contract/world.ts';

/** A commit on nobody's branch that is not the agent's own either. */
const STRAY = `stray=$(git commit-tree -p HEAD -m stray HEAD^{tree})`;

describe('a branch that an agent moves', () => {
  it('case 12: update-ref of main is undone by compare-and-swap, and the commit is kept', async () => {
    const { git, iterate, dir, repo } = await sealScene();
    const main = git('rev-parse', 'main');
    writeFileSync(join(dir, 'a.txt'), 'the user is editing\n');
    const place = { repo, view: await openView(repo), identity: IDENTITY };
    const tracker = {
      path: 'tasks.md',
      look: () => Promise.resolve(null),
      close: () => Promise.resolve(false),
      tick: async (text: string) => text,
    };
    const how = { merge: { union: [], regenerate: {} }, regenerate: async () => null };
    const integration = openIntegration({ ...place, ...how, target: 'main', tracker });
    const publish = openPublish(place, 'main');
    const seen: unknown[] = [];
    const ask = async (): Promise<void> => {
      seen.push((await findLeak(place, 'refs/heads/main')) !== null, (await publish(sha(main))).outcome);
      // Nothing was begun before: the leaked commit must not be what all begins with.
      seen.push((await integration.sync({ head: null, granted: [] })).head === main);
    };
    const breach = await iterate(`${STRAY}; git update-ref refs/heads/main $stray`, ask);
    await ask();
    // Nobody may land it while it is unclear whose it is.
    expect(seen).toEqual([true, 'blocked', true, false, 'current', true]);
    const leaked = git('log', '-1', '--format=%H', '--grep=^stray$', '--all');
    expect(breach).toEqual({
      did: [`moved the branch main from ${main.slice(0, 10)} to ${leaked.slice(0, 10)}`],
      kept: [expect.stringMatching(/^refs\/paralph\/keep\/one-x\//) as string],
      restored: [`the branch main at ${main.slice(0, 10)}`],
    });
    expect(git('rev-parse', 'main')).toBe(main);
    expect(git('merge-base', '--is-ancestor', leaked, breach?.kept[0] ?? '')).toBe('');
    expect(git('status', '--porcelain')).toBe('M a.txt');
  });

  it('case 11: a commit on main from inside its worktree is moved to a keep ref', async () => {
    const { git, gitOwn, iterate } = await sealScene();
    const main = git('rev-parse', 'main');
    const breach = await iterate(
      'git checkout -q --ignore-other-worktrees main; echo leak > leak.txt; git add -A; git commit -qm leak',
    );
    expect(breach?.did).toEqual([expect.stringMatching(/^moved the branch main from/) as string]);
    expect(git('rev-parse', 'main')).toBe(main);
    expect(git('status', '--porcelain')).toBe('');
    expect(git('show', `${breach?.kept[0]}:leak.txt`)).toBe('leak');
    expect(gitOwn('status', '--porcelain')).toBe('A  leak.txt');
  });

  it('is put back with files and index where it committed in the checkout itself, and not where the user had work', async () => {
    const { git, iterate, dir } = await sealScene();
    const main = git('rev-parse', 'main');
    writeFileSync(join(dir, 'new.txt'), 'new, of the user\n');
    const breach = await iterate('cd $MAIN; echo leak > a.txt; git add a.txt; git commit -qm leak');
    expect(breach?.restored).toEqual([`the branch main at ${main.slice(0, 10)}, its files and index`]);
    expect([git('rev-parse', 'main'), git('status', '--porcelain')]).toEqual([main, '?? new.txt']);
    expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('a\n');
    writeFileSync(join(dir, 'b.txt'), 'edited by the user\n');
    const dirty = await iterate('cd $MAIN; echo leak > a.txt; git add a.txt; git commit -qm again');
    expect([dirty?.did.length, dirty?.restored]).toEqual([1, []]);
    expect(git('log', '-1', '--format=%s', 'main')).toBe('again');
    expect(git('status', '--porcelain')).toBe(' M b.txt\n?? new.txt'.trim());
  });

  it('of another loop comes back, deleted or moved, and a worktree it removed is told', async () => {
    const { git, iterate, sibling, common } = await sealScene();
    const two = git('rev-parse', 'ralph/two');
    const moved = await iterate(`${STRAY}; git update-ref refs/heads/ralph/two $stray`);
    expect(moved?.restored).toEqual([`the branch ralph/two at ${two.slice(0, 10)}`]);
    expect(gitIn(sibling, 'status', '--porcelain')).toBe('');
    writeFileSync(join(common, 'worktrees/wt-2/HEAD'), `${two}\n`);
    const deleted = await iterate('git branch -D ralph/two');
    expect(deleted?.did).toEqual([`deleted the branch ralph/two, which was at ${two.slice(0, 10)}`]);
    expect(git('rev-parse', 'ralph/two')).toBe(two);
  });

  it('case 10: a sibling it removed is named, and its commits stay', async () => {
    const { git, iterate, sibling } = await sealScene();
    const two = git('rev-parse', 'ralph/two');
    const breach = await iterate('git worktree remove -f -f ../wt-2');
    expect(breach?.did).toEqual([`removed the worktree ${sibling}`]);
    expect([existsSync(sibling), git('rev-parse', 'ralph/two')]).toEqual([false, two]);
  });

  it('by writing the file of main, past git, is caught by the commit it wrote', async () => {
    const { git, iterate } = await sealScene();
    const main = git('rev-parse', 'main');
    const breach = await iterate('git commit -q --allow-empty -m own; git rev-parse HEAD > $MAIN/.git/refs/heads/main');
    expect(breach?.restored).toEqual([`the branch main at ${main.slice(0, 10)}`]);
    expect(git('rev-parse', 'main')).toBe(main);
  });

  it('by removing the file of main, past git, is caught where nobody else was at work, and main is back', async () => {
    const { git, iterate, common } = await sealScene();
    const main = git('rev-parse', 'main');
    const breach = await iterate('rm $MAIN/.git/refs/heads/main');
    expect([breach?.did, breach?.restored]).toEqual([
      [`deleted the branch main, which was at ${main.slice(0, 10)}`],
      [`the branch main at ${main.slice(0, 10)}`],
    ]);
    expect([git('rev-parse', 'main'), git('status', '--porcelain')]).toEqual([main, '']);
    // A branch that nobody stands on may have been deleted by its owner.
    git('branch', 'spare');
    expect(await iterate('rm $MAIN/.git/refs/heads/spare')).toBeNull();
    const other = join(common, 'paralph/runs/two-y/1');
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, 'start.json'), '{}');
    expect(await iterate('rm $MAIN/.git/refs/heads/main'), 'another one was at work').toBeNull();
  });

  it('and that the user has gone on from is kept and told, and stays', async () => {
    const { git, iterate, dir } = await sealScene();
    // Reflogs count seconds, and the user is slower than an agent.
    const env = { ...plainEnvironment(), GIT_COMMITTER_DATE: new Date(Date.now() + 5000).toISOString() };
    const breach = await iterate(
      'git -C $MAIN commit -q --allow-empty -m leak',
      () => void execFileSync('git', ['commit', '-q', '--allow-empty', '-m', 'on top'], { cwd: dir, env }),
    );
    expect(breach?.did).toEqual([expect.stringMatching(/, and later work builds on it$/) as string]);
    expect(breach?.restored).toEqual([]);
    expect(git('log', '--format=%s', '-2', 'main')).toBe('on top\nleak');
  });
});

it('loops that begin together look together, and nobody by a look that began before', async () => {
  const { git, seal, repo, own, sibling } = await sealScene();
  const order = (name: string, cwd: string): Iteration => ({
    loop: loopId(`${name}-x`),
    task: taskId(name),
    n: 1,
    slot: 1,
    cwd,
  });
  const first = seal.take(order('one', own), 'ralph/one');
  // Its look is under way now.
  await setImmediate();
  git('branch', 'late');
  await Promise.all([first, seal.take(order('two', sibling), 'ralph/two'), seal.take(order('six', own), 'ralph/one')]);
  const printOf = (name: string): Fingerprint | null => readFingerprint(runFolder(repo, loopId(`${name}-x`), 1));
  const [one, two, six] = [printOf('one'), printOf('two'), printOf('six')];
  expect([two?.refs['refs/heads/late'], six?.refs]).toEqual([git('rev-parse', 'late'), two?.refs]);
  const entry = (name: string): string => join(repo.commonDir, 'worktrees', name);
  expect([one, two, six].map((print) => print?.own?.adminDir)).toEqual([entry('wt-1'), entry('wt-2'), entry('wt-1')]);
});

describe('what is no breach', () => {
  it('what we publish in the second in which it commits elsewhere', async () => {
    const { git, iterate, dir } = await sealScene();
    const landed = git('commit-tree', '-p', 'HEAD', '-m', 'landed', 'HEAD^{tree}');
    const breach = await iterate('cd $MAIN; git checkout -q --detach; git commit -q --allow-empty -m own', () => {
      const second = /\{(.*)\}/.exec(git('log', '-g', '-1', '--format=%gd', '--date=raw', 'HEAD'))?.[1] ?? '';
      const env = { ...plainEnvironment(), GIT_COMMITTER_DATE: second };
      for (const order of [
        ['update-ref', '-m', 'paralph: publish', 'refs/heads/main', landed],
        ['symbolic-ref', '-m', 'paralph: an agent had switched it', 'HEAD', 'refs/heads/main'],
      ])
        execFileSync('git', order, { cwd: dir, env });
    });
    expect(breach).toBeNull();
  });

  it('own commits, branches, tags and fetches, and looking around everywhere', async () => {
    const { git, iterate, own } = await sealScene();
    git('remote', 'add', 'origin', '.');
    git('push', '-q', 'origin', 'main:refs/heads/other');
    const breach = await iterate(
      `echo x > x; git add x; git commit -qm x; git tag mine; git branch extra; git checkout -q -b more; git checkout -q -
       git fetch -q origin; git merge -q main; git -C $MAIN status; git -C $MAIN log -1 main; git branch --set-upstream-to=origin/main -q
       echo y >> x; git stash -q; git stash pop -q; git worktree list; git config --get user.name; cat $MAIN/a.txt`,
    );
    expect(breach).toBeNull();
    expect(existsSync(join(own, '..', '.trace'))).toBe(false);
  });

  it('nor a commit of the user in the very middle of one of the agent', async () => {
    const { git, iterate, dir } = await sealScene();
    const hook = join(dir, '.git/hooks/pre-commit');
    const user =
      'env -u GIT_DIR -u GIT_INDEX_FILE -u GIT_TRACE2_EVENT git -C $MAIN commit -q --no-verify --allow-empty';
    writeFileSync(hook, `#!/bin/sh\n${user} -m user\n`);
    chmodSync(hook, 0o755);
    const script =
      'git checkout -q --ignore-other-worktrees main; git checkout -q -; git commit -q --allow-empty -m own';
    expect(await iterate(script)).toBeNull();
    expect(git('log', '-1', '--format=%s', 'main')).toBe('user');
  });

  it('what the user does meanwhile, even the same things, and nothing of theirs is undone', async () => {
    const { git, iterate, dir, sibling, common } = await sealScene();
    git('branch', 'gone');
    git('branch', 'moved');
    git('config', 'core.pager', 'less');
    writeFileSync(join(dir, 'b.txt'), 'for the stash\n');
    git('stash', '-q');
    const breach = await iterate(
      'git -C $MAIN pull -q . main; git commit -q --allow-empty -m own; git config core.pager; git config --get-all core.bare',
      () => {
        writeFileSync(join(dir, 'a.txt'), 'edited\n');
        git('commit', '-qam', 'by the user');
        git('commit', '-q', '--amend', '-m', 'amended');
        git('update-ref', 'refs/heads/moved', 'main');
        git('branch', '-D', 'gone');
        git('stash', 'drop', '-q');
        git('config', 'core.editor', 'vi');
        git('config', 'alias.st', 'status');
        git('config', '--unset', 'core.pager');
        git('update-ref', 'refs/heads/ralph/two', 'main');
        git('worktree', 'remove', '-f', '-f', sibling);
        writeFileSync(join(dir, 'a.txt'), 'edited again\n');
        writeFileSync(join(dir, 'fresh.txt'), 'fresh\n');
        git('add', 'fresh.txt');
        git('switch', '-q', '-c', 'feature');
      },
    );
    expect(breach).toBeNull();
    expect(git('log', '-1', '--format=%s', 'main')).toBe('amended');
    expect(git('symbolic-ref', '--short', 'HEAD')).toBe('feature');
    expect(git('status', '--porcelain')).toBe('M a.txt\nA  fresh.txt');
    expect(git('stash', 'list')).toBe('');
    expect(readFileSync(join(common, 'config'), 'utf8')).toMatch(/editor = vi[^]*st = status/);
    expect(readFileSync(join(dir, '.ralph/logs/worker-1-one.log'), 'utf8')).toMatch(/a\.txt.*nothing tells by whom/);
  });
});
