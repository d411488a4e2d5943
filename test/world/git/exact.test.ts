import { mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holdTrust, trustedFolder } from '../../../src/world/git/run/trusted-folder.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { HARDENED, runGit } from '../../../src/world/git/run/run-git.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import { isClean } from '../../../src/world/git/files/worktree-state.ts';
import { gitIn, scratchRepo } from '../scratch.ts';
import type { ScratchRepo } from '../scratch.ts';

let repo: ScratchRepo;
beforeEach(() => {
  repo = scratchRepo({ files: { 'a.txt': 'one\n' } });
  repo.write('a.txt', 'two\n');
  repo.commit('second');
});
afterEach(() => repo.remove());

const ours = async (cwd: string, ...args: readonly string[]): Promise<string> =>
  (await runGit(args, { cwd })).stdout.trim();
const throughView = async (cwd: string, ...args: readonly string[]): Promise<string> =>
  (await (await openView(findRepository(cwd))).run(args)).stdout.trim();

/** Of every commit in a commit-graph: it has none. */
function cutParents(file: string): void {
  const bytes = readFileSync(file);
  const chunks = Array.from({ length: bytes.readUInt8(6) + 1 }, (_, at) => 8 + at * 12);
  const offsetOf = (at: number): number => Number(bytes.readBigUInt64BE(at + 4));
  const at = chunks.findIndex((chunk) => bytes.toString('latin1', chunk, chunk + 4) === 'CDAT');
  const [from, to] = [offsetOf(chunks[at] ?? 0), offsetOf(chunks[at + 1] ?? 0)];
  for (let entry = from; entry < to; entry += 36) bytes.writeUInt32BE(0x70_00_00_00, entry + 20);
  rmSync(file);
  writeFileSync(file, bytes);
}

