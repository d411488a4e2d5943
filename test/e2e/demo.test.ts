import { mkdirSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { everything } from './harness/fingerprint.ts';
import { beside, ralph } from './harness/ralph.ts';
import { scratch } from './harness/scratch.ts';

describe('demo', () => {
  it('A1 shows a whole run in a folder of its own, without identity or repository, in under a minute', async () => {
    const one = scratch({ hasRepository: false });
    const empty = beside(one, 'empty');
    mkdirSync(empty);
    const home = everything(one.home);
    const { code, stdout, stderr } = await ralph(one, ['demo'], { cwd: empty, timeoutMs: 60_000 });
    expect(code).toBe(0);
    expect(stdout + stderr).toMatch(/landed/i);
    expect(stdout + stderr).toMatch(/green/i);
    expect(everything(empty)).toEqual({});
    expect(everything(one.home)).toEqual(home);
  });

  it('A1 leaves a repository it is called in alone', async () => {
    const one = scratch();
    const before = everything(one.repo);
    expect((await ralph(one, ['demo'], { timeoutMs: 60_000 })).code).toBe(0);
    expect(everything(one.repo)).toEqual(before);
  });
});
