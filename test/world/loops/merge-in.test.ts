import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { findMarkers } from '../../../src/world/git/merge/conflict-markers.ts';
import { readIdentity } from '../../../src/world/git/run/identity.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import type { GitView } from '../../../src/world/git/run/view.ts';
import { openWorktrees } from '../../../src/world/loops/loop-worktrees.ts';
import type { Worktrees } from '../../../src/world/contract/world.ts';
import { gitIn, scratchRepo } from '../scratch.ts';
import { provisions } from '../provisions.ts';
import type { ScratchRepo } from '../scratch.ts';

const made: ScratchRepo[] = [];
afterEach(() => {
  for (const repo of made.splice(0)) repo.remove();
});

const BRANCH = 'ralph/login-x1';
type Files = Readonly<Record<string, string | null>>;

interface Scene extends ScratchRepo {
  readonly view: GitView;
  readonly worktrees: Worktrees;
  /** The loop's worktree, and git in it. */
  readonly path: string;
  at(...args: string[]): string;
  /** Commits these files on the loop's branch; null deletes one. */
  work(files: Files): Sha;
  /** The same on main. */
  main(files: Files): Sha;
  merge(commit: Sha): ReturnType<Worktrees['mergeIn']>;
}

async function scene(files: Readonly<Record<string, string>>): Promise<Scene> {
  const scratch = scratchRepo({ files });
  made.push(scratch);
  const repo = findRepository(scratch.dir);
  const view = await openView(repo);
  scratch.git('config', 'core.excludesFile', '/dev/null');
  writeFileSync(join(scratch.dir, '.git/info/exclude'), '/.worktrees\n*.env\n');
  const worktreeRoot = join(scratch.dir, '.worktrees');
  const identity = await readIdentity(repo);
  const worktrees = openWorktrees({
    repo,
    view,
    identity,
    worktreeRoot,
    trackerPath: 'tasks.md',
    union: ['CHANGELOG.md'],
    ignored: [],
    maxNew: { files: 2000, mb: 50 },
    provisions: provisions(),
  });
  const { path } = await worktrees.make({ branch: BRANCH, base: sha(scratch.git('rev-parse', 'HEAD')) });
  const change = (top: string, changes: Files): Sha => {
    for (const [name, text] of Object.entries(changes)) {
      if (text === null) rmSync(join(top, name), { recursive: true });
      else {
        mkdirSync(join(top, name, '..'), { recursive: true });
        writeFileSync(join(top, name), text);
      }
    }
    gitIn(top, 'add', '-A');
    gitIn(top, 'commit', '-q', '-m', 'change');
    return sha(gitIn(top, 'rev-parse', 'HEAD'));
  };
  return {
    ...scratch,
    view,
    worktrees,
    path,
    at: (...args) => gitIn(path, ...args),
    work: (changes) => change(path, changes),
    main: (changes) => change(scratch.dir, changes),
    merge: (commit) =>
      worktrees.mergeIn({
        path,
        branch: BRANCH,
        commit,
        onlyClean: false,
        message: (list) => `Merge main\n\nin: ${list.join(' ')}\n`,
      }),
  };
}

/** The files are exactly the commit the branch stands at, and HEAD stands on the branch. */
function expectSettled({ at, path }: Scene, head: Sha): void {
  expect(at('status', '--porcelain')).toBe('');
  expect(at('symbolic-ref', 'HEAD')).toBe(`refs/heads/${BRANCH}`);
  expect(at('rev-parse', 'HEAD')).toBe(head);
  expect(at('diff', '--stat', head)).toBe('');
  expect(existsSync(join(path, '.git'))).toBe(true);
}

const kept = ({ git }: Scene): readonly string[] =>
  git('for-each-ref', '--format=%(refname)', 'refs/paralph/keep')
    .split('\n')
    .filter((line) => line !== '');

