import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { isPassing } from '../../../src/engine/trouble/transient-errors.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import type { GitView } from '../../../src/world/git/run/view.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import { bringForward } from '../../../src/world/seal/take-back-commits.ts';
import type { ScratchRepo } from '../scratch.ts';
import { scratchRepo } from '../scratch.ts';

let scratch: ScratchRepo;
let view: GitView;
let from: Sha;
let to: Sha;

const put = (name: string, text: string): void => writeFileSync(join(scratch.dir, name), text);
const commit = (text: string): Sha => {
  put('a.txt', text);
  put('b.txt', text);
  scratch.git('add', '-A');
  scratch.git('commit', '-q', '-m', text);
  return sha(scratch.git('rev-parse', 'HEAD'));
};

beforeEach(async () => {
  scratch = scratchRepo();
  from = commit('before\n');
  to = commit('after\n');
  scratch.git('checkout', '-q', '--detach', from);
  view = await openView(findRepository(scratch.dir));
});
afterEach(() => scratch.remove());

const staged = (): string => scratch.git('diff', '--cached', '--name-only', to);
const changed = (): string => scratch.git('diff', '--name-only');

describe('a checkout that goes on to where its branch has gone', () => {
  it('fails as what passes while another git holds its index, and is not taken for something local in the way', async () => {
    put('.git/index.lock', '');
    const error = await bringForward(view, scratch.dir, from, to).catch((caught: unknown) => caught);
    expect(isPassing(error), String(error)).toBe(true);
    rmSync(join(scratch.dir, '.git/index.lock'));
    expect([await bringForward(view, scratch.dir, from, to), staged(), changed()]).toEqual([true, '', '']);
  });

  it('goes on where it was cut short after some of the files', async () => {
    put('a.txt', 'after\n');
    expect([await bringForward(view, scratch.dir, from, to), staged(), changed()]).toEqual([true, '', '']);
  });

  it('stays where it is if a file of it was changed', async () => {
    put('b.txt', 'mine\n');
    expect([await bringForward(view, scratch.dir, from, to), staged(), changed()]).toEqual([
      false,
      'a.txt\nb.txt',
      'b.txt',
    ]);
  });
});
