import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { itAllowed } from '../../needs.ts';
import { crashAt } from '../harness/crash.ts';
import { everything } from '../harness/fingerprint.ts';
import type { Fingerprint } from '../harness/fingerprint.ts';
import { gitIn, gitSays, refsBelow } from '../harness/git.ts';
import { project, starts } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import { savedScene } from '../harness/saved.ts';
import type { Scratch } from '../harness/scratch.ts';

const RUN = ['run', '--parallel', '--max-workers', '2'];

/** One loop that is parked, one worktree that no loop uses, one that a person made: each with work that nobody committed. */
const made = savedScene(async (one) => {
  project(one, {
    tasks: ['bad'],
    byTask: { bad: [{ write: { path: 'bad.txt', text: 'committed\n' } }, { exit: 3 }] },
    // No gate worktree, which a prune would take first.
    config: { limits: { consecutive_failures: 1 }, gates: { base: false } },
  });
  expect((await ralph(one, RUN)).code).toBe(1);
  const reason = ['--lock', '--reason', 'paralph worktree'];
  one.git('worktree', 'add', '-q', ...reason, '-b', 'ralph/orphan', join(rootOf(one), 'orphan'), 'main');
  const login = beside(one, 'login');
  expect((await ralph(one, ['worktree', 'new', 'login', '--path', login])).code).toBe(0);
  for (const path of [loopOf(one), join(rootOf(one), 'orphan'), login]) {
    writeFileSync(join(path, 'new.txt'), 'new\n');
    writeFileSync(join(path, 'README.md'), 'changed\n');
    for (let n = 0; n < 9; n += 1) writeFileSync(join(path, `file-${n}.txt`), `${n}\n`);
    gitIn(path, one.env)('add', 'file-1.txt');
  }
});

const loopOf = (one: Scratch): string => starts(one).find((call) => call.task === 'bad')?.cwd ?? '';
const rootOf = (one: Scratch): string => dirname(loopOf(one));

interface Taking {
  readonly words: readonly string[];
  readonly path: (one: Scratch) => string;
}

const TAKINGS: Readonly<Record<string, Taking>> = {
  'loops discard': { words: ['loops', 'discard', 'bad', '-y'], path: loopOf },
  prune: { words: ['prune'], path: (one) => join(rootOf(one), 'orphan') },
  'worktree remove': { words: ['worktree', 'remove', 'login', '--force'], path: (one) => beside(one, 'login') },
};

/** Files, index and what git says of a worktree. */
function portrait(one: Scratch, path: string): Fingerprint {
  const git = gitIn(path, one.env);
  const { '.git': _link, ...files } = everything(path);
  return { ...files, status: git('status', '--porcelain=v2', '-z', '--branch'), index: git('ls-files', '-s', '-z') };
}

/** Keeps of worktrees; what a loop was parked with is kept by itself. */
const keepsOf = (one: Scratch): readonly string[] =>
  refsBelow(one.git, 'refs/paralph/keep/').filter((ref) => gitSays(one.git, 'cat-file', '-e', `${ref}:new.txt`));

const leftIn = (folder: string): readonly string[] => readdirSync(folder).filter((name) => name.startsWith('.ralph-'));

describe.each(Object.entries(TAKINGS))('a %s that is killed while it deletes files', (_name, { words, path }) => {
  it('is finished by the same command, with the keep it had made', async () => {
    const one = await made();
    const before = portrait(one, path(one));
    await crashAt(one, words, 'clean.aside');
    const keeps = keepsOf(one);
    expect(keeps).toHaveLength(1);
    const again = await ralph(one, words);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining((keeps[0] ?? '').split('keep/')[1] ?? '')]);
    expect([keepsOf(one), existsSync(path(one)), leftIn(dirname(path(one)))]).toEqual([keeps, false, []]);
    expect((await ralph(one, ['undo'])).code).toBe(0);
    expect(portrait(one, path(one))).toEqual(before);
  });

  it.each([['clean.begun'], ['clean.aside'], ['clean.folder']])('at %s is taken back whole by undo', async (point) => {
    const one = await made();
    const before = portrait(one, path(one));
    await crashAt(one, words, point);
    const undone = await ralph(one, ['undo']);
    expect(undone.code, undone.stderr).toBe(0);
    expect(portrait(one, path(one))).toEqual(before);
    expect(leftIn(dirname(path(one)))).toEqual([]);
    expect((await ralph(one, ['undo'])).stderr).toContain('nothing to undo');
  });

  it('is finished by doctor --fix, which undo takes back', async () => {
    const one = await made();
    const before = portrait(one, path(one));
    await crashAt(one, words, 'clean.aside');
    const looked = await ralph(one, ['doctor']);
    expect(looked.stdout).toContain(`the removal of ${path(one)} was cut short`);
    const fixed = await ralph(one, ['doctor', '--fix']);
    expect(fixed.stdout).toContain(`fixed ended the removal of ${path(one)}`);
    expect((await ralph(one, ['doctor'])).stdout).toContain('removals: nothing to repair');
    expect(leftIn(dirname(path(one)))).toEqual([]);
    expect((await ralph(one, ['undo'])).code).toBe(0);
    expect(portrait(one, path(one))).toEqual(before);
  });
});

