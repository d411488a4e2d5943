import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { HONEST, project } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';

describe('command lines that say too little or too much', () => {
  it('an empty id never stands for the only task there is; logs that are gone are not told to be yet to come', async () => {
    const one = scratch();
    project(one, { tasks: ['a'], agent: HONEST, config: { parallel: { merge_policy: 'auto_merge' } } });
    expect((await ralph(one, ['run', '--no-auto-merge'])).code).toBe(0);
    const commands = [
      ['tasks', 'reset', ''],
      ['land', ''],
      ['land', '--dry-run', ' '],
      ['logs', ''],
      ['tasks', 'show', ''],
      ['loops', 'steer', '', 'go on'],
    ];
    for (const args of commands) {
      const { code, stdout, stderr } = await ralph(one, args);
      expect([args, code, stdout]).toEqual([args, 2, '']);
      expect(stderr).toContain('error[E_USAGE]: an empty id');
    }
    expect((await ralph(one, ['status'])).stdout).toContain('1 ready');
    rmSync(join(one.repo, '.git/paralph/runs'), { recursive: true });
    for (const more of [[], ['--follow']]) {
      const { code, stdout, stderr } = await ralph(one, ['logs', 'a', ...more]);
      expect([code, stdout]).toEqual([0, '']);
      expect(stderr).toContain('nothing is left');
    }
  });

  it('words that nobody asked for are refused, and nothing is done', async () => {
    const one = scratch();
    project(one, { tasks: ['a', 'b'], agent: HONEST });
    const commands = [
      ['config', 'set', 'completion_promise', 'ALL', 'DONE'],
      ['tasks', 'show', 'a', 'b'],
      ['status', 'a'],
      ['cost', 'a'],
    ];
    for (const args of commands) {
      const { code, stdout, stderr } = await ralph(one, args);
      expect([args, code, stdout]).toEqual([args, 2, '']);
      expect(stderr).toMatch(/^error\[E_USAGE\]: too many arguments/m);
    }
    expect((await ralph(one, ['config', 'get', 'completion_promise'])).stdout).toBe('COMPLETE\n');
    const typo = await ralph(one, ['loops', 'lst']);
    expect([typo.code, typo.stderr]).toEqual([2, expect.stringContaining('did you mean list?')]);
    for (const args of [
      ['loops', 'lst'],
      ['run', '--bogus'],
      ['loops', 'diff'],
      ['run', '--max-iterations', '0', 'x'],
    ]) {
      const { code, stdout, stderr } = await ralph(one, [...args, '--json']);
      expect([code, stdout, JSON.parse(stderr)]).toMatchObject([2, '', { error: { code: 'E_USAGE', exit: 2 } }]);
    }
    const zero = await ralph(one, ['run', '--max-iterations', '0', 'x']);
    expect(zero.stderr).toMatch(/^error\[E_USAGE\]: --max-iterations .*not 0\nfix: ralph run --help$/m);
    expect((await ralph(one, ['help', 'loops'])).stdout).toContain('Usage: ralph loops');
  });

  it('config check answers scripts, also when something is wrong', async () => {
    const one = scratch();
    project(one, { tasks: ['a'], agent: HONEST });
    expect(JSON.parse((await ralph(one, ['config', 'check', '--json'])).stdout)).toMatchObject({
      version: 1,
      problems: [],
    });
    one.put('ralph.toml', 'agent = 5\n');
    const wrong = await ralph(one, ['config', 'check', '--json']);
    expect(wrong.code).toBe(3);
    expect(JSON.parse(wrong.stdout)).toMatchObject({ version: 1, problems: [{ line: 1 }] });
    expect(JSON.parse(wrong.stderr)).toMatchObject({ error: { code: 'E_CONFIG' } });
  });
});
