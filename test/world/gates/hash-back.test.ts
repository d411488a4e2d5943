import { chmodSync, copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import { settleAt } from '../../../src/world/gates/gate-settle.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { scratchRepo } from '../scratch.ts';
import type { ScratchRepo } from '../scratch.ts';

let scratch: ScratchRepo;
let path: string;
beforeEach(() => {
  scratch = scratchRepo({ files: { 'a.txt': 'one\n', 'b.txt': 'two\n' } });
  path = join(dirname(scratch.dir), 'gate-1');
});
afterEach(() => scratch.remove());

/** The gate worktree at a commit; what it holds of one file. */
async function settle(): Promise<void> {
  const repo = findRepository(scratch.dir);
  const commit = sha(scratch.git('rev-parse', 'HEAD'));
  if (!scratch.git('worktree', 'list').includes(path))
    scratch.git('worktree', 'add', '-q', '--detach', '--no-checkout', path);
  await settleAt({ repo, path, folder: join(repo.stateDir, 'gates/gate-1'), onNew: () => undefined }, commit, []);
}

const objectFile = (name: string): string => {
  const id = scratch.git('rev-parse', `HEAD:${name}`);
  return join(scratch.dir, '.git/objects', id.slice(0, 2), id.slice(2));
};

describe('files that a checkout wrote', () => {
  it('are refused where an object is not what its id says, and taken once it is', async () => {
    copyFileSync(objectFile('a.txt'), `${objectFile('a.txt')}.own`);
    chmodSync(objectFile('a.txt'), 0o644);
    copyFileSync(objectFile('b.txt'), objectFile('a.txt'));
    await expect(settle()).rejects.toMatchObject({ code: 'E_INEXACT', facts: ['a.txt'] });
    copyFileSync(`${objectFile('a.txt')}.own`, objectFile('a.txt'));
    await settle();
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it('are the same however attributes and filters make them look, also where that cannot be turned back', async () => {
    const { git, write, dir } = scratch;
    git('config', 'filter.up.smudge', 'tr a-z A-Z');
    git('config', 'filter.up.clean', 'tr A-Z a-z');
    git('config', 'filter.more.smudge', 'sed "\\$a more"');
    git('config', 'filter.less.clean', 'sed 1d');
    const stored: Record<string, string | Buffer> = {
      'lf.crlf': 'a\nb\n',
      'mixed.crlf': 'a\r\nb\n',
      'old.text': 'a\r\nb\r\n',
      'stale.ident': '$Id: nonsense $\n',
      'wide.utf16': 'häß\n',
      'x.up': 'loud\n',
      'x.more': 'x\n',
      'x.less': 'x\ny\n',
      'bytes.bin': Buffer.from([0, 255, 13, 10]),
      'new\nline é': 'x\n',
    };
    for (const [name, content] of Object.entries(stored)) write(name, content);
    writeFileSync(Buffer.concat([Buffer.from(`${dir}/na`), Buffer.from([0xe9])]), 'odd\n');
    symlinkSync('nowhere', join(dir, 'link'));
    git('add', '-A');
    git('update-index', '--chmod=+x', 'x.up');
    git('update-index', '--add', '--cacheinfo', `160000,${'2'.repeat(40)},sub`);
    git('commit', '-q', '-m', 'as stored');
    const lines = ['crlf text eol=crlf', 'text text', 'ident ident', 'utf16 working-tree-encoding=UTF-16LE'];
    const filters = ['up', 'more', 'less'].map((name) => `${name} filter=${name}`);
    write('.gitattributes', [...lines, ...filters].map((line) => `*.${line}\n`).join(''));
    git('add', '.gitattributes');
    git('commit', '-q', '-m', 'attributes');
    await settle();
    const seen = (name: string): string => readFileSync(join(path, name), 'latin1');
    expect([seen('mixed.crlf'), seen('x.up'), seen('x.more'), seen('wide.utf16')]).toEqual([
      'a\r\nb\r\n',
      'LOUD\n',
      'x\nmore\n',
      Buffer.from('häß\n', 'utf16le').toString('latin1'),
    ]);
    write('b.txt', 'three\n');
    git('commit', '-q', '-m', 'three', 'b.txt');
    await settle();
    expect(seen('b.txt')).toBe('three\n');
  });
});