describe('mergeIn', () => {
  it('brings main in as a merge commit and the files with it', async () => {
    const all = await scene({ 'a.txt': 'a\n', 'gone.txt': 'x\n' });
    const ours = all.work({ 'w.txt': 'w\n' });
    const theirs = all.main({ 'a.txt': 'A\n', 'gone.txt': null, 'new/deep.txt': 'n\n' });
    const { head, tree, conflicts } = await all.merge(theirs);
    expect(conflicts).toEqual([]);
    expect(all.git('show', '-s', '--format=%P %T', head)).toBe(`${ours} ${theirs} ${tree}`);
    expectSettled(all, head);
    expect(readFileSync(join(all.path, 'new/deep.txt'), 'utf8')).toBe('n\n');
    expect(existsSync(join(all.path, 'gone.txt'))).toBe(false);
    // Where a deleted branch is found again.
    expect(all.at('reflog', '-1', '--format=%H')).toBe(head);
  });

  it('keeps both sides of a list that everybody adds to, also when it is asked for again', async () => {
    const all = await scene({ 'CHANGELOG.md': '# Changes\n', 'a.txt': 'a\n' });
    all.work({ 'CHANGELOG.md': '# Changes\n- mine\n', 'a.txt': 'mine\n' });
    const theirs = all.main({ 'CHANGELOG.md': '# Changes\n- theirs\n', 'a.txt': 'theirs\n' });
    const first = await all.merge(theirs);
    expect(first.conflicts).toEqual(['a.txt']);
    const text = readFileSync(join(all.path, 'CHANGELOG.md'), 'utf8');
    expect(text.split('\n').sort()).toEqual(['', '# Changes', '- mine', '- theirs']);
    expect(await all.merge(theirs)).toEqual(first);
    expectSettled(all, first.head);
  });

  it('makes no commit where main is in the branch already', async () => {
    const all = await scene({ 'a.txt': 'a\n' });
    const base = sha(all.git('rev-parse', 'HEAD'));
    const ours = all.work({ 'w.txt': 'w\n' });
    expect(await all.merge(base)).toMatchObject({ head: ours, conflicts: [] });
    expectSettled(all, ours);
  });

  it('commits conflicts with both sides and what was before in the file', async () => {
    const all = await scene({ 'a.txt': 'base\n', 'b.txt': 'b\n' });
    all.work({ 'a.txt': 'ours\n' });
    const theirs = all.main({ 'a.txt': 'theirs\n', 'b.txt': 'B\n' });
    const { head, conflicts } = await all.merge(theirs);
    expect(conflicts).toEqual(['a.txt']);
    expectSettled(all, head);
    const text = readFileSync(join(all.path, 'a.txt'), 'utf8');
    expect(text).toMatch(/^<{7} .*\nours\n\|{7} .*\nbase\n={7}\ntheirs\n>{7} .*\n$/);
    expect(readFileSync(join(all.path, 'b.txt'), 'utf8')).toBe('B\n');
    expect(all.git('show', '-s', '--format=%B', head)).toContain('in: a.txt');
    expect(existsSync(join(all.git('rev-parse', '--git-dir'), 'MERGE_HEAD'))).toBe(false);
    expect(await all.worktrees.markers(head, conflicts)).toEqual(['a.txt:1', 'a.txt:3', 'a.txt:5', 'a.txt:7']);
  });

  it('lists deletions, renames and bytes that conflict, and keeps the changed side', async () => {
    const long = Array.from({ length: 30 }, (_, at) => `line ${at}\n`).join('');
    const all = await scene({ 'del.txt': 'd\n', 'ren.txt': long, 'bin.dat': 'b\0b', 'keep.txt': 'k\n' });
    all.work({ 'del.txt': 'changed\n', 'ren.txt': null, 'ours.txt': long, 'bin.dat': 'o\0o' });
    const theirs = all.main({ 'del.txt': null, 'ren.txt': null, 'theirs.txt': long, 'bin.dat': 't\0t' });
    const { head, conflicts } = await all.merge(theirs);
    expect(conflicts).toEqual(expect.arrayContaining(['bin.dat', 'del.txt', 'ours.txt', 'theirs.txt']));
    expectSettled(all, head);
    expect(readFileSync(join(all.path, 'del.txt'), 'utf8')).toBe('changed\n');
    expect(readFileSync(join(all.path, 'bin.dat'), 'utf8')).toBe('o\0o');
  });

  it('obeys the attributes of the branch', async () => {
    const all = await scene({ 'log.md': 'start\n', '.gitattributes': 'log.md merge=union\n' });
    all.work({ 'log.md': 'start\nours\n' });
    const { head, conflicts } = await all.merge(all.main({ 'log.md': 'start\ntheirs\n' }));
    expect(conflicts).toEqual([]);
    expect(all.git('show', `${head}:log.md`)).toBe('start\nours\ntheirs');
  });

  it('takes the tracker of main, whatever the branch made of it', async () => {
    const all = await scene({ 'tasks.md': '- [ ] a\n- [ ] b\n', 'x.txt': 'x\n' });
    all.work({ 'tasks.md': '- [x] a\n- [ ] mine\n', 'w.txt': 'w\n' });
    const theirs = all.main({ 'tasks.md': '- [ ] a\n- [x] b\n' });
    const { head, conflicts } = await all.merge(theirs);
    expect(conflicts).toEqual([]);
    expectSettled(all, head);
    expect(readFileSync(join(all.path, 'tasks.md'), 'utf8')).toBe('- [ ] a\n- [x] b\n');
  });

  it('does not throw over a tracker that became a link, but lists it', async () => {
    const all = await scene({ 'tasks.md': '- [ ] a\n', 'x.txt': 'x\n' });
    rmSync(join(all.path, 'tasks.md'));
    symlinkSync('x.txt', join(all.path, 'tasks.md'));
    all.work({ 'w.txt': 'w\n' });
    const { head, conflicts } = await all.merge(all.main({ 'tasks.md': '- [x] a\n' }));
    expect(conflicts).toContain('tasks.md');
    expectSettled(all, head);
  });

  it('leaves new files that no commit took where they are; what is in the way is kept first', async () => {
    const all = await scene({ 'a.txt': 'a\n' });
    all.work({ 'a.txt': 'ours\n' });
    writeFileSync(join(all.path, 'new.txt'), 'n');
    writeFileSync(join(all.path, 'b.txt'), 'not yet committed');
    await all.merge(all.main({ 'b.txt': 'theirs\n' }));
    expect(all.at('status', '--porcelain')).toBe('?? new.txt');
    const kept = all.git('for-each-ref', '--format=%(objectname)', 'refs/paralph/keep');
    expect(all.git('show', `${kept}:b.txt`)).toBe('not yet committed');
  });

  it('refuses a worktree that is dirty, elsewhere, or in the middle of something, and touches nothing', async () => {
    const all = await scene({ 'a.txt': 'a\n' });
    const ours = all.work({ 'a.txt': 'ours\n' });
    const theirs = all.main({ 'a.txt': 'theirs\n' });
    const refused = async (): Promise<void> => {
      const before = all.at('status', '--porcelain') + all.git('for-each-ref');
      await expect(all.merge(theirs)).rejects.toMatchObject({ code: 'E_NEEDS_PERSON' });
      expect(all.at('status', '--porcelain') + all.git('for-each-ref')).toBe(before);
    };
    writeFileSync(join(all.path, 'a.txt'), 'edited');
    await refused();
    all.at('checkout', '-q', '--', '.');
    all.at('checkout', '-q', '--detach');
    await refused();
    all.at('checkout', '-q', BRANCH);
    expect(() => all.at('merge', '-q', theirs)).toThrow();
    await refused();
    all.at('merge', '--abort');
    all.at('bisect', 'start');
    await refused();
    all.at('bisect', 'reset');
    expect((await all.merge(theirs)).conflicts).toEqual(['a.txt']);
    expect(all.at('rev-parse', 'HEAD^1')).toBe(ours);
  });

  it('keeps an ignored file that main brings under the same name', async () => {
    const all = await scene({ 'a.txt': 'a\n' });
    all.work({ 'w.txt': 'w\n' });
    writeFileSync(join(all.path, 'prod.env'), 'SECRET=mine\n');
    writeFileSync(join(all.path, 'same.env'), 'S=1\n');
    all.write('prod.env', 'SECRET=\n');
    all.write('same.env', 'S=1\n');
    all.git('add', '-f', 'prod.env', 'same.env');
    const { head } = await all.merge(all.main({ 'a.txt': 'A\n' }));
    expectSettled(all, head);
    expect(readFileSync(join(all.path, 'prod.env'), 'utf8')).toBe('SECRET=\n');
    const [ref = ''] = kept(all);
    expect(ref).toMatch(/^refs\/paralph\/keep\/login-x1\/[0-9a-f]{12}$/);
    expect(all.git('show', `${ref}:prod.env`)).toBe('SECRET=mine');
  });
});

