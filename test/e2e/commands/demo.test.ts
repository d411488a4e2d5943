import { describe, expect, it } from 'vitest';

import { everything } from '../harness/fingerprint.ts';
import { ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';

describe('demo', () => {
  it('A1 shows a whole run, and leaves a repository it is called in alone; without any: package.test.ts', async () => {
    const one = scratch();
    const before = everything(one.repo);
    const { code, stdout, stderr } = await ralph(one, ['demo']);
    expect(code).toBe(0);
    expect(stdout + stderr).toMatch(/landed/i);
    expect(stdout + stderr).toMatch(/green/i);
    expect(everything(one.repo)).toEqual(before);
  });

  it('scenario 23: --crash plays the seven situations of an orchestrator that dies, a line each', async () => {
    const one = scratch();
    const before = everything(one.repo);
    const { code, stdout, stderr } = await ralph(one, ['demo', '--crash']);
    expect(stdout.match(/^recovered [1-7]  /gm), stdout + stderr).toHaveLength(7);
    expect([code, everything(one.repo)]).toEqual([0, before]);
  });
});
