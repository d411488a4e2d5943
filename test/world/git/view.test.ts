import { execFile } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'rolldown';
import { afterEach, describe, expect, it } from 'vitest';
import { loopId, sha } from '../../../src/core/model/ids.ts';
import { commitTree } from '../../../src/world/git/objects/commit.ts';
import { diffStat, findLanding, logSubjects } from '../../../src/world/git/objects/history.ts';
import { isAncestor, mergeInMemory } from '../../../src/world/git/merge/merge.ts';
import { deleteRef, landRef, moveRef, readRef } from '../../../src/world/git/refs/refs.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { changedPaths, readFileAt, replaceFile, writeBlob, treeOf } from '../../../src/world/git/objects/trees.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import type { GitView } from '../../../src/world/git/run/view.ts';
import { gitIn, scratchRepo } from '../scratch.ts';
import type { ScratchOptions, ScratchRepo } from '../scratch.ts';

const made: ScratchRepo[] = [];
afterEach(() => {
  for (const repo of made.splice(0)) repo.remove();
});
function scratch(options?: ScratchOptions): ScratchRepo {
  const repo = scratchRepo(options);
  made.push(repo);
  return repo;
}

/** A repository whose config, hooks and attributes start a program wherever git lets them. */
function planted(): ScratchRepo & { ran(): string[]; forget(): void } {
  const repo = scratch({ files: { 'a.md': 'base\n', '.gitattributes': '*.md merge=evil filter=evil diff=evil\n' } });
  for (const side of ['left', 'right']) {
    repo.git('switch', '-qc', side, 'main');
    repo.write('a.md', `${side}\n`);
    repo.commit(side);
  }
  repo.git('switch', '-q', 'main');
  const outer = dirname(repo.dir);
  const canary = join(outer, 'canary');
  const program = (name: string): string => {
    const path = join(outer, 'evil', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `#!/bin/sh\necho ${name} >> '${canary}'\ncat\n`);
    chmodSync(path, 0o755);
    return path;
  };
  for (const hook of ['reference-transaction', 'post-index-change', 'pre-commit']) program(hook);
  const included = join(outer, 'evil.config');
  writeFileSync(included, `[core]\n\tpager = ${program('pager')}\n\teditor = ${program('editor')}\n`);
  const settings = {
    'core.hooksPath': join(outer, 'evil'),
    'core.fsmonitor': program('fsmonitor'),
    'filter.evil.clean': program('clean'),
    'filter.evil.smudge': program('smudge'),
    'merge.evil.driver': `${program('driver')} %A`,
    'diff.evil.textconv': program('textconv'),
    'gpg.program': program('gpg'),
    'commit.gpgSign': 'true',
    'log.showSignature': 'true',
    'core.alternateRefsCommand': program('alternates'),
    'core.sshCommand': program('ssh'),
    'credential.helper': `!${program('credentials')}`,
    'include.path': included,
  };
  for (const [key, value] of Object.entries(settings)) repo.git('config', key, value);
  const ran = (): string[] =>
    existsSync(canary) ? [...new Set(readFileSync(canary, 'utf8').trim().split('\n'))].sort() : [];
  return { ...repo, ran, forget: () => rmSync(canary, { force: true }) };
}

/** Everything the plumbing can do, once. */
async function useEverything(view: GitView): Promise<void> {
  const main = await readRef(view, 'refs/heads/main');
  const left = await readRef(view, 'refs/heads/left');
  const right = await readRef(view, 'refs/heads/right');
  if (main === null || left === null || right === null) throw new Error('the scene has three branches');
  const merged = await mergeInMemory(view, left, right);
  expect(merged).toMatchObject({ clean: false, paths: ['a.md'] });
  const tree = await replaceFile(view, await treeOf(view, left), 'a.md', await writeBlob(view, 'ours\n'));
  expect(await readFileAt(view, tree, 'a.md')).toBe('ours\n');
  const identity = { name: 'Ada', email: 'ada@example.test' };
  const commit = await commitTree(view, { tree, parents: [left, right], message: 'x', identity });
  expect(await moveRef(view, 'refs/paralph/int/main', main, null, 'x')).toEqual({ moved: true });
  expect(await landRef(view, 'refs/paralph/int/main', commit, main, 'x')).toEqual({ moved: true });
  expect(await isAncestor(view, main, commit)).toBe(true);
  await diffStat(view, main, commit);
  await changedPaths(view, main, commit);
  await logSubjects(view, main, commit, 10);
  await findLanding(view, { ref: commit, since: null, loop: loopId('l'), head: commit });
  expect(await deleteRef(view, 'refs/paralph/int/main', commit)).toBe(true);
}

