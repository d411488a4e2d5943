import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect } from 'vitest';

import { itNeeds } from '../../needs.ts';
import { refsBelow } from '../harness/git.ts';
import { markdownTasks, project } from '../harness/project.ts';
import { promptFor, promptProject } from '../harness/prompt-project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import type { Scratch } from '../harness/scratch.ts';
import { loopOf, shellProject } from '../harness/shell-agent.ts';
import { barrier, CLAIM, trainProject, watchedGate } from '../harness/train.ts';

const it = itNeeds('ssh-keygen', spawnSync('which', ['ssh-keygen']).status === 0);

/** The user signs in this repository alone, with a key of this test's. */
function signs(one: Scratch): void {
  const key = beside(one, 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'una', '-f', key]);
  writeFileSync(beside(one, 'signers'), `una@example.com ${readFileSync(`${key}.pub`, 'utf8')}`);
  one.git('config', 'commit.gpgSign', 'true');
  one.git('config', 'gpg.format', 'ssh');
  one.git('config', 'user.signingKey', `${key}.pub`);
  one.git('config', 'gpg.ssh.allowedSignersFile', beside(one, 'signers'));
}

/** Each commit beyond the start, as git verifies it: `G subject`, or `N subject` where nobody signed. */
const signedIn = (one: Scratch, start: string, ...refs: readonly string[]): readonly string[] =>
  one.git('log', '--topo-order', '--reverse', '--format=%G? %s', ...refs, `^${start}`).split('\n');

const unsignedIn = (one: Scratch, start: string, ...refs: readonly string[]): readonly string[] =>
  signedIn(one, start, ...refs).filter((line) => !line.startsWith('G '));

const COMMITS = 'echo own > own.txt; git add own.txt; git commit -q --no-gpg-sign -m "Own work"';
const LEAVES = 'echo rest > rest.txt; echo "<promise>COMPLETE</promise>"';

describe('whoever signs their commits', () => {
  it('trip 8: what an agent left is signed like the landing, and what it committed itself stays as it is', async () => {
    const one = scratch();
    shellProject(one, `${COMMITS}; ${LEAVES}`, { tasks: ['t1'] });
    signs(one);
    const start = one.git('rev-parse', 'main');
    const { code, stderr } = await ralph(one, ['run']);
    expect(code, stderr).toBe(0);
    const found = signedIn(one, start, 'main');
    expect(found.length).toBe(3);
    expect(found.filter((line) => line.startsWith('N '))).toEqual(['N Own work']);
    expect(found.filter((line) => line.startsWith('G ')).length).toBe(2);
  });

  it('trip 8: squashed, everything is signed', async () => {
    const one = scratch();
    shellProject(one, `${COMMITS}; ${LEAVES}`, { tasks: ['t1'], config: { landing: { method: 'squash' } } });
    signs(one);
    const start = one.git('rev-parse', 'main');
    expect((await ralph(one, ['run'])).code).toBe(0);
    expect(unsignedIn(one, start, 'main')).toEqual([]);
  });

  it('trip 8: main merged into a loop that conflicts with it is signed', async () => {
    const one = scratch();
    const appends = `if grep -q '^<<<<<<<' list.txt; then sed -i '/^[<=>|]\\{7\\}/d' list.txt
      elif ! grep -q "^$RALPH_TASK_ID$" list.txt; then ${barrier(one, 2)}; echo $RALPH_TASK_ID >> list.txt; fi; ${CLAIM}`;
    trainProject(one, {
      tasks: ['t1', 't2'],
      gate: watchedGate(one, 'true'),
      files: { 'list.txt': 'list\n' },
      script: appends,
    });
    signs(one);
    const start = one.git('rev-parse', 'main');
    const { code, stderr } = await ralph(one, ['run', '--parallel', '--max-workers', '2']);
    expect(code, stderr).toBe(0);
    expect(signedIn(one, start, 'main').some((line) => line.endsWith(' Merge main'))).toBe(true);
    expect(unsignedIn(one, start, 'main')).toEqual([]);
  });

  it('trip 8: branches that are joined to be built upon are signed', async () => {
    const one = scratch();
    const tasks = `${markdownTasks(['a', 'b'])}- [ ] Both <!-- id: c --> <!-- depends on: a, b -->\n`;
    project(one, { tasks: { 'PRD.md': tasks }, config: { parallel: { merge_policy: 'manual' } } });
    signs(one);
    const start = one.git('rev-parse', 'main');
    expect((await ralph(one, ['run', '--parallel'])).code).toBe(0);
    const found = signedIn(one, start, ...refsBelow(one.git, 'refs/heads/ralph/'));
    expect(
      found.some((line) => line.includes('Join the branches')),
      found.join('\n'),
    ).toBe(true);
    expect(found.filter((line) => !line.startsWith('G '))).toEqual([]);
  });

  it('trip 8: a loop in place, and a rebase by hand, are signed', async () => {
    const one = scratch();
    promptProject(one);
    signs(one);
    const start = one.git('rev-parse', 'main');
    expect((await ralph(one, ['run', promptFor('here')])).code).toBe(0);
    expect(unsignedIn(one, start, 'main')).toEqual([]);
    const two = scratch();
    project(two, { tasks: ['t1'], config: { parallel: { merge_policy: 'manual' } } });
    signs(two);
    expect((await ralph(two, ['run'])).code).toBe(0);
    two.put('more.txt', 'more\n');
    two.git('add', 'more.txt');
    two.git('commit', '-q', '-m', 'More');
    const more = two.git('rev-parse', 'main');
    const rebased = await ralph(two, ['loops', 'rebase', await loopOf(two, 't1')]);
    expect(rebased.code, rebased.stderr).toBe(0);
    const branch = refsBelow(two.git, 'refs/heads/ralph/')[0] ?? '';
    expect(signedIn(two, more, branch)).toEqual([expect.stringMatching(/^G /)]);
  });

  it('trip 8: what is brought back on a branch is signed', async () => {
    const one = scratch();
    shellProject(one, `${COMMITS}; exit 1`, { tasks: ['t1'], config: { limits: { consecutive_failures: 1 } } });
    signs(one);
    const start = one.git('rev-parse', 'main');
    expect((await ralph(one, ['run'])).code).toBe(1);
    const { stdout } = await ralph(one, ['worktree', 'list', '--json']);
    const { worktrees } = JSON.parse(stdout) as { worktrees: { path: string; branch: string | null }[] };
    const parked = worktrees.find(({ branch }) => branch?.startsWith('ralph/') === true)?.path ?? '';
    writeFileSync(join(parked, 'mine.txt'), 'mine\n');
    expect((await ralph(one, ['loops', 'discard', await loopOf(one, 't1'), '-y'])).code).toBe(0);
    const list = JSON.parse((await ralph(one, ['keep', 'list', '--json'])).stdout) as {
      keeps: { id: string; act: string }[];
    };
    const id = list.keeps.find(({ act }) => act === 'discard')?.id ?? '';
    const restored = await ralph(one, ['keep', 'restore', id, '--branch', 'back']);
    expect(restored.code, restored.stderr).toBe(0);
    expect(signedIn(one, start, 'back')).toEqual(['N Own work', expect.stringMatching(/^G Restore/)]);
  });
});
