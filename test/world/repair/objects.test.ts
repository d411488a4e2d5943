import { chmodSync, existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { findRepository } from '../../../src/world/git/run/repository.ts';
import { emptyObjectsRepair } from '../../../src/world/repair/empty-objects.ts';
import type { RepairPlace } from '../../../src/world/repair/repair.ts';
import type { ScratchRepo } from '../scratch.ts';
import { scratchRepo } from '../scratch.ts';

let scratch: ScratchRepo;
let place: RepairPlace;
beforeEach(() => {
  scratch = scratchRepo();
  place = { repo: findRepository(scratch.dir), worktreeRoot: join(scratch.dir, '.ralph/worktrees') };
});
afterEach(() => scratch.remove());

/** Writes an object and lets a power cut take what is in it. */
function cut(text: string): { readonly id: string; readonly path: string; readonly again: () => string } {
  const file = join(scratch.dir, 'content');
  const again = (): string => {
    writeFileSync(file, text);
    return scratch.git('hash-object', '-w', file);
  };
  const id = again();
  const path = join(scratch.dir, '.git/objects', id.slice(0, 2), id.slice(2));
  chmodSync(path, 0o644);
  writeFileSync(path, '');
  return { id, path, again };
}

describe('objects that a power cut left empty', () => {
  it('case 35: go away at the first start after it, so that git can write them again', async () => {
    const lost = cut('one\n');
    lost.again();
    expect(statSync(lost.path).size, 'git takes the empty file for the object').toBe(0);
    expect(await emptyObjectsRepair(place, false).fix()).toHaveLength(1);
    lost.again();
    expect(scratch.git('cat-file', 'blob', lost.id)).toBe('one');
    expect(scratch.git('fsck', '--full', '--no-dangling')).toBe('');
  });

  it('are looked for once after each start of the machine, and always when a person asks', async () => {
    expect(await emptyObjectsRepair(place, false).fix()).toEqual([]);
    const lost = cut('two\n');
    expect(await emptyObjectsRepair(place, false).fix()).toEqual([]);
    expect(await emptyObjectsRepair(place, true).look()).toMatchObject([{ check: 'objects', fixable: true }]);
    writeFileSync(join(place.repo.stateDir, 'boot'), 'an earlier one\n');
    expect(await emptyObjectsRepair(place, false).fix()).toHaveLength(1);
    expect(existsSync(lost.path)).toBe(false);
  });

  it('case 35: a gate worktree at a commit that was lost goes with them, and git is well again', async () => {
    const path = join(place.worktreeRoot, 'gate-1');
    const reason = ['--lock', '--reason', 'paralph worktree for gates'];
    scratch.git('worktree', 'add', '-q', '--detach', ...reason, path);
    const candidate = scratch.git('commit-tree', '-m', 'candidate', 'HEAD^{tree}');
    writeFileSync(join(scratch.dir, '.git/worktrees/gate-1/HEAD'), `${candidate}\n`);
    expect(await emptyObjectsRepair(place, true).look()).toEqual([]);
    rmSync(join(scratch.dir, '.git/objects', candidate.slice(0, 2), candidate.slice(2)));
    expect(await emptyObjectsRepair(place, true).look()).toMatchObject([{ check: 'objects', fixable: true }]);
    expect(await emptyObjectsRepair(place, false).fix()).toEqual([expect.stringContaining(path)]);
    expect(existsSync(path)).toBe(false);
    expect(scratch.git('fsck', '--full', '--no-dangling')).toBe('');
  });
});
