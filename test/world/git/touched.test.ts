import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { copyIndex } from '../../../src/world/git/files/private-index.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { touchedPaths } from '../../../src/world/git/files/worktree-state.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import { justBefore } from '../fixtures/just-before.ts';
import { gitIn, scratchRepo } from '../scratch.ts';
import type { ScratchRepo } from '../scratch.ts';

let scratch: ScratchRepo;
let path = '';
let base: Sha;
beforeEach(() => {
  scratch = scratchRepo({
    files: { 'README.md': 'hello\n', 'src/a.ts': 'a\n', 'src/b.ts': 'b\n', 'gone.txt': 'x\n', '.gitignore': '*.log\n' },
  });
  path = join(dirname(scratch.dir), 'loop one');
  base = sha(scratch.git('rev-parse', 'HEAD'));
  scratch.git('worktree', 'add', '-q', '-b', 'loop', path);
});
afterEach(() => scratch.remove());

function write(name: string, text: string): void {
  mkdirSync(dirname(join(path, name)), { recursive: true });
  writeFileSync(join(path, name), text);
}

async function touched(limit = 100): Promise<readonly string[]> {
  const repo = findRepository(scratch.dir);
  return touchedPaths({ repo, view: await openView(repo) }, { path, base, limit });
}

describe('touchedPaths', () => {
  it('of a fresh worktree are none, also when a file was written again as it was', async () => {
    expect(await touched()).toEqual([]);
    expect(readdirSync(join(scratch.dir, '.git/paralph/tmp'))).toEqual([]);
    utimesSync(join(path, 'README.md'), 1, 1);
    expect(await touched()).toEqual([]);
  });

  it('are those committed, staged, changed, removed, moved and new, but not the ignored ones', async () => {
    write('src/a.ts', 'committed\n');
    gitIn(path, 'commit', '-qam', 'one');
    write('src/b.ts', 'staged\n');
    gitIn(path, 'add', 'src/b.ts');
    write('README.md', 'changed\n');
    rmSync(join(path, 'gone.txt'));
    write('new/deep/c d.ts', 'new\n');
    write('grün.txt', 'new\n');
    write('x.log', 'ignored\n');
    write('mine.tmp', 'ignored here\n');
    writeFileSync(join(scratch.dir, '.git/info/exclude'), '*.tmp\n');
    expect(await touched()).toEqual(['README.md', 'gone.txt', 'grün.txt', 'new/deep/c d.ts', 'src/a.ts', 'src/b.ts']);
    expect(await touched(2)).toEqual(['README.md', 'gone.txt']);
  });

  it('are told of a renamed file under both its names', async () => {
    gitIn(path, 'mv', 'gone.txt', 'here.txt');
    expect(await touched()).toEqual(['gone.txt', 'here.txt']);
  });

  it('are found while somebody holds the lock of the index, which stays as it is', async () => {
    const index = join(gitIn(path, 'rev-parse', '--absolute-git-dir'), 'index');
    write('src/a.ts', 'changed\n');
    utimesSync(join(path, 'README.md'), 1, 1);
    writeFileSync(`${index}.lock`, 'held');
    const before = [readFileSync(index).toString('hex'), statSync(index).ino];
    expect(await touched()).toEqual(['src/a.ts']);
    expect([readFileSync(index).toString('hex'), statSync(index).ino]).toEqual(before);
    rmSync(`${index}.lock`);
    expect(await touched()).toEqual(['src/a.ts']);
    expect([readFileSync(index).toString('hex'), statSync(index).ino]).toEqual(before);
  });

  it('are found without running what somebody planted', async () => {
    const ran = join(dirname(scratch.dir), 'ran');
    for (const key of ['filter.evil.clean', 'filter.evil.process', 'core.fsmonitor', 'diff.external', 'core.hooksPath'])
      scratch.git('config', key, `touch '${ran}'; cat`);
    write('.gitattributes', '* filter=evil diff=evil\n');
    write('src/a.ts', 'changed\n');
    utimesSync(join(path, 'README.md'), 1, 1);
    expect(await touched()).toEqual(['.gitattributes', 'src/a.ts']);
    expect(existsSync(ran)).toBe(false);
  });

  it('name a repository inside as one, and do not look into it', async () => {
    mkdirSync(join(path, 'inner'));
    gitIn(join(path, 'inner'), 'init', '-q');
    write('inner/x', 'x');
    symlinkSync('/', join(path, 'link'));
    expect(await touched()).toEqual(['inner/', 'link']);
  });

  it('are found while a rebase or merge stands half-done', async () => {
    write('src/a.ts', 'ours\n');
    gitIn(path, 'commit', '-qam', 'ours');
    scratch.write('src/a.ts', 'theirs\n');
    scratch.commit('theirs');
    expect(() => gitIn(path, 'merge', 'main')).toThrow();
    expect(await touched()).toEqual(['src/a.ts']);
  });

  it('of a worktree that is gone are none', async () => {
    rmSync(path, { recursive: true });
    expect(await touched()).toEqual([]);
    scratch.git('worktree', 'prune');
    expect(await touched()).toEqual([]);
  });
});

it('the copy of an index that somebody writes meanwhile is not younger than what is in it', () => {
  const [from, to] = ['index', 'copy'].map((name) => join(scratch.dir, name)) as [string, string];
  const put = (text: string, second: number): void => {
    writeFileSync(`${from}.lock`, text);
    utimesSync(`${from}.lock`, second, second);
    renameSync(`${from}.lock`, from);
  };
  put('before', 1000);
  justBefore(
    'statSync',
    (file) => file === from,
    () => put('after', 5000),
  );
  copyIndex(from, to);
  expect([readFileSync(to, 'utf8'), statSync(to).mtimeMs]).toEqual(['after', 5_000_000]);
});
