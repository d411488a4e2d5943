import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { sha } from '../../../src/core/model/ids.ts';
import { moveRef } from '../../../src/world/git/refs/refs.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import type { ScratchRepo } from '../scratch.ts';
import { scratchRepo } from '../scratch.ts';

let scratch: ScratchRepo;
beforeEach(() => {
  scratch = scratchRepo();
});
afterEach(() => scratch.remove());

/** What a git leaves that was killed while it changed a ref. */
function lock(ref: string): string {
  const path = join(scratch.dir, '.git', `${ref}.lock`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
  return path;
}

describe('a lock whose git was killed', () => {
  it('is removed from a ref of ours, which then moves', async () => {
    const path = lock('refs/paralph/int/main');
    const view = await openView(findRepository(scratch.dir));
    const head = sha(scratch.git('rev-parse', 'HEAD'));
    expect(await moveRef(view, 'refs/paralph/int/main', head, null, 'test')).toEqual({ moved: true });
    expect(existsSync(path)).toBe(false);
  });

  it('stays on every other ref, and is named', async () => {
    const path = lock('refs/heads/other');
    const view = await openView(findRepository(scratch.dir));
    const head = sha(scratch.git('rev-parse', 'HEAD'));
    await expect(moveRef(view, 'refs/heads/other', head, null, 'test')).rejects.toThrow('a lock file is in the way');
    expect(existsSync(path)).toBe(true);
  });
});
