import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { project } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import { savedScene } from '../harness/saved.ts';
import { scratch } from '../harness/scratch.ts';

/** A project whose work has landed and is not published. */
const landed = savedScene(async (one) => {
  project(one, { tasks: ['t1'], config: { landing: { publish: 'manual' } } });
  expect((await ralph(one, ['run', '--parallel'])).code).toBe(0);
  expect(one.git('ls-tree', '--name-only', 'main')).not.toContain('t1.txt');
});

describe('ralph publish', () => {
  it('moves the branch to what has landed, for a person and no agent, and does nothing the second time', async () => {
    const one = await landed();
    const before = one.git('rev-parse', 'main');
    expect((await ralph(one, ['publish'], { env: { RALPH_LOOP_ID: 't1-abcd' } })).code).toBe(2);
    expect(one.git('rev-parse', 'main')).toBe(before);
    const { code, stdout } = await ralph(one, ['publish', '--json']);
    expect(code).toBe(0);
    const tip = one.git('rev-parse', 'main');
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'published', to: tip, target: 'main' });
    expect(one.git('rev-parse', 'refs/paralph/int/main')).toBe(tip);
    expect(one.git('status', '--porcelain')).toBe('');
    expect((await ralph(one, ['publish'])).code).toBe(0);
    expect(one.git('rev-parse', 'main')).toBe(tip);
  });

  it('names what is in the way, moves nothing, and works once that is gone', async () => {
    const one = await landed();
    const before = one.git('rev-parse', 'main');
    one.put('t1.txt', 'mine');
    const blocked = await ralph(one, ['publish']);
    expect(blocked.code).toBe(6);
    expect(blocked.stderr).toContain('t1.txt');
    expect(one.git('rev-parse', 'main')).toBe(before);
    rmSync(join(one.repo, 't1.txt'));
    expect((await ralph(one, ['publish'])).code).toBe(0);
  });

  it('does not go over commits of the user, and says how they come together', async () => {
    const one = await landed();
    one.put('mine.txt', 'mine');
    one.git('add', '-A');
    one.git('commit', '-q', '-m', 'Mine');
    const own = one.git('rev-parse', 'main');
    const apart = await ralph(one, ['publish']);
    expect(apart.code).toBe(6);
    expect(apart.stderr).toContain('ralph land --all');
    expect(one.git('rev-parse', 'main')).toBe(own);
    expect((await ralph(one, ['land', '--all', '--publish', 'end'])).code).toBe(0);
    expect(one.git('ls-tree', '--name-only', 'main').split('\n')).toEqual(
      expect.arrayContaining(['t1.txt', 'mine.txt']),
    );
  });

  it('says so when nothing has landed', async () => {
    const one = scratch();
    project(one, { tasks: ['t1'] });
    const { code, stderr } = await ralph(one, ['publish']);
    expect(code).toBe(0);
    expect(stderr).toContain('nothing has landed');
  });
});
