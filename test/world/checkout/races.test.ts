import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loopId, taskId } from '../../../src/core/model/ids.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import { commitInPlace } from '../../../src/world/checkout/commit-in-place.ts';
import { takeCheckout } from '../../../src/world/checkout/take-checkout.ts';
import { openSeal } from '../../../src/world/seal/seal.ts';
import { ensureRalphFolder } from '../../../src/world/git/run/state-places.ts';
import { IDENTITY, play } from '../seal/scene.ts';
import { scratchRepo } from '../scratch.ts';
import type { ScratchRepo } from '../scratch.ts';

/** What the user does while the agent runs: git writes down nothing of it. */
const USER = 'env -u GIT_TRACE2_EVENT git -C $MAIN';
const IN_HOOK = USER.replace('-u ', '-u GIT_DIR -u GIT_INDEX_FILE -u ');

/** A checkout in which b.txt is changed, and a loop that works there. */
async function inPlaceScene(prepare: (scratch: ScratchRepo) => void = () => {}) {
  const scratch = scratchRepo({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n', '.gitignore': '.ralph/\n' } });
  onTestFinished(() => scratch.remove());
  const repo = findRepository(scratch.dir);
  ensureRalphFolder(repo);
  const view = await openView(repo);
  scratch.write('b.txt', 'begun\n');
  prepare(scratch);
  const [loop, branch] = [loopId('one-x'), 'ralph/one-x'];
  await takeCheckout({ repo, view }, { path: scratch.dir, branch, loop });
  const worktreeRoot = join(scratch.dir, '.ralph/worktrees');
  const seal = openSeal({ repo, view, identity: IDENTITY, ignored: [], made: [], worktreeRoot });
  let n = 0;
  const iterate = async (script: string, meanwhile?: () => void) => {
    n += 1;
    const iteration = { loop, task: taskId('one'), n, slot: 1, cwd: scratch.dir, inPlace: true };
    await seal.take(iteration, branch);
    play(repo, iteration, script);
    meanwhile?.();
    return seal.check(iteration, branch);
  };
  const commit = () =>
    commitInPlace(
      { repo, view, identity: IDENTITY, maxNew: { files: 2000, mb: 50 } },
      { path: scratch.dir, branch, loop, message: 'own' },
    );
  const read = (name: string): string => readFileSync(join(scratch.dir, name), 'utf8');
  return { ...scratch, iterate, read, commitWork: commit };
}

describe('what a person commits while a loop works in their checkout', () => {
  it('stays, in the index and in the file, whatever the agent stages or throws away', async () => {
    const { git, iterate, read } = await inPlaceScene();
    const user = `echo ended > b.txt; ${USER} commit -q -m mine b.txt`;
    expect(await iterate(`${user}; echo new > new.txt; git add new.txt; git checkout -q HEAD -- a.txt`)).toBeNull();
    expect([read('b.txt'), git('log', '-1', '--format=%s')]).toEqual(['ended\n', 'mine']);
    expect(git('status', '--porcelain')).toBe('A  new.txt');
  });

  it('is theirs also in the very moment in which the agent fails to commit, or does something else', async () => {
    const { git, iterate, write } = await inPlaceScene();
    const user = `${IN_HOOK} commit -q --no-verify`;
    write('.git/hooks/pre-commit', `#!/bin/sh\n${user} -m one b.txt\nexit 1\n`);
    write('.git/hooks/post-checkout', `#!/bin/sh\n${user} -m two --allow-empty\n`);
    expect(await iterate('chmod +x .git/hooks/*; git commit -q --allow-empty -m own || true')).toBeNull();
    expect(await iterate('git checkout -q HEAD -- a.txt')).toBeNull();
    expect(git('log', '--format=%s', 'main')).toBe('two\none\nfirst');
  });

  it('is told from what the agent commits in the same second by its words', async () => {
    const { git, iterate, write, read } = await inPlaceScene();
    await iterate(`${USER} commit -q -m mine b.txt; git commit -q --allow-empty -am "own: work\n\nat length"`, () => {
      const second = /> (\d+) \S+\tcommit: own/.exec(read('.git/logs/refs/heads/main'))?.[1];
      write('.git/logs/refs/heads/main', read('.git/logs/refs/heads/main').replaceAll(/> \d+ /g, `> ${second} `));
    });
    expect(git('log', '--format=%s', 'main')).toBe('mine\nfirst');
    expect(git('for-each-ref', '--format=%(contents:subject)', 'refs/paralph/keep')).toBe('own: work');
  });

  it('is told so too where the agent commits under another date, which is all that git writes down', async () => {
    const { git, iterate } = await inPlaceScene();
    const dated = 'GIT_COMMITTER_DATE=2020-01-01T00:00:00Z git commit -q --allow-empty';
    await iterate(`${dated} -am own; ${dated} -m more`);
    expect(git('log', '--format=%s', 'main')).toBe('first');
    await iterate(`${USER} commit -q --allow-empty -m mine; ${dated} -m own`);
    expect(git('log', '--format=%s', 'main')).toBe('mine\nfirst');
  });

  it('is theirs also if it makes a commit of the agent die', async () => {
    const { git, iterate, write } = await inPlaceScene();
    write('.git/hooks/pre-commit', `#!/bin/sh\n${IN_HOOK} commit -q --no-verify -m mine b.txt\n`);
    expect(await iterate('chmod +x .git/hooks/*; git commit -q --allow-empty -m own || true')).toBeNull();
    expect(git('log', '--format=%s', 'main')).toBe('mine\nfirst');
  });
});

it('what a person writes while the rest of their files is looked at is not overwritten by what they had before', async () => {
  const scene = await inPlaceScene(({ write }) => {
    for (const name of ['c.txt', 'd.txt']) write(name, 'begun\n');
  });
  scene.write('.git/info/attributes', 'z.txt filter=slow\n');
  scene.write('.git/slow', 'echo precious > b.txt; echo precious > c.txt\ncat\n');
  scene.git('config', 'filter.slow.clean', 'sh .git/slow');
  await scene.iterate('git checkout -q -- b.txt; git clean -fdq; echo work > z.txt');
  expect(['b.txt', 'c.txt', 'd.txt'].map(scene.read)).toEqual(['precious\n', 'precious\n', 'begun\n']);
});

describe('where a person stands', () => {
  it('is not where the loop works, if they have switched: what they have there is none of its work', async () => {
    const { git, iterate, commitWork } = await inPlaceScene();
    const user = `${USER} switch -q -c theirs; echo theirs > c.txt; ${USER} add c.txt; ${USER} commit -q -m theirs c.txt`;
    await iterate(`echo work > a.txt; ${user}`);
    expect(await commitWork()).toMatchObject({ odd: 'other-branch', committed: false });
    await iterate('echo more > a.txt');
    expect(await commitWork()).toMatchObject({ odd: 'other-branch', committed: false });
    git('switch', '-q', 'main');
    expect(await commitWork()).toMatchObject({ odd: null, committed: true });
    expect(git('diff', '--name-only', 'main', 'ralph/one-x')).toBe('a.txt');
  });

  /** Whoever reads all files for the first time finds that they commit c.txt meanwhile. */
  const slowly = ({ git, write }: ScratchRepo): void => {
    write('.git/info/attributes', 'a.txt filter=slow\n');
    const once = 'test -e .git/was || { touch .git/was; env -u GIT_INDEX_FILE git commit -q -m theirs c.txt; }';
    write('.git/slow', `${once}\ncat\n`);
    git('config', 'filter.slow.clean', 'sh .git/slow');
  };

  it('is looked at again when all files have been read: they may have committed meanwhile', async () => {
    const scene = await inPlaceScene();
    slowly(scene);
    await scene.iterate('echo work > a.txt; echo theirs > c.txt; git add -N c.txt');
    expect(await scene.commitWork()).toMatchObject({ odd: null, committed: true });
    expect(scene.git('log', '-1', '--format=%s', 'main')).toBe('theirs');
    expect(scene.git('log', '-1', '--name-only', '--format=%s', 'ralph/one-x')).toBe('own\n\na.txt');
  });

  it('so it is when a loop begins: what they committed meanwhile is no more theirs to finish', async () => {
    const scene = await inPlaceScene((scratch) => {
      scratch.write('a.txt', 'begun\n');
      scratch.write('c.txt', 'theirs\n');
      scratch.git('add', '-N', 'c.txt');
      slowly(scratch);
    });
    await scene.iterate('echo work > c.txt');
    expect(await scene.commitWork()).toMatchObject({ odd: null, committed: true });
    expect(scene.git('log', '-2', '--name-only', '--format=%s', 'ralph/one-x')).toBe('own\n\nc.txt\ntheirs\n\nc.txt');
  });
});
