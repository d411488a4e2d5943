import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { isAncestor, mergeBase, mergeBases, mergeInMemory } from '../../../src/world/git/merge/merge.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { readFileAt } from '../../../src/world/git/objects/trees.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import type { GitView } from '../../../src/world/git/run/view.ts';
import { scratchRepo } from '../scratch.ts';
import type { ScratchOptions, ScratchRepo } from '../scratch.ts';

const made: ScratchRepo[] = [];
afterEach(() => {
  for (const repo of made.splice(0)) repo.remove();
});

type Files = Readonly<Record<string, string>>;

interface Scene extends ScratchRepo {
  readonly view: GitView;
  readonly start: Sha;
  /** A branch from the start with these files written. */
  branch(name: string, files: Files): Sha;
}

async function scene(files: Files, options: ScratchOptions = {}): Promise<Scene> {
  const repo = scratchRepo({ ...options, files });
  made.push(repo);
  const view = await openView(findRepository(repo.dir));
  const start = sha(repo.git('rev-parse', 'HEAD'));
  const branch = (name: string, changes: Files): Sha => {
    repo.git('switch', '-qc', name, start);
    for (const [path, content] of Object.entries(changes)) repo.write(path, content);
    const head = repo.commit(name);
    repo.git('switch', '-q', 'main');
    return sha(head);
  };
  return { ...repo, view, start, branch };
}