describe('the view', () => {
  it('runs nothing that is planted in the repository, while plain git does', async () => {
    const { git, ran, forget, dir } = planted();
    const attempt = (...args: string[]): void => {
      try {
        git(...args);
      } catch {
        // A planted program may well make git fail; that it ran is what counts.
      }
    };
    attempt('status');
    attempt('merge-tree', '--write-tree', 'left', 'right');
    attempt('diff', 'left', 'right');
    attempt('update-ref', 'refs/heads/control', 'main');
    attempt('commit', '--allow-empty', '-m', 'signed');
    appendFileSync(join(dir, 'a.md'), 'more\n');
    attempt('add', 'a.md');
    const known = [
      'clean',
      'driver',
      'fsmonitor',
      'gpg',
      'post-index-change',
      'pre-commit',
      'reference-transaction',
      'textconv',
    ];
    expect(ran()).toEqual(expect.arrayContaining(known));

    forget();
    await useEverything(await openView(findRepository(dir)));
    expect(ran()).toEqual([]);
  });

  it('runs nothing that is planted in the view itself', async () => {
    const { ran, dir } = planted();
    const repo = findRepository(dir);
    const view = await openView(repo);
    writeFileSync(join(view.gitDir, 'config'), readFileSync(join(dir, '.git/config')));
    writeFileSync(join(view.gitDir, 'commondir'), '..\n../..\n');
    for (const hook of ['reference-transaction', 'post-index-change']) {
      writeFileSync(join(view.gitDir, 'hooks', hook), readFileSync(join(dirname(dir), 'evil', hook)), { mode: 0o755 });
    }
    writeFileSync(join(view.gitDir, 'info/attributes'), '* merge=evil diff=evil\n');
    await useEverything(view);
    expect(ran()).toEqual([]);
    await openView(repo);
    expect(readdirSync(join(view.gitDir, 'hooks'))).toEqual([]);
    expect(readdirSync(join(view.gitDir, 'info'))).toEqual([]);
  });

  it('ignores what the user and the machine configured', async () => {
    const { dir, git } = scratch();
    const home = join(dirname(dir), 'home');
    mkdirSync(join(home, 'git'), { recursive: true });
    writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = From Home\n');
    writeFileSync(join(home, 'git/attributes'), '* merge=union\n');
    const view = await openView(findRepository(dir));
    const env = { HOME: home, XDG_CONFIG_HOME: home };
    expect((await view.run(['config', '--get-all', 'user.name'], { env })).stdout).toBe('paralph\n');
    expect((await view.run(['check-attr', 'merge', 'x'], { env, workTree: dir })).stdout).toBe(
      'x: merge: unspecified\n',
    );
    expect(git('config', 'user.name')).toBe('Ada Test');
  });

  it('is not fooled by replaced objects', async () => {
    const { dir, git, commit } = scratch();
    const before = git('rev-parse', 'HEAD^{tree}');
    const head = git('rev-parse', 'HEAD');
    writeFileSync(join(dir, 'other.txt'), 'x');
    const other = commit();
    git('replace', head, other);
    const view = await openView(findRepository(dir));
    expect(git('rev-parse', `${head}^{tree}`)).not.toBe(before);
    expect(await treeOf(view, sha(head))).toBe(before);
  });

  it('is private, and mends what is missing or changed', async () => {
    const { dir } = scratch();
    const repo = findRepository(dir);
    const { gitDir } = await openView(repo);
    expect(statSync(gitDir).mode & 0o777).toBe(0o700);
    rmSync(join(gitDir, 'objects'));
    rmSync(join(gitDir, 'HEAD'));
    const view = await openView(repo);
    expect(await readRef(view, 'refs/heads/main')).not.toBeNull();
    rmSync(join(gitDir, 'refs'));
    mkdirSync(join(gitDir, 'refs/heads'), { recursive: true });
    await expect(openView(repo)).rejects.toMatchObject({ code: 'E_STATE_UNWRITABLE' });
  });

  it('comes back when somebody removes our folder while it is open', async () => {
    const { dir } = scratch();
    const repo = findRepository(dir);
    const view = await openView(repo);
    const head = await readRef(view, 'refs/heads/main');
    rmSync(repo.stateDir, { recursive: true });
    expect(await readRef(view, 'refs/heads/main')).toBe(head);
    writeFileSync(join(dirname(dir), 'file'), '');
    await expect(openView({ ...repo, stateDir: join(dirname(dir), 'file') })).rejects.toMatchObject({
      code: 'E_STATE_UNWRITABLE',
    });
  });

  it('leaves config, hooks, HEAD and checkout of the repository as they are', async () => {
    const { dir, git } = scratch();
    const seen = (): string =>
      ['config', 'HEAD', 'index', 'logs/HEAD']
        .map((file) => readFileSync(join(dir, '.git', file), 'latin1'))
        .join('\0') +
      git('status', '--porcelain', '--ignored') +
      git('for-each-ref');
    const before = seen();
    const view = await openView(findRepository(dir));
    await readRef(view, 'refs/heads/main');
    expect(seen()).toBe(before);
    expect(git('fsck', '--strict')).toBe('');
  });

  it('can be opened by many processes at once', async () => {
    const { dir } = scratch();
    const program = join(dirname(dir), 'open.mjs');
    const entry = join(dirname(dir), 'open.ts');
    const source = join(import.meta.dirname, '../../../src/world/git');
    const lines = [
      `import { findRepository } from '${source}/run/repository.ts';`,
      `import { openView } from '${source}/run/view.ts';`,
      `const view = await openView(findRepository(process.argv[2]));`,
      `console.log((await view.run(['rev-parse', 'refs/heads/main'])).stdout.trim());`,
    ];
    writeFileSync(entry, lines.join('\n'));
    await build({ input: entry, platform: 'node', output: { file: program, format: 'esm' }, logLevel: 'silent' });
    const opened = Array.from({ length: 12 }, () => promisify(execFile)(process.execPath, [program, dir]));
    const said = (await Promise.all(opened)).map((each) => each.stdout.trim());
    expect(new Set(said)).toEqual(new Set([gitIn(dir, 'rev-parse', 'HEAD')]));
    const left = readdirSync(join(dir, '.git/paralph/view')).sort();
    expect(left).toEqual(['HEAD', 'config', 'hooks', 'info', 'logs', 'objects', 'packed-refs', 'refs', 'shallow']);
  });
});

