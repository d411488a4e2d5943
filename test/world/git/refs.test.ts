import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { commitTree } from '../../../src/world/git/objects/commit.ts';
import { deleteRef, landRef, landWhileHeld, listRefs, moveRef, readRef } from '../../../src/world/git/refs/refs.ts';
import { readHeadFile } from '../../../src/world/git/refs/ref-files.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { treeOf } from '../../../src/world/git/objects/trees.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import type { GitView } from '../../../src/world/git/run/view.ts';
import { realIds } from '../../../src/world/ids.ts';
import { scratchRepo } from '../scratch.ts';
import type { ScratchRepo } from '../scratch.ts';

const made: ScratchRepo[] = [];
afterEach(() => {
  for (const repo of made.splice(0)) repo.remove();
});

interface Scene extends ScratchRepo {
  readonly view: GitView;
  readonly first: Sha;
  /** A new commit on top of the first one, on no branch. */
  next(message: string): Promise<Sha>;
}

async function scene(): Promise<Scene> {
  const repo = scratchRepo();
  made.push(repo);
  const view = await openView(findRepository(repo.dir));
  const first = sha(repo.git('rev-parse', 'HEAD'));
  const tree = await treeOf(view, first);
  const identity = { name: 'Ada', email: 'ada@example.test' };
  return { ...repo, view, first, next: (message) => commitTree(view, { tree, parents: [first], message, identity }) };
}

const INT = 'refs/paralph/int/main';

describe('moveRef', () => {
  it('creates, moves and refuses by what is there', async () => {
    const { view, first, next, git } = await scene();
    const second = await next('second');
    expect(await readRef(view, INT)).toBeNull();
    expect(await moveRef(view, INT, first, null, 'start')).toEqual({ moved: true });
    expect(await moveRef(view, INT, second, null, 'again')).toEqual({ moved: false, now: first });
    expect(await moveRef(view, INT, second, first, 'land')).toEqual({ moved: true });
    expect(await moveRef(view, INT, first, first, 'late')).toEqual({ moved: false, now: second });
    expect(await moveRef(view, 'refs/paralph/gone', second, first, 'x')).toEqual({ moved: false, now: null });
    expect(git('rev-parse', INT)).toBe(second);
  });

  it('lets exactly one of forty win', async () => {
    const { view, first, next, git } = await scene();
    await moveRef(view, INT, first, null, 'start');
    const heads = await Promise.all(Array.from({ length: 40 }, (_, at) => next(`head ${at}`)));
    const moves = await Promise.all(heads.map((head) => moveRef(view, INT, head, first, 'race')));
    const winner = heads[moves.findIndex((move) => move.moved)];
    expect(moves.filter((move) => move.moved)).toHaveLength(1);
    expect(git('rev-parse', INT)).toBe(winner);
    for (const move of moves) if (!move.moved) expect(move.now).toBe(winner);
  });

  it('also settles who creates a ref', async () => {
    const { view, next } = await scene();
    const heads = await Promise.all(Array.from({ length: 12 }, (_, at) => next(`head ${at}`)));
    const moves = await Promise.all(heads.map((head) => moveRef(view, 'refs/paralph/claim', head, null, 'race')));
    expect(moves.filter((move) => move.moved)).toHaveLength(1);
  });

  it('throws for what no race explains', async () => {
    const { view, first, dir } = await scene();
    await expect(moveRef(view, INT, sha('1'.repeat(40)), null, 'no such commit')).rejects.toMatchObject({
      code: 'E_GIT',
    });
    await expect(moveRef(view, 'refs/heads/main/below', first, null, 'in the way')).rejects.toMatchObject({
      code: 'E_GIT',
    });
    const lock = join(dir, '.git/refs/heads/stuck.lock');
    writeFileSync(lock, '');
    const stuck = moveRef(view, 'refs/heads/stuck', first, null, 'locked');
    await expect(stuck).rejects.toMatchObject({ code: 'E_GIT', remedy: expect.stringContaining('stuck.lock') });
  });

  it('moves the ref it was told to, not the one that ref was made to point to', async () => {
    const { view, first, next, git } = await scene();
    const second = await next('second');
    git('branch', 'victim');
    git('symbolic-ref', INT, 'refs/heads/victim');
    expect(await moveRef(view, INT, second, first, 'land')).toEqual({ moved: true });
    expect(git('rev-parse', 'victim')).toBe(first);
    expect(git('rev-parse', INT)).toBe(second);
  });

  it('leaves a reflog on the branches of the user', async () => {
    const { view, first, next, git } = await scene();
    git('branch', 'release');
    await moveRef(view, 'refs/heads/release', await next('second'), first, 'publish\nloop 1');
    expect(git('reflog', '-1', '--format=%gs', 'release')).toBe('publish loop 1');
  });
});

describe('landRef', () => {
  it('is moveRef that is on disk when it resolves', async () => {
    const { view, first, next, git } = await scene();
    const second = await next('second');
    expect(await landRef(view, INT, first, null, 'start')).toEqual({ moved: true });
    expect(await landRef(view, INT, second, first, 'land')).toEqual({ moved: true });
    expect(await landRef(view, INT, first, first, 'late')).toEqual({ moved: false, now: second });
    expect(git('rev-parse', INT)).toBe(second);
  });

  it('works without `sync -f`', async () => {
    const { view, first, git } = await scene();
    const path = process.env['PATH'];
    try {
      process.env['PATH'] = git('--exec-path');
      expect(await landRef(view, INT, first, null, 'start')).toEqual({ moved: true });
    } finally {
      process.env['PATH'] = path;
    }
    expect(git('rev-parse', INT)).toBe(first);
  });
});