describe('our git', () => {
  it('reads objects and histories as their ids name them, whatever replaces them', async () => {
    const { dir, git } = repo;
    const [head, before] = [git('rev-parse', 'HEAD'), git('rev-parse', 'HEAD~1')];
    git('replace', git('rev-parse', 'HEAD:a.txt'), git('rev-parse', 'HEAD~1:a.txt'));
    writeFileSync(join(dir, '.git/info/grafts'), `${head}\n`);
    expect([git('show', 'HEAD:a.txt'), git('rev-list', 'HEAD')]).toEqual(['one', head]);
    for (const look of [ours, throughView]) {
      expect(await look(dir, 'show', 'refs/heads/main:a.txt')).toBe('two');
      expect(await look(dir, 'rev-list', 'refs/heads/main')).toBe(`${head}\n${before}`);
    }
  });

  it('reads histories from commits, not from the file in which git notes them down', async () => {
    const { dir, git } = repo;
    const both = git('rev-list', 'HEAD');
    git('commit-graph', 'write', '--reachable');
    cutParents(join(dir, '.git/objects/info/commit-graph'));
    expect(git('rev-list', 'HEAD')).not.toBe(both);
    for (const look of [ours, throughView])
      expect(await look(dir, ...HARDENED, 'rev-list', 'refs/heads/main')).toBe(both);
  });

  it('takes a history for as long as it was before the run, in a shallow clone too', async () => {
    const { dir, git, write, commit } = repo;
    write('a.txt', 'three\n');
    commit('third');
    const shallow = join(dirname(dir), 'shallow');
    gitIn(dirname(dir), 'clone', '-q', '--depth=2', `file://${dir}`, 'shallow');
    for (const [place, count] of [
      [dir, '3'],
      [shallow, '2'],
    ] as const) {
      const { commonDir } = findRepository(place);
      await holdTrust(commonDir);
      const file = join(commonDir, 'shallow');
      const known = count === '2' ? readFileSync(file) : null;
      for (const look of [ours, throughView])
        expect(await look(place, 'rev-list', '--count', 'refs/heads/main')).toBe(count);
      writeFileSync(file, `${git('rev-parse', 'HEAD')}\n`);
      expect(gitIn(place, 'rev-list', '--count', 'main')).toBe('1');
      for (const look of [ours, throughView])
        expect(await look(place, 'rev-list', '--count', 'refs/heads/main')).toBe(count);
      if (known === null) rmSync(file);
      else writeFileSync(file, known);
    }
  });

  it('in the trusted folder goes by settings and attributes of before the run alone, and finds what filters keep', async () => {
    const { dir, git } = repo;
    const { commonDir } = findRepository(dir);
    const more = join(dirname(dir), 'more');
    writeFileSync(more, '[own "a\\"b\\\\c.d"]\n\tvalue = " x;\\"y\\\\z\\t# "\n\tflag\n');
    git('config', 'include.path', more);
    git('config', 'filter.own.smudge', 'tr a-z A-Z');
    writeFileSync(join(commonDir, 'info/attributes'), '*.own filter=own\n');
    mkdirSync(join(commonDir, 'lfs'));
    await holdTrust(commonDir);
    git('config', 'core.autocrlf', 'true');
    git('config', 'filter.own.smudge', 'cat');
    writeFileSync(more, '[own]\n\tother = 1\n');
    writeFileSync(join(commonDir, 'info/attributes'), '* working-tree-encoding=UTF-16\n');
    const env = trustedFolder(commonDir, commonDir, dir);
    const look = async (...args: readonly string[]): Promise<string> =>
      (await runGit(args, { cwd: dir, env })).stdout.trim();
    expect(await look('config', '-z', '--get-all', 'own.a"b\\c.d.value')).toBe(' x;"y\\z\t# \0'.trim());
    expect(await look('config', '--bool', 'own.a"b\\c.d.flag')).toBe('true');
    expect(await look('config', '--default', 'none', '--get', 'own.other')).toBe('none');
    expect(await look('config', '--default', 'none', '--get', 'core.autocrlf')).toBe('none');
    expect(await look('check-attr', '-a', 'x.own')).toBe('x.own: filter: own');
    expect(await look('cat-file', '--filters', '--path=x.own', 'HEAD:a.txt')).toBe('TWO');
    expect(await look('rev-parse', '--verify', 'HEAD')).toBe(git('rev-parse', 'HEAD'));
    const folder = env['GIT_COMMON_DIR'] ?? '';
    expect(readFileSync(join(folder, 'config'), 'utf8')).not.toContain('include');
    mkdirSync(join(folder, 'lfs/objects'));
    expect(git('rev-parse', '--git-dir')).toBe('.git');
    // Whoever changes it finds it as it was.
    writeFileSync(join(folder, 'config'), '[core]\n\tautocrlf = true\n');
    writeFileSync(join(folder, 'info/sparse-checkout'), '/none\n');
    trustedFolder(commonDir, commonDir, dir);
    expect(await look('config', '--default', 'none', '--get', 'core.autocrlf')).toBe('none');
    mkdirSync(join(folder, 'annex'));
    mkdirSync(join(commonDir, 'annex'));
    trustedFolder(commonDir, commonDir, dir);
    expect(readlinkSync(join(folder, 'annex'))).toBe(join(commonDir, 'annex'));
  });

  it('sees that something is changed in a repository inside another one inside, and runs nothing it names', async () => {
    const { dir, git } = repo;
    const canary = join(dirname(dir), 'canary');
    const inside = (path: string): void => {
      gitIn(dir, 'init', '-q', path);
      gitIn(join(dir, path), 'config', 'filter.evil.clean', `touch ${canary}; cat`);
      writeFileSync(join(dir, path, '.gitattributes'), '* filter=evil\n');
      writeFileSync(join(dir, path, 's'), 's\n');
    };
    inside('one');
    inside('one/two');
    for (const path of ['one/two', 'one']) {
      gitIn(join(dir, path), 'add', '-A');
      gitIn(join(dir, path), '-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'x');
    }
    git('add', 'one');
    git('commit', '-q', '-m', 'inside');
    rmSync(canary);
    expect(await isClean(dir)).toBe(true);
    for (const path of ['one/two', 'one']) {
      writeFileSync(join(dir, path, 's'), 't\n');
      expect(await isClean(dir)).toBe(false);
      writeFileSync(join(dir, path, 's'), 's\n');
    }
    expect(() => readFileSync(canary)).toThrow('ENOENT');
  });
});
