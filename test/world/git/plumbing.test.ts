import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loopId, sha } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { withTrailers } from '../../../src/text/commit-message.ts';
import { commitTree } from '../../../src/world/git/objects/commit.ts';
import { diffStat, findLanding, logSubjects } from '../../../src/world/git/objects/history.ts';
import { identityEnvironment, readIdentity } from '../../../src/world/git/run/identity.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { gitEnvironment, runGit } from '../../../src/world/git/run/run-git.ts';
import { changedPaths, readFileAt, replaceFile, writeBlob, treeOf } from '../../../src/world/git/objects/trees.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import type { GitView } from '../../../src/world/git/run/view.ts';
import { scratchRepo } from '../scratch.ts';
import type { ScratchOptions, ScratchRepo } from '../scratch.ts';

const made: ScratchRepo[] = [];
const environment = { ...process.env };
afterEach(() => {
  for (const repo of made.splice(0)) repo.remove();
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
});

async function scratch(options?: ScratchOptions): Promise<ScratchRepo & { readonly view: GitView; head(): Sha }> {
  const repo = scratchRepo(options);
  made.push(repo);
  const view = await openView(findRepository(repo.dir));
  return { ...repo, view, head: () => sha(repo.git('rev-parse', 'HEAD')) };
}

const ada = { name: 'Ada Test', email: 'ada@example.test' };

describe('runGit', () => {
  it('gives back what git said, and throws what it failed with', async () => {
    const { dir } = await scratch();
    expect((await runGit(['rev-parse', '--show-toplevel'], { cwd: dir })).stdout).toBe(`${dir}\n`);
    expect((await runGit(['hash-object', '--stdin'], { cwd: dir, input: 'hello\n' })).stdout).toMatch(/^ce013625/);
    const failing = runGit(['-c', 'core.pager=cat', 'rev-parse', '--verify', 'nowhere'], { cwd: dir });
    await expect(failing).rejects.toMatchObject({
      code: 'E_GIT',
      message: 'git rev-parse --verify nowhere failed with exit code 128',
      facts: expect.arrayContaining([expect.stringContaining('Needed a single revision')]),
    });
    expect((await runGit(['rev-parse', '--verify', 'nowhere'], { cwd: dir, ok: [128] })).code).toBe(128);
  });

  it('tells a missing git from a missing folder', async () => {
    const { dir } = await scratch();
    await expect(runGit(['version'], { cwd: dir, env: { PATH: '/nowhere' } })).rejects.toMatchObject({
      code: 'E_GIT_MISSING',
    });
    await expect(runGit(['version'], { cwd: join(dir, 'gone') })).rejects.toMatchObject({
      code: 'E_GIT',
      message: expect.stringContaining('gone'),
    });
  });

  it('ends what takes too long or prints too much, with everything it started', async () => {
    const { dir } = await scratch();
    const pidFile = join(dir, 'pid');
    const hang = ['-c', `alias.hang=!echo $$ > '${pidFile}'; exec sleep 600`, 'hang'];
    await expect(runGit(hang, { cwd: dir, timeoutMs: 1500 })).rejects.toMatchObject({
      message: expect.stringContaining('1500 ms'),
    });
    const pid = Number(readFileSync(pidFile, 'utf8'));
    await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
    const flood = ['-c', 'alias.flood=!yes', 'flood'];
    await expect(runGit(flood, { cwd: dir })).rejects.toMatchObject({ message: expect.stringContaining('more than') });
  });

  it('shows no password of a URL', async () => {
    const { dir } = await scratch();
    const failing = runGit(['ls-remote', 'https://ada:s3cret@localhost:1/x'], { cwd: dir });
    const error: unknown = await failing.catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'E_GIT', message: expect.stringContaining('***@localhost') });
    expect(JSON.stringify(error) + String(error)).not.toContain('s3cret');
  });

  it('case 24: works as usual when it is started from a git hook', async () => {
    const { dir, git } = await scratch();
    const other = await scratch({ files: { 'other.txt': 'x' } });
    process.env['GIT_DIR'] = join(other.dir, '.git');
    process.env['GIT_INDEX_FILE'] = join(other.dir, '.git/index');
    process.env['GIT_WORK_TREE'] = other.dir;
    process.env['GIT_CONFIG_COUNT'] = '1';
    expect(
      Object.keys(gitEnvironment())
        .filter((name) => name.startsWith('GIT_'))
        .sort(),
    ).toEqual([
      'GIT_EDITOR',
      'GIT_GRAFT_FILE',
      'GIT_MERGE_AUTOEDIT',
      'GIT_NO_REPLACE_OBJECTS',
      'GIT_OPTIONAL_LOCKS',
      'GIT_PROGRESS_DELAY',
      'GIT_SEQUENCE_EDITOR',
      'GIT_TERMINAL_PROMPT',
    ]);
    expect((await runGit(['ls-files'], { cwd: dir })).stdout).toBe('README.md\n');
    const view = await openView(findRepository(dir));
    expect((await view.run(['rev-parse', 'refs/heads/main'])).stdout.trim()).toBe(git('rev-parse', 'HEAD'));
  });
});