describe('landWhileHeld', () => {
  const hold = 'refs/paralph/cand/7/0';

  it('moves while the hold is there, and refuses by what is there', async () => {
    const { view, first, next, git } = await scene();
    const second = await next('second');
    await moveRef(view, INT, first, null, 'start');
    const land = (from: Sha, to: Sha) => landWhileHeld(view, { ref: INT, to, from, hold, reason: 'land 7' });
    expect(await land(first, second)).toEqual({ moved: false, now: first });
    await moveRef(view, hold, second, null, 'hold');
    git('pack-refs', '--all');
    expect(await land(first, second)).toEqual({ moved: true });
    expect(await land(first, second)).toEqual({ moved: false, now: second });
    expect(git('rev-parse', INT)).toBe(second);
  });

  it('moves nothing when the hold is taken away before git has both locks, however late that is', async () => {
    const { view, first, next, git } = await scene();
    const second = await next('second');
    await moveRef(view, INT, first, null, 'start');
    await moveRef(view, hold, second, null, 'hold');
    let gone = false;
    // Suspended for an hour between its look at the hold and its transaction.
    const slow: GitView = {
      ...view,
      run: async (args, options) => {
        if (!gone) git('update-ref', '-d', hold);
        gone = true;
        return view.run(args, options);
      },
    };
    const land = { ref: INT, to: second, from: first, hold, reason: 'late' };
    expect(await landWhileHeld(slow, land)).toEqual({ moved: false, now: first });
    expect(gone).toBe(true);
    expect(git('rev-parse', INT)).toBe(first);
  });
});

describe('listRefs and readRef', () => {
  it('see loose and packed refs, below the prefix only', async () => {
    const { view, first, git } = await scene();
    for (const name of ['keep/a', 'keep/b/1', 'keeper']) git('update-ref', `refs/paralph/${name}`, first);
    git('pack-refs', '--all');
    git('update-ref', 'refs/paralph/keep/c', first);
    const names = ['refs/paralph/keep/a', 'refs/paralph/keep/b/1', 'refs/paralph/keep/c'];
    expect([...(await listRefs(view, 'refs/paralph/keep')).keys()]).toEqual(names);
    expect([...(await listRefs(view, 'refs/paralph/keep/')).keys()]).toEqual(names);
    expect(await readRef(view, 'refs/paralph/keep')).toBeNull();
    expect(await readRef(view, 'refs/paralph/keep/a')).toBe(first);
  });

  it('know names by their bytes, loose and packed: one that is no UTF-8 is no other', async () => {
    const { view, first, dir, git } = await scene();
    git('update-ref', 'refs/heads/maîtresse', first);
    execFileSync('sh', ['-c', 'git branch "$(printf \'ma\\356\')" && git branch "$(printf \'caf\\351\')"'], {
      cwd: dir,
    });
    git('checkout', '-q', 'maîtresse');
    for (const act of [() => undefined, () => git('pack-refs', '--all')]) {
      act();
      expect(await readRef(view, 'refs/heads/maîtresse')).toBe(first);
      expect(readHeadFile(join(dir, '.git'), join(dir, '.git'))).toEqual({ commit: first, branch: 'maîtresse' });
      for (const strange of ['caf\ufffd', 'ma\ufffd', 'maî', 'caf\u00e9'])
        expect(await readRef(view, `refs/heads/${strange}`)).toBeNull();
      expect(realIds(findRepository(dir)).isFree('maîtresse')).toBe(false);
    }
    writeFileSync(join(dir, '.git/HEAD'), Buffer.from('ref: refs/heads/caf\u00e9\n', 'latin1'));
    expect(readHeadFile(join(dir, '.git'), join(dir, '.git')), 'only git can tell').toBeUndefined();
  });

  it('do not take a damaged ref for an absent one', async () => {
    const { view, first, dir } = await scene();
    await moveRef(view, INT, first, null, 'start');
    writeFileSync(join(dir, '.git', INT), '');
    await expect(readRef(view, INT)).rejects.toMatchObject({ code: 'E_GIT', message: expect.stringContaining(INT) });
    await expect(moveRef(view, INT, first, null, 'start')).rejects.toMatchObject({ code: 'E_GIT' });
  });
});

describe('deleteRef', () => {
  it('deletes loose and packed refs in the repository itself, only where expected', async () => {
    const { view, first, next, git, dir } = await scene();
    const second = await next('second');
    for (const name of ['a', 'b']) git('update-ref', `refs/paralph/${name}`, first);
    git('pack-refs', '--all');
    git('update-ref', 'refs/paralph/c', first);
    expect(await deleteRef(view, 'refs/paralph/a', second)).toBe(false);
    expect(await deleteRef(view, 'refs/paralph/a', first)).toBe(true);
    expect(await deleteRef(view, 'refs/paralph/a', first)).toBe(false);
    expect(await deleteRef(view, 'refs/paralph/c', first)).toBe(true);
    expect(git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\nrefs/paralph/b');
    expect(readFileSync(join(dir, '.git/packed-refs'), 'utf8')).not.toContain('refs/paralph/a');
    expect(existsSync(join(view.gitDir, 'packed-refs.lock'))).toBe(false);
    await openView(findRepository(dir));
    expect(await readRef(view, 'refs/paralph/b')).toBe(first);
  });
});
