import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { gitIn } from '../harness/git.ts';
import { foldersOf, promptFor, promptProject, PROMISE, readBook } from '../harness/prompt-project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';

/** Names that trip up whoever splits lines or trusts bytes to be text. */
const NAMES = ['with space.txt', 'größe ✓.txt', 'two\nlines.txt', '-dash.txt', 'quote\'".txt'];

describe('ralph run PROMPT in repositories of all kinds', () => {
  it('scenario 17: a worktree of its own holds what is committed and what is copied, and nothing else', async () => {
    const one = scratch();
    promptProject(
      one,
      `find . \\( -name .git -o -name .agent -o -name .ralph \\) -prune -o ! -type d -print | LC_ALL=C sort > "$BOOKS/files"
cat kept.txt .env > "$BOOKS/kept"
echo made > "$name.txt"
${PROMISE}`,
    );
    one.put('kept.txt', 'committed\n');
    one.put('deep/er/picture.bin', Buffer.from([0, 1, 2, 255]));
    symlinkSync('kept.txt', join(one.repo, 'link'));
    one.git('add', '-A');
    one.git('commit', '-q', '-m', 'Files');
    one.put('kept.txt', 'changed\n');
    one.put('deep/new.txt', 'new\n');
    one.put('staged.txt', 'staged\n');
    one.git('add', 'staged.txt');
    one.put('.env', 'SECRET=1\n');
    one.put('x.ignored', 'ignored\n');
    symlinkSync('/etc/hostname', join(one.repo, 'out'));
    const status = (): readonly string[] =>
      one
        .git('status', '--porcelain', '--ignored', '-uall')
        .split('\n')
        .filter((line) => !line.startsWith('!! .ralph/'));
    const before = status();
    const { code, stderr } = await ralph(one, ['run', '--worktree', promptFor('apart')]);
    expect(code, stderr).toBe(0);
    const files = one.git('ls-tree', '-r', '--name-only', 'main~1').split('\n');
    const held = ['.env', ...files].map((file) => `./${file}`).sort();
    expect(readBook(one, 'files').trimEnd().split('\n')).toEqual(held);
    expect(readBook(one, 'kept')).toBe('committed\nSECRET=1\n');
    expect(one.git('ls-tree', '-r', '--name-only', 'main').split('\n').sort()).toEqual([...files, 'apart.txt'].sort());
    expect(status()).toEqual(before);
  });

  it('scenario 43: odd names, a path with spaces, submodules, sparse checkouts and a filter that is missing', async () => {
    const made = scratch();
    promptProject(
      made,
      `for file in "with space.txt" "größe ✓.txt" "two
lines.txt" ./-dash.txt "quote'\\".txt"; do echo "$name" >> "$file"; done
echo made > "$name.txt"
test "$name" != inplace || echo inside >> sub/inner.txt
test "$name" != required || echo more >> model.large
case $name in sparse*) mkdir -p wide; echo "$name" > "wide/$name.txt" ;; esac
if test "$name" = subbed; then cd sub; git -c user.name=A -c user.email=a@b commit -q --allow-empty -m more; cd ..; fi
${PROMISE}`,
    );
    const repo = join(made.root, 'a repo with spaces');
    renameSync(made.repo, repo);
    const one = { ...made, repo, git: gitIn(repo, made.env) };
    execFileSync('git', ['init', '-q', '-b', 'main', beside(one, 'lib')]);
    const lib = gitIn(beside(one, 'lib'), {
      ...one.env,
      GIT_AUTHOR_NAME: 'L',
      GIT_AUTHOR_EMAIL: 'l@example.com',
      GIT_COMMITTER_NAME: 'L',
      GIT_COMMITTER_EMAIL: 'l@example.com',
    });
    writeFileSync(join(beside(one, 'lib'), 'inner.txt'), 'inner\n');
    lib('add', '-A');
    lib('commit', '-q', '-m', 'Lib');
    one.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', beside(one, 'lib'), 'sub');
    for (const name of NAMES) writeFileSync(join(repo, name), 'begun\n');
    writeFileSync(join(repo, '.gitattributes'), '*.large filter=lfs diff=lfs merge=lfs -text\n');
    writeFileSync(join(repo, 'model.large'), 'version https://git-lfs.example/spec/v1\noid sha256:0\nsize 1\n');
    for (const folder of ['wide', 'narrow']) {
      execFileSync('mkdir', [join(repo, folder)]);
      writeFileSync(join(repo, folder, 'file.txt'), folder);
    }
    one.git('add', '-A');
    one.git('commit', '-q', '-m', 'Everything odd');
    for (const name of ['inplace', 'apart']) {
      const flags = name === 'apart' ? ['--worktree'] : [];
      const { code, stderr } = await ralph(one, ['run', ...flags, promptFor(name)], { isCheckoutGuarded: false });
      expect(code, `${name}\n${stderr}`).toBe(0);
      expect(foldersOf(one, name)[0] === repo).toBe(name === 'inplace');
      expect(one.git('show', `main:${name}.txt`)).toBe('made');
      for (const file of NAMES) expect(one.git('show', `main:${file}`)).toMatch(new RegExp(`${name}$`));
    }
    // What is inside of a submodule belongs to another repository.
    expect(one.git('status', '--porcelain')).toBe(' M sub');
    expect(one.git('rev-parse', 'main:sub')).toBe(lib('rev-parse', 'HEAD'));
    one.git('-C', 'sub', 'checkout', '-q', '--', '.');

    const subbed = await ralph(one, ['run', promptFor('subbed')], { isCheckoutGuarded: false });
    expect(subbed.code, subbed.stderr).toBe(0);
    expect(one.git('rev-parse', 'main:sub')).toBe(one.git('-C', 'sub', 'rev-parse', 'HEAD'));
    expect(one.git('rev-parse', 'main:sub')).not.toBe(lib('rev-parse', 'HEAD'));
    expect(one.git('status', '--porcelain')).toBe('');

    one.git('sparse-checkout', 'set', 'narrow');
    expect(existsSync(join(repo, 'wide'))).toBe(false);
    one.git('config', 'filter.lfs.clean', 'no-such-program %f');
    one.git('config', 'filter.lfs.smudge', 'no-such-program %f');
    for (const name of ['sparse', 'sparse-apart']) {
      const flags = name === 'sparse' ? [] : ['--worktree'];
      const { code, stderr } = await ralph(one, ['run', ...flags, promptFor(name)], { isCheckoutGuarded: false });
      expect(code, `${name}\n${stderr}`).toBe(0);
      expect(one.git('show', 'main:wide/file.txt')).toBe('wide');
      expect(one.git('show', `main:${name}.txt`)).toBe('made');
      expect(existsSync(join(repo, 'wide'))).toBe(false);
    }
    one.git('config', 'filter.lfs.required', 'true');
    const main = one.git('rev-parse', 'main');
    const required = await ralph(one, ['run', promptFor('required')], { isCheckoutGuarded: false });
    expect([required.code, required.stderr]).toEqual([
      1,
      expect.stringContaining('the filter lfs (no-such-program) that .gitattributes asks for is not installed'),
    ]);
    expect(readFileSync(join(repo, 'model.large'), 'utf8')).toMatch(/more$/m);
    expect(one.git('rev-parse', 'main')).toBe(main);
  });
});
