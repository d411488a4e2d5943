import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { PROJECT } from '../harness/bundle.ts';
import { project } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';

describe('help', () => {
  it('trip 16: that of ralph itself and of what only has commands below it begins with examples, too', async () => {
    const one = scratch();
    const page = readFileSync(join(PROJECT, 'docs/reference/cli.md'), 'utf8');
    const firsts = new Set([...page.matchAll(/^## ralph (\S+)/gm)].map(([, first = '']) => first));
    const helps = await Promise.all(
      [...firsts].map(async (name) => [name, await ralph(one, [name, '--help'])] as const),
    );
    expect(helps.length).toBeGreaterThan(20);
    for (const [name, { code, stdout }] of helps)
      expect([code, stdout], name).toEqual([0, expect.stringMatching(new RegExp(`^Examples:\n  ralph ${name}\\b`))]);
    expect((await ralph(one, ['--help'])).stdout).toMatch(/^Examples:\n {2}ralph demo\n/);
    expect((await ralph(one, [])).stdout).toMatch(/^next: ralph run "what should be done"\n/);
  });

  it('trip 16: examples with an id work when pasted where that thing is', async () => {
    const one = scratch();
    project(one, { tasks: ['login'], config: { parallel: { merge_policy: 'manual' } } });
    expect((await ralph(one, ['run'])).code).toBe(0);
    expect((await ralph(one, ['loops', 'discard', 'login', '-y'])).code).toBe(0);
    await ralph(one, ['memory', 'add', 'run the tests with TZ=UTC', '--tag', 'tests']);
    for (const command of ['keep show', 'keep restore', 'memory edit']) {
      const { stdout } = await ralph(one, [...command.split(' '), '--help']);
      const [, example = ''] = stdout.split('\n');
      const words = [...example.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
      const pasted = await ralph(one, words.slice(1));
      expect([pasted.code, pasted.stderr], example).toEqual([0, expect.not.stringContaining('error')]);
    }
    // Of several of one loop the newest is meant.
    expect(one.git('branch', '--list', 'restored/*', 'keep/*', '*login*')).toMatch(/login/);
  });
});

describe('a word nobody knows', () => {
  it.each([
    [['landd', '--all'], 'land'],
    [['statsu', '--json'], 'status'],
    [['statsu', '--help'], 'status'],
    [['help', 'statsu'], 'status'],
    [['-C', '.', 'statsu'], 'status'],
    [['loops', 'lisst', '--bogus'], 'list'],
    [['loops', 'lisst', '--help'], 'list'],
    [['worktree', 'lst', '--json'], 'list'],
    [['discard', 'login', '-y'], 'loops discard'],
    [['clean'], 'parallel clean or worktree clean'],
    [['loops', 'land', 'login'], 'land'],
    [['run', '--paralel'], '--parallel'],
    [['-v'], '--version'],
    [['loops', 'discard', 'x', '-f'], '--force'],
  ])('trip 16: %j names the nearest', async (words, near) => {
    const one = scratch();
    const { code, stdout, stderr } = await ralph(one, words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`E_USAGE.*unknown .*[Dd]id you mean ${near}\\?`));
  });
});