describe('the view of unusual repositories', () => {
  it('reads through alternates, also relative ones', async () => {
    const { dir } = scratch();
    const outer = dirname(dir);
    gitIn(outer, 'clone', '-q', '--shared', dir, 'borrower');
    writeFileSync(join(outer, 'borrower/.git/objects/info/alternates'), '../../../repo/.git/objects\n');
    const view = await openView(findRepository(join(outer, 'borrower')));
    const head = sha(gitIn(dir, 'rev-parse', 'HEAD'));
    expect(await readFileAt(view, head, 'README.md')).toBe('hello\n');
  });

  it('knows where a shallow clone ends', async () => {
    const { dir, write, commit } = scratch();
    for (const at of [1, 2, 3]) {
      write('a.txt', `${at}`);
      commit(`c${at}`);
    }
    const outer = dirname(dir);
    gitIn(outer, 'clone', '-q', '--depth=2', `file://${dir}`, 'shallow');
    const view = await openView(findRepository(join(outer, 'shallow')));
    expect((await view.run(['rev-list', '--count', 'refs/heads/main'])).stdout.trim()).toBe('2');
  });

  it('moves branches where there are no reflogs yet', async () => {
    const { dir, git } = scratch();
    const outer = dirname(dir);
    git('branch', 'other');
    gitIn(outer, 'clone', '-q', '--bare', dir, 'bare.git');
    gitIn(join(outer, 'bare.git'), 'worktree', 'add', '-q', '--detach', join(outer, 'tree'));
    rmSync(join(outer, 'bare.git/logs'), { recursive: true, force: true });
    const view = await openView(findRepository(join(outer, 'tree')));
    const head = sha(git('rev-parse', 'HEAD'));
    expect(await moveRef(view, 'refs/heads/new', head, null, 'publish')).toEqual({ moved: true });
    expect(await deleteRef(view, 'refs/heads/new', head)).toBe(true);
  });

  it('keeps a shared repository shared', async () => {
    const { dir } = scratch({ init: ['--shared=group'] });
    const view = await openView(findRepository(dir));
    const blob = (await view.run(['hash-object', '-w', '--stdin'], { input: 'shared' })).stdout.trim();
    const object = join(dir, '.git/objects', blob.slice(0, 2), blob.slice(2));
    expect(statSync(dirname(object)).mode & 0o2070).toBe(0o2070);
  });
});
