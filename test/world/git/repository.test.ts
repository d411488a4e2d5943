import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { findBrokenEntries } from '../../../src/world/git/files/broken-entries.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { gitIn, scratchRepo } from '../scratch.ts';
import type { ScratchOptions, ScratchRepo } from '../scratch.ts';

const made: ScratchRepo[] = [];
const scratch = (options?: ScratchOptions): ScratchRepo => {
  const repo = scratchRepo(options);
  made.push(repo);
  return repo;
};
afterEach(() => {
  for (const repo of made.splice(0)) repo.remove();
  delete process.env['GIT_DIR'];
});

describe('findRepository', () => {
  it('finds the checkout from its top, from a subfolder and from inside the git folder', () => {
    const { dir, write } = scratch();
    write('a/b/c.txt', 'x');
    const expected = {
      root: dir,
      worktree: dir,
      commonDir: join(dir, '.git'),
      stateDir: join(dir, '.git/paralph'),
      linked: false,
    };
    for (const cwd of [dir, join(dir, 'a/b'), join(dir, '.git/refs')]) expect(findRepository(cwd)).toEqual(expected);
  });

  it('finds the main checkout from a linked worktree', () => {
    const { dir, git } = scratch();
    const linked = join(dirname(dir), 'linked');
    git('worktree', 'add', '-q', '--detach', linked);
    expect(findRepository(linked)).toEqual({
      root: dir,
      worktree: linked,
      commonDir: join(dir, '.git'),
      stateDir: join(dir, '.git/paralph'),
      linked: true,
    });
  });

  it('takes names with spaces, unicode and a newline', () => {
    for (const name of ['with space', 'größe 🌲', 'two\nlines', "it's"]) {
      const { dir, git } = scratch({ name });
      const linked = join(dirname(dir), `${name} linked`);
      git('worktree', 'add', '-q', '--detach', linked);
      expect(findRepository(linked).root).toBe(dir);
    }
  });

  it('takes a submodule as a repository of its own', () => {
    const inner = scratch();
    const outer = scratch();
    outer.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner.dir, 'sub');
    const sub = join(outer.dir, 'sub');
    expect(findRepository(sub)).toMatchObject({
      root: sub,
      commonDir: join(outer.dir, '.git/modules/sub'),
      linked: false,
    });
  });

  it('takes a separate git folder and a worktree of a bare repository', () => {
    const { dir } = scratch();
    const outer = dirname(dir);
    gitIn(outer, 'init', '-q', '--separate-git-dir', join(outer, 'elsewhere'), 'apart');
    expect(findRepository(join(outer, 'apart'))).toMatchObject({
      root: join(outer, 'apart'),
      commonDir: join(outer, 'elsewhere'),
      linked: false,
    });
    gitIn(outer, 'clone', '-q', '--bare', dir, 'bare.git');
    gitIn(join(outer, 'bare.git'), 'worktree', 'add', '-q', '--detach', join(outer, 'tree'));
    expect(findRepository(join(outer, 'tree'))).toMatchObject({ root: join(outer, 'tree'), linked: true });
    expect(() => findRepository(join(outer, 'bare.git/refs'))).toThrow(
      expect.objectContaining({ code: 'E_REPOSITORY_UNSUPPORTED' }),
    );
  });

  it('is not led elsewhere by GIT_DIR', () => {
    const here = scratch();
    const other = scratch();
    process.env['GIT_DIR'] = join(other.dir, '.git');
    expect(findRepository(here.dir).root).toBe(here.dir);
  });

  it('says what is wrong when there is none', () => {
    const { dir, git } = scratch();
    const outer = dirname(dir);
    const missing = { code: 'E_NO_REPOSITORY' };
    expect(() => findRepository(outer)).toThrow(
      expect.objectContaining({ ...missing, remedy: expect.stringContaining('git init') }),
    );
    expect(() => findRepository(join(outer, 'nowhere'))).toThrow(expect.objectContaining(missing));
    mkdirSync(join(outer, 'odd'));
    writeFileSync(join(outer, 'odd/.git'), 'nonsense');
    expect(() => findRepository(join(outer, 'odd'))).toThrow(expect.objectContaining(missing));
    git('worktree', 'add', '-q', '--detach', join(outer, 'linked'));
    rmSync(join(dir, '.git/worktrees/linked'), { recursive: true });
    expect(() => findRepository(join(outer, 'linked'))).toThrow(
      expect.objectContaining({ ...missing, remedy: expect.stringContaining('worktree repair') }),
    );
  });

  it('walks past an empty .git folder, as git does', () => {
    const { dir } = scratch();
    mkdirSync(join(dir, 'inner/.git'), { recursive: true });
    expect(findRepository(join(dir, 'inner')).root).toBe(dir);
  });
});

describe('findBrokenEntries', () => {
  it('knows which half-made entries stop git, and git agrees', () => {
    const faults: [file: string, content: string | null, blocks: boolean][] = [
      ['commondir', '', true],
      ['HEAD', `${'0'.repeat(40)}\n`, true],
      ['commondir', null, false],
      ['gitdir', '', false],
      ['HEAD', '', false],
      ['HEAD', 'nonsense\n', false],
    ];
    for (const [file, content, blocks] of faults) {
      const { dir, git } = scratch();
      git('worktree', 'add', '-q', '--lock', '--detach', join(dirname(dir), 'linked'));
      const repo = findRepository(dir);
      expect(findBrokenEntries(repo)).toEqual([]);
      const path = join(dir, '.git/worktrees/linked');
      if (content === null) rmSync(join(path, file));
      else writeFileSync(join(path, file), content);
      expect(findBrokenEntries(repo)).toEqual([{ name: 'linked', path, why: expect.stringContaining(file), blocks }]);
      const walk = (): string => git('rev-list', '--all');
      if (blocks) expect(walk).toThrow();
      else expect(walk()).not.toBe('');
    }
  });

  it('finds the broken one from inside it', () => {
    const { dir, git } = scratch();
    const linked = join(dirname(dir), 'linked');
    git('worktree', 'add', '-q', '--detach', linked);
    writeFileSync(join(dir, '.git/worktrees/linked/commondir'), '');
    expect(() => findRepository(linked)).toThrow(expect.objectContaining({ code: 'E_REPOSITORY_BROKEN' }));
  });
});