describe('identity', () => {
  it('is what the user configured', async () => {
    const { dir } = await scratch();
    expect(await readIdentity(findRepository(dir))).toEqual(ada);
  });

  it('is never made up from the machine, but may come from the environment', async () => {
    const { dir, git } = await scratch();
    git('config', '--unset', 'user.name');
    git('config', '--unset', 'user.email');
    process.env['HOME'] = dir;
    process.env['XDG_CONFIG_HOME'] = dir;
    process.env['EMAIL'] = 'machine@example.test';
    const repo = findRepository(dir);
    await expect(readIdentity(repo)).rejects.toMatchObject({
      code: 'E_NO_IDENTITY',
      remedy: expect.stringContaining('user.email'),
    });
    process.env['GIT_AUTHOR_NAME'] = 'Env';
    process.env['GIT_AUTHOR_EMAIL'] = 'env@example.test';
    expect(await readIdentity(repo)).toEqual({ name: 'Env', email: 'env@example.test' });
    expect(identityEnvironment(ada)).toMatchObject({ GIT_COMMITTER_EMAIL: ada.email, GIT_AUTHOR_NAME: ada.name });
  });
});

describe('commitTree', () => {
  it('writes parents, identity, date and message as given', async () => {
    const { view, head, git } = await scratch();
    const tree = await treeOf(view, head());
    const message = withTrailers('Land größe\n\nBody.\n', { 'Ralph-Loop': 'l1', 'Ralph-Task': 'two\nlines' });
    const made = await commitTree(view, {
      tree,
      parents: [head()],
      message,
      identity: ada,
      authorDateMs: 1_700_000_000_000,
    });
    expect(git('log', '-1', '--format=%an|%ae|%cn|%at|%P|%T', made)).toBe(
      `Ada Test|ada@example.test|Ada Test|1700000000|${head()}|${tree}`,
    );
    expect(git('log', '-1', '--format=%B', made)).toBe('Land größe\n\nBody.\n\nRalph-Loop: l1\nRalph-Task: two lines');
    expect(git('log', '-1', '--format=%(trailers:key=Ralph-Task,valueonly)', made)).toBe('two lines');
  });
});