describe('a discard that is killed while it deletes files', () => {
  it('is finished by the next run, which undo takes back', async () => {
    const one = await made();
    const before = portrait(one, loopOf(one));
    await crashAt(one, ['loops', 'discard', 'bad', '-y'], 'clean.aside');
    const run = await ralph(one, RUN);
    expect(run.stderr).toContain(`healed: ended the removal of ${loopOf(one)}`);
    expect((await ralph(one, ['undo'])).code).toBe(0);
    expect(portrait(one, loopOf(one))).toEqual(before);
  });
});

const isRoot = process.getuid?.() === 0;
/** Root may delete everywhere, unless it gives that up. */
const BOUND = ['setpriv', '--bounding-set', '-dac_override,-dac_read_search,-fowner'];
const isBound = !isRoot || spawnSync(BOUND[0] ?? '', [...BOUND.slice(1), 'true']).status === 0;
const prefix = isRoot ? BOUND : [];

describe.each(Object.entries(TAKINGS))('a %s of files that cannot be deleted', (_name, { words, path }) => {
  itAllowed('to give up rights', isBound)('says so, ends when they can be, and is taken back whole', async () => {
    const one = await made();
    const closed = join(path(one), 'closed');
    mkdirSync(closed);
    writeFileSync(join(closed, 'file.txt'), 'closed\n');
    const before = portrait(one, path(one));
    chmodSync(closed, 0o555);
    for (let tries = 0; tries < 2; tries += 1) {
      const refused = await ralph(one, words, { prefix });
      expect(refused.stderr).toMatch(/error\[E_UNREMOVABLE\][\s\S]*EACCES[\s\S]*fix: sudo rm -rf \S+/);
      expect([refused.code, keepsOf(one).length]).toEqual([4, 1]);
    }
    expect((await ralph(one, ['undo'], { prefix })).code).toBe(0);
    expect(portrait(one, path(one))).toEqual(before);
    const [left = ''] = leftIn(dirname(path(one)));
    expect((await ralph(one, ['doctor', '--fix'], { prefix })).stdout).toContain(
      `sudo rm -rf ${join(dirname(path(one)), left)}`,
    );
    expect(portrait(one, path(one))).toEqual(before);
    rmSync(join(dirname(path(one)), left), { recursive: true });
    expect((await ralph(one, words)).code).toBe(0);
    expect(existsSync(path(one))).toBe(false);
    expect((await ralph(one, ['doctor'])).stdout).toContain('removals: nothing to repair');
  });

  itAllowed('to give up rights', isBound)('below a folder that cannot be written leaves everything whole', async () => {
    const one = await made();
    const before = portrait(one, path(one));
    chmodSync(dirname(path(one)), 0o555);
    const refused = await ralph(one, words, { prefix });
    chmodSync(dirname(path(one)), 0o755);
    expect(refused.stderr).toMatch(/error\[E_UNREMOVABLE\][\s\S]*EACCES[\s\S]*fix: /);
    expect([refused.code, portrait(one, path(one))]).toEqual([4, before]);
    expect((await ralph(one, words)).code).toBe(0);
    expect(keepsOf(one)).toHaveLength(1);
    expect((await ralph(one, ['undo'])).code).toBe(0);
    expect(readFileSync(join(path(one), 'new.txt'), 'utf8')).toBe('new\n');
    expect(portrait(one, path(one))).toEqual(before);
  });
});