describe('mergeInMemory', () => {
  it('merges what does not overlap into the tree git would make', async () => {
    const { view, branch, git } = await scene({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    const left = branch('left', { 'a.txt': 'A\n' });
    const right = branch('right', { 'b.txt': 'B\n', 'c.txt': 'c\n' });
    const merged = await mergeInMemory(view, left, right);
    git('switch', '-q', 'left');
    git('merge', '-q', '--no-edit', 'right');
    expect(merged).toEqual({ clean: true, tree: git('rev-parse', 'HEAD^{tree}') });
  });

  it('names every path in conflict, whatever it is called', async () => {
    const names = ['plain.txt', 'with space.txt', 'größe\nnewline.txt'];
    const all = (text: string): Files => Object.fromEntries(names.map((name) => [name, text]));
    const { view, branch } = await scene(all('base\n'));
    const merged = await mergeInMemory(view, branch('left', all('left\n')), branch('right', all('right\n')));
    expect(merged.clean).toBe(false);
    if (merged.clean) return;
    expect([...merged.paths].sort()).toEqual([...names].sort());
    expect(await readFileAt(view, merged.tree, 'plain.txt')).toMatch(
      /<{7} .*\nleft\n\|{7} .*\nbase\n={7}\nright\n>{7} /,
    );
  });

  it('counts a deletion against a change as a conflict', async () => {
    const { view, branch, git, start } = await scene({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    git('switch', '-qc', 'gone', start);
    git('rm', '-q', 'a.txt');
    git('commit', '-qm', 'gone');
    const gone = sha(git('rev-parse', 'HEAD'));
    expect(await mergeInMemory(view, branch('left', { 'a.txt': 'changed\n' }), gone)).toMatchObject({
      clean: false,
      paths: ['a.txt'],
    });
  });

  it('tells the files whose text alone is in dispute, with what met there', async () => {
    const lines = Array.from({ length: 30 }, (_, at) => `${at}\n`).join('');
    const { view, git, start, write, commit, dir } = await scene({
      'gone.txt': 'a\n',
      'link.txt': 'a\n',
      'mode.txt': 'a\n',
      'moved.txt': lines,
      'text.txt': 'a\n',
      'zero.bin': 'a\0\n',
    });
    const side = (name: string, more: () => void): Sha => {
      git('switch', '-qc', name, start);
      for (const path of ['both.txt', 'gone.txt', 'text.txt', 'mode.txt']) write(path, `${name}\n`);
      write('zero.bin', `${name}\0\n`);
      rmSync(join(dir, 'link.txt'));
      symlinkSync(name, join(dir, 'link.txt'));
      symlinkSync(name, join(dir, 'new-link'));
      more();
      return sha(commit(name));
    };
    const left = side('left', () => {
      chmodSync(join(dir, 'mode.txt'), 0o755);
      git('mv', 'moved.txt', 'one-name.txt');
    });
    const right = side('right', () => {
      rmSync(join(dir, 'gone.txt'));
      git('mv', 'moved.txt', 'another-name.txt');
    });
    const merged = await mergeInMemory(view, left, right);
    if (merged.clean) expect.fail('nothing of this merges');
    const blob = (commitId: string, path: string): string => git('rev-parse', `${commitId}:${path}`);
    expect(merged.textual).toEqual(
      ['both.txt', 'text.txt'].map((path) => ({
        path,
        mode: '100644',
        base: path === 'both.txt' ? null : blob(start, path),
        ours: blob(left, path),
        theirs: blob(right, path),
      })),
    );
    expect(merged.paths).toEqual([
      'another-name.txt',
      'both.txt',
      'gone.txt',
      'link.txt',
      'mode.txt',
      'moved.txt',
      'new-link',
      'one-name.txt',
      'text.txt',
      'zero.bin',
    ]);
  });

  it('names the folder where that is what is in dispute', async () => {
    const lines = (from: number): string => Array.from({ length: 30 }, (_, at) => `${from + at}\n`).join('');
    const names = ['a/1', 'a/2', 'a/3', 'a/4'];
    const { view, branch, git, start } = await scene(
      Object.fromEntries(names.map((name, at) => [name, lines(at * 100)])),
    );
    git('switch', '-qc', 'split', start);
    mkdirSync(join(made[0]?.dir ?? '', 'b'));
    mkdirSync(join(made[0]?.dir ?? '', 'c'));
    git('mv', 'a/1', 'a/2', 'b');
    git('mv', 'a/3', 'a/4', 'c');
    git('commit', '-qm', 'split');
    const split = sha(git('rev-parse', 'HEAD'));
    const merged = await mergeInMemory(view, split, branch('more', { 'a/5': 'new\n' }));
    expect(merged).toMatchObject({ clean: false, paths: ['a'], textual: [] });
  });

  it('throws for a commit that does not exist, and never calls that a conflict', async () => {
    const { view, start } = await scene({ 'a.txt': 'a\n' });
    const nowhere = sha('1'.repeat(40));
    await expect(mergeInMemory(view, start, nowhere)).rejects.toMatchObject({ code: 'E_GIT' });
    await expect(mergeInMemory(view, nowhere, start)).rejects.toMatchObject({ code: 'E_GIT' });
  });

  it('throws for unrelated histories', async () => {
    const { view, start, git } = await scene({ 'a.txt': 'a\n' });
    git('switch', '-q', '--orphan', 'alien');
    git('commit', '-q', '--allow-empty', '-m', 'alien');
    const alien = sha(git('rev-parse', 'HEAD'));
    await expect(mergeInMemory(view, start, alien)).rejects.toMatchObject({ code: 'E_GIT' });
    expect(await mergeBase(view, start, alien)).toBeNull();
  });

  it('leaves checkout, index and refs alone', async () => {
    const { view, branch, git } = await scene({ 'a.txt': 'a\n' });
    const [left, right] = [branch('left', { 'a.txt': 'l\n' }), branch('right', { 'a.txt': 'r\n' })];
    const seen = (): string => git('status', '--porcelain', '--ignored') + git('for-each-ref') + git('ls-files', '-s');
    const before = seen();
    await mergeInMemory(view, left, right);
    expect(seen()).toBe(before);
  });

  it('works in a repository with sha256 ids', async () => {
    const { view, branch } = await scene(
      { 'a.txt': 'a\n', '.gitattributes': 'a.txt merge=union\n' },
      { init: ['--object-format=sha256'] },
    );
    const merged = await mergeInMemory(
      view,
      branch('left', { 'a.txt': 'a\nl\n' }),
      branch('right', { 'a.txt': 'a\nr\n' }),
    );
    expect(merged.clean).toBe(true);
    expect(merged.tree).toHaveLength(64);
  });
});

describe('attributes in a merge', () => {
  const union = { 'CHANGES.md': 'start\n', 'docs/LOG.md': 'start\n', '.gitattributes': 'CHANGES.md merge=union\n' };
  const nested = { ...union, 'docs/.gitattributes': 'LOG.md merge=union\n' };
  const edits = (side: string): Files => ({ 'CHANGES.md': `start\n${side}\n`, 'docs/LOG.md': `start\n${side}\n` });

  it('are those committed in ours, at every depth', async () => {
    const shallow = await scene(union);
    const merged = await mergeInMemory(shallow.view, shallow.branch('l', edits('l')), shallow.branch('r', edits('r')));
    expect(merged).toMatchObject({ clean: false, paths: ['docs/LOG.md'] });
    const deep = await scene(nested);
    const both = await mergeInMemory(deep.view, deep.branch('l', edits('l')), deep.branch('r', edits('r')));
    expect(both.clean).toBe(true);
    expect(await readFileAt(deep.view, both.tree, 'docs/LOG.md')).toBe('start\nl\nr\n');
  });

  it('are not those that lie in the checkout', async () => {
    const { view, branch, write, dir } = await scene(union);
    const [left, right] = [branch('l', edits('l')), branch('r', edits('r'))];
    const before = await mergeInMemory(view, left, right);
    write('.gitattributes', '*.md merge=union\n');
    writeFileSync(join(dir, '.git/info/attributes'), '* merge=union\n');
    expect(await mergeInMemory(view, left, right)).toEqual(before);
    write('.gitattributes', '');
    expect(await mergeInMemory(view, left, right)).toEqual(before);
    expect(before).toMatchObject({ clean: false, paths: ['docs/LOG.md'] });
  });

  it('follow from one commit to the next, and survive a commit that is gone', async () => {
    const { view, branch, git } = await scene(nested);
    const plain = branch('plain', { ...edits('p'), '.gitattributes': '', 'docs/.gitattributes': '' });
    const [left, right] = [branch('l', edits('l')), branch('r', edits('r'))];
    expect((await mergeInMemory(view, left, right)).clean).toBe(true);
    expect(await mergeInMemory(view, plain, right)).toMatchObject({
      clean: false,
      paths: ['CHANGES.md', 'docs/LOG.md'],
    });
    git('branch', '-qD', 'plain');
    git('reflog', 'expire', '--expire=now', '--all');
    git('gc', '-q', '--prune=now');
    expect(() => git('cat-file', '-e', plain)).toThrow();
    expect((await mergeInMemory(view, left, right)).clean).toBe(true);
  });

  it('hold under many merges at once', async () => {
    const { view, branch } = await scene(nested);
    const heads = Array.from({ length: 6 }, (_, at) => branch(`b${at}`, edits(`${at}`)));
    const merges = await Promise.all(heads.flatMap((a) => heads.map((b) => mergeInMemory(view, a, b))));
    expect(merges.every((merge) => merge.clean)).toBe(true);
  });
});

describe('isAncestor and mergeBase', () => {
  it('answer both ways, and throw for a commit that does not exist', async () => {
    const { view, start, branch } = await scene({ 'a.txt': 'a\n' });
    const [left, right] = [branch('l', { 'l.txt': 'l' }), branch('r', { 'r.txt': 'r' })];
    expect(await isAncestor(view, start, left)).toBe(true);
    expect(await isAncestor(view, left, start)).toBe(false);
    expect(await isAncestor(view, left, left)).toBe(true);
    expect(await mergeBase(view, left, right)).toBe(start);
    expect(await mergeBases(view, left, right)).toEqual([start]);
    // What the one learnt the other knows, and it is the same.
    expect(await mergeBases(view, start, left)).toEqual([start]);
    expect(await mergeBases(view, start, right)).toEqual([start]);
    expect(await isAncestor(view, start, right)).toBe(true);
    expect(await mergeBases(view, right, start)).toEqual([start]);
    expect(await isAncestor(view, right, start)).toBe(false);
    await expect(isAncestor(view, sha('1'.repeat(40)), left)).rejects.toMatchObject({ code: 'E_GIT' });
  });
});