describe('tree edits', () => {
  it('replaces one file and leaves all else, modes and odd names included', async () => {
    const { dir, view, head, git, write, commit } = await scratch({
      files: { 'docs/plan/tasks.md': '- [ ] a\n', 'docs/x.txt': 'x\n' },
    });
    git('update-index', '--chmod=+x', 'docs/plan/tasks.md');
    git('commit', '-qm', 'executable');
    git('config', 'core.fileMode', 'false');
    writeFileSync(Buffer.from(`${dir}/docs/plan/caf\xe9`, 'latin1'), 'not utf-8 name');
    write('docs/plan-b', 'sorts between');
    commit('odd name');
    const text = '\uFEFF- [x] größe\r\n\r\nno end';
    const tree = await replaceFile(view, await treeOf(view, head()), 'docs/plan/tasks.md', await writeBlob(view, text));
    expect(await readFileAt(view, tree, 'docs/plan/tasks.md')).toBe(text);
    expect(await changedPaths(view, head(), tree)).toEqual(['docs/plan/tasks.md']);
    expect(git('ls-tree', tree, 'docs/plan/tasks.md')).toMatch(/^100755 blob/);
    expect(git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('adds a file with the folders above it', async () => {
    const { view, head, git } = await scratch();
    const tree = await replaceFile(view, await treeOf(view, head()), 'new/er/file.md', await writeBlob(view, 'x'));
    expect(git('ls-tree', '-r', '--name-only', tree)).toBe('README.md\nnew/er/file.md');
  });

  it('reads only plain files whose bytes would survive being written back', async () => {
    const { dir, view, head, git, write, commit } = await scratch();
    write('latin1.md', Buffer.from([0x63, 0x61, 0x66, 0xe9]));
    write('glob[1]*.md', 'literal');
    git('config', 'core.symlinks', 'true');
    rmSync(join(dir, 'README.md'));
    symlinkSync('latin1.md', join(dir, 'README.md'));
    commit();
    expect(await readFileAt(view, head(), 'latin1.md')).toBeNull();
    expect(await readFileAt(view, head(), 'README.md')).toBeNull();
    expect(await readFileAt(view, head(), 'absent.md')).toBeNull();
    expect(await readFileAt(view, head(), 'latin1.md/below')).toBeNull();
    expect(await readFileAt(view, head(), 'glob[1]*.md')).toBe('literal');
    const tree = await treeOf(view, head());
    await expect(replaceFile(view, tree, 'README.md', await writeBlob(view, 'x'))).rejects.toMatchObject({
      code: 'E_TASKS_UNSAFE',
    });
    await expect(replaceFile(view, tree, 'latin1.md/below', await writeBlob(view, 'x'))).rejects.toMatchObject({
      code: 'E_TASKS_UNSAFE',
    });
  });

  it('names both sides of a rename, and names as they are', async () => {
    const { view, head, git, write, commit } = await scratch({ files: { 'old name.txt': 'a\nb\nc\n' } });
    const before = head();
    git('mv', 'old name.txt', 'größe "neu".txt');
    write('line\nbreak', 'x');
    commit();
    expect((await changedPaths(view, before, head())).sort()).toEqual([
      'größe "neu".txt',
      'line\nbreak',
      'old name.txt',
    ]);
  });
});

describe('history', () => {
  it('lists subjects and a summary of a change', async () => {
    const { view, head, write, commit } = await scratch();
    const before = head();
    write('a.txt', 'a\n');
    commit('add a');
    write('b.txt', 'b\n');
    commit('add b');
    expect(await logSubjects(view, before, head(), 10)).toEqual(['add b', 'add a']);
    expect(await logSubjects(view, before, head(), 1)).toEqual(['add b']);
    expect(await logSubjects(view, head(), head(), 10)).toEqual([]);
    expect(await diffStat(view, before, head())).toMatch(
      /a\.txt \| 1 \+\n.*b\.txt \| 1 \+\n 2 files changed, 2 insertions\(\+\)$/,
    );
  });

  it('finds a landing on the first-parent line only, by the exact trailer', async () => {
    const { view, head, git, write, commit } = await scratch();
    const start = head();
    git('switch', '-qc', 'work');
    write('a.txt', 'a');
    const work = sha(commit('agent says\n\nRalph-Loop: loop-1'));
    git('switch', '-q', 'main');
    git('merge', '-q', '--no-ff', '-m', `Land a\n\nRalph-Loop: loop-12\nRalph-Task: t\nRalph-Head: ${work}`, 'work');
    const landing = head();
    commit('mentions it in the middle\n\nRalph-Loop: loop-2\n\nand goes on');
    const ref = 'refs/heads/main';
    const find = (loop: string, since: Sha | null = null, of = work): Promise<Sha | null> =>
      findLanding(view, { ref, since, loop: loopId(loop), head: of });
    expect(await find('loop-12')).toBe(landing);
    expect(await find('loop-12', start)).toBe(landing);
    expect(await find('loop-12', landing)).toBeNull();
    expect(await find('loop-1')).toBeNull();
    expect(await find('loop-2')).toBeNull();
    // The same loop, mended since: that head has not landed.
    expect(await find('loop-12', null, landing)).toBeNull();
  });
});

/** A dead process that nobody collected still has a pid. */
function isRunning(pid: number): boolean {
  const state = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)])
    .stdout.toString()
    .trim();
  return state !== '' && !state.startsWith('Z');
}
