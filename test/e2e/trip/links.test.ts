import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { loopOf } from '../harness/shell-agent.ts';
import { until } from '../harness/until.ts';

describe('the links to worktrees', () => {
  it('trip 12: stand with the name of each loop while it has a worktree, and git does not see them', async () => {
    const one = scratch();
    const links = join(one.repo, '.ralph/loops');
    project(one, {
      tasks: ['lands', 'parks'],
      byTask: {
        lands: [{ waitForFile: { path: beside(one, 'go') } }, ...HONEST],
        parks: [{ write: { path: 'half.txt', text: 'half\n' } }, { exit: 1 }],
      },
      config: { limits: { consecutive_failures: 1 } },
    });
    const run = startRalph(one, ['run', '--parallel', '--max-workers', '2']);
    await until('both agents', () => starts(one).length === 2);
    const [lands, parks] = [await loopOf(one, 'lands'), await loopOf(one, 'parks')];
    const cwdOf = (task: string): string => starts(one).find((call) => call.task === task)?.cwd ?? '';
    expect(readlinkSync(join(links, lands))).toBe(cwdOf('lands'));
    expect(readlinkSync(join(links, parks))).toBe(cwdOf('parks'));
    expect(one.git('status', '--porcelain', '--untracked-files=all')).toBe('');
    writeFileSync(beside(one, 'go'), '');
    expect((await run.ended).code).toBe(1);
    expect(readdirSync(links), 'who landed has no worktree').toEqual([parks]);
    expect(readFileSync(join(links, parks, 'half.txt'), 'utf8')).toBe('half\n');

    // Another loop in the worktree of the one that landed has its own name.
    one.put('PRD.md', `${readFileSync(join(one.repo, 'PRD.md'), 'utf8')}- [ ] More <!-- id: more -->\n`);
    one.git('commit', '-q', '-a', '-m', 'More');
    expect((await ralph(one, ['run', '--parallel', '--set', 'parallel.merge_policy=manual'])).code).toBe(1);
    const more = await loopOf(one, 'more');
    expect(readdirSync(links).sort()).toEqual([more, parks].sort());
    expect(readlinkSync(join(links, more))).toBe(cwdOf('more'));

    // It goes with its worktree.
    const folder = readlinkSync(join(links, parks));
    expect((await ralph(one, ['loops', 'discard', parks, '-y'])).code).toBe(0);
    expect([existsSync(folder), readdirSync(links)]).toEqual([false, [more]]);
  });

  it('trip 12: what a person has there, or put in place of the folder, is neither followed nor removed', async () => {
    const one = scratch();
    const links = join(one.repo, '.ralph/loops');
    project(one, { tasks: ['t1', 't2'], config: { parallel: { merge_policy: 'manual' } } });
    mkdirSync(links, { recursive: true });
    mkdirSync(beside(one, 'mine'));
    writeFileSync(beside(one, 'mine/precious'), 'mine\n');
    symlinkSync(beside(one, 'mine'), join(links, 'mine'));
    writeFileSync(join(links, 'note'), 'mine\n');
    expect((await ralph(one, ['run', '--parallel', '--task', 't1'])).code).toBe(0);
    expect((await ralph(one, ['loops', 'discard', await loopOf(one, 't1'), '-y'])).code).toBe(0);
    expect((await ralph(one, ['parallel', 'clean'])).code).toBe(0);
    expect(readdirSync(links).sort()).toEqual(['mine', 'note']);
    expect(readFileSync(beside(one, 'mine/precious'), 'utf8')).toBe('mine\n');

    rmSync(links, { recursive: true });
    symlinkSync(beside(one, 'mine'), links);
    expect((await ralph(one, ['run', '--parallel'])).code).toBe(0);
    expect(lstatSync(links).isSymbolicLink()).toBe(true);
    expect((await ralph(one, ['loops', 'discard', await loopOf(one, 't2'), '-y'])).code).toBe(0);
    expect(readdirSync(beside(one, 'mine'))).toEqual(['precious']);
  });
});