describe('mergeIn after a kill', () => {
  /** The branch is at the merge, the index where it was, and files of either. */
  async function cutShort(): Promise<{ all: Scene; merge: Sha; from: Sha }> {
    const all = await scene({ 'a.txt': 'base\n', 'b.txt': 'b\n', 'c.txt': 'c\n', 'gone.txt': 'g\n' });
    const from = all.work({ 'a.txt': 'ours\n', 'w.txt': 'w\n' });
    const theirs = all.main({ 'a.txt': 'theirs\n', 'b.txt': 'B\n', 'gone.txt': null, 'new.txt': 'n\n' });
    const { head } = await all.merge(theirs);
    all.at('reset', '-q', '--hard', from);
    all.git('update-ref', `refs/heads/${BRANCH}`, head);
    return { all, merge: head, from };
  }

  it('ends what was begun, and tells of the same conflicts', async () => {
    const { all, merge } = await cutShort();
    writeFileSync(join(all.path, 'b.txt'), 'B\n');
    rmSync(join(all.path, 'gone.txt'));
    writeFileSync(join(all.path, 'new.txt'), 'n\n');
    writeFileSync(join(all.at('rev-parse', '--git-dir'), 'index.lock'), '');
    const theirs = sha(all.git('rev-parse', 'main'));
    expect(await all.merge(theirs)).toMatchObject({ head: merge, conflicts: ['a.txt'] });
    expectSettled(all, merge);
    expect(kept(all)).toEqual([]);
  });

  it('asked again with all done, changes nothing and tells of the same conflicts', async () => {
    const { all, merge } = await cutShort();
    const theirs = sha(all.git('rev-parse', 'main'));
    await all.merge(theirs);
    const refs = all.git('for-each-ref');
    expect(await all.merge(theirs)).toMatchObject({ head: merge, conflicts: ['a.txt'] });
    expect(all.git('for-each-ref')).toBe(refs);
    expectSettled(all, merge);
  });

  it('keeps what somebody wrote meanwhile before the files are put right', async () => {
    const { all, merge } = await cutShort();
    writeFileSync(join(all.path, 'c.txt'), 'edited by hand\n');
    await all.merge(sha(all.git('rev-parse', 'main')));
    expectSettled(all, merge);
    const [ref = ''] = kept(all);
    expect(all.git('show', `${ref}:c.txt`)).toBe('edited by hand');
  });

  it('does not take a merge that an agent made and changed for its own', async () => {
    const all = await scene({ 'a.txt': 'base\n' });
    all.work({ 'a.txt': 'ours\n' });
    const theirs = all.main({ 'a.txt': 'theirs\n' });
    expect(() => all.at('merge', '-q', theirs)).toThrow();
    const head = all.work({ 'a.txt': 'both\n' });
    expect(await all.merge(theirs)).toMatchObject({ head, conflicts: [] });
    expectSettled(all, head);
  });
});

describe('findMarkers', () => {
  const conflict = '<<<<<<< one\nours\n=======\ntheirs\n>>>>>>> two\n';

  async function markers(
    files: Readonly<Record<string, string>>,
    paths: readonly string[],
  ): Promise<readonly string[]> {
    const scratch = scratchRepo({ files });
    made.push(scratch);
    const view = await openView(findRepository(scratch.dir));
    return findMarkers(view, sha(scratch.git('rev-parse', 'HEAD')), paths);
  }

  it('finds them by path and line, in the files asked about alone', async () => {
    const files = { 'a b.txt': `x\n${conflict}`, '*.txt': conflict, 'ok.txt': 'x\n', 'other.txt': conflict };
    const asked = ['a b.txt', '*.txt', 'ok.txt', 'missing.txt'];
    const lines = (path: string, first: number): string[] => [0, 2, 4].map((at) => `${path}:${first + at}`);
    expect(await markers(files, asked)).toEqual([...lines('*.txt', 1), ...lines('a b.txt', 2)]);
    expect(await markers(files, [])).toEqual([]);
  });

  it('finds one that was left alone, also with line ends of another system', async () => {
    expect(await markers({ 'a.txt': 'x\n>>>>>>> two\n' }, ['a.txt'])).toEqual(['a.txt:2']);
    expect(await markers({ 'a.txt': 'x\n=======\ny\n>>>>>>> two\n' }, ['a.txt'])).toEqual(['a.txt:2', 'a.txt:4']);
    const crlf = conflict.replaceAll('\n', '\r\n');
    expect(await markers({ 'a.txt': crlf }, ['a.txt'])).toEqual(['a.txt:1', 'a.txt:3', 'a.txt:5']);
  });

  it('takes no heading, no quotation and no longer line for one', async () => {
    const text = 'Title\n=======\n\n========\n> >>>>>>> x\n <<<<<<< x\n<<<<<<<<<< x\nMore\n=======\n';
    expect(await markers({ 'a.md': text }, ['a.md'])).toEqual([]);
  });

  it('does not count what a text about conflicts had on both sides', async () => {
    const all = await scene({ 'doc.md': `How to\n${conflict}end\n`, 'a.txt': 'a\n' });
    all.work({ 'doc.md': `How we\n${conflict}end\n` });
    const theirs = all.main({ 'doc.md': `How they\n${conflict}end\n` });
    const { head, conflicts } = await all.merge(theirs);
    expect(conflicts).toEqual(['doc.md']);
    const [first, ...rest] = await all.worktrees.markers(head, conflicts);
    expect(first).toBe('doc.md:1');
    expect(rest.length).toBeLessThanOrEqual(4);
    const fixed = all.work({ 'doc.md': `How all\n${conflict}end\n` });
    expect(await all.worktrees.markers(fixed, conflicts)).toEqual([]);
  });

  it('is not fooled by a merge of the branch with itself', async () => {
    const all = await scene({ 'a.txt': 'base\n' });
    all.work({ 'a.txt': 'ours\n' });
    const { head } = await all.merge(all.main({ 'a.txt': 'theirs\n' }));
    all.at('switch', '-qc', 'side');
    all.work({ 'b.txt': 'b\n' });
    all.at('switch', '-q', BRANCH);
    all.at('merge', '-q', '--no-ff', '-m', 'side', 'side');
    expect(await all.worktrees.markers(sha(all.at('rev-parse', 'HEAD')), ['a.txt'])).toContain('a.txt:1');
    expect(head).not.toBe(all.at('rev-parse', 'HEAD'));
  });
});
