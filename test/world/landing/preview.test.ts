import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sha, taskId } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { openCandidates } from '../../../src/world/landing/candidate.ts';
import type { Candidates } from '../../../src/world/landing/candidate.ts';
import { readIdentity } from '../../../src/world/git/run/identity.ts';
import type { Identity } from '../../../src/world/git/run/identity.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { readFileAt, treeOf } from '../../../src/world/git/objects/trees.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import type { GitView } from '../../../src/world/git/run/view.ts';
import { openWorktrees } from '../../../src/world/loops/loop-worktrees.ts';
import { preview } from '../../../src/world/landing/integration.ts';
import { openTracker } from '../../../src/world/trackers/tracker-file.ts';
import type { Tracker } from '../../../src/world/contract/tracker.ts';
import { scratchRepo } from '../scratch.ts';
import { provisions } from '../provisions.ts';
import type { ScratchRepo } from '../scratch.ts';

const made: ScratchRepo[] = [];
afterEach(() => {
  for (const repo of made.splice(0)) repo.remove();
});

const TASKS = '# Tasks\n\n- [ ] a\n- [ ] b\n';
const METHODS = ['merge', 'squash', 'rebase'] as const;

interface Scene extends ScratchRepo {
  readonly view: GitView;
  readonly tracker: Tracker;
  readonly candidates: Candidates;
  readonly identity: Identity;
  readonly start: Sha;
}

async function scene(files: Readonly<Record<string, string>>, path: string): Promise<Scene> {
  const scratch = scratchRepo({ files });
  made.push(scratch);
  const repo = findRepository(scratch.dir);
  const view = await openView(repo);
  const identity = await readIdentity(repo);
  const tracker = openTracker(repo, null, path);
  const merge = { union: [], regenerate: {} };
  const place = { repo, view, identity, tracker, merge, regenerate: async () => null };
  const start = sha(scratch.git('rev-parse', 'HEAD'));
  return { ...scratch, view, tracker, identity, candidates: openCandidates(place), start };
}

type Change = (scene: Scene) => void;

describe('preview is the very tree that landing makes', () => {
  const work: Change = ({ write }) => write('work.txt', 'work\n');
  const cases: readonly (readonly [string, Readonly<Record<string, string>>, string | null, Change])[] = [
    ['plain work', { 'tasks.md': TASKS }, 'a', work],
    ['a branch that edited the tracker', { 'tasks.md': TASKS }, 'b', ({ write }) => write('tasks.md', '# Mine\n')],
    [
      'a branch that ticked it itself',
      { 'tasks.md': TASKS },
      'a',
      ({ write }) => write('tasks.md', TASKS.replace('[ ]', '[x]')),
    ],
    [
      'a branch that deleted the tracker',
      { 'tasks.md': TASKS, 'a.txt': 'a' },
      'a',
      ({ git }) => void git('rm', '-q', 'tasks.md'),
    ],
    ['no tracker in integration', { 'a.txt': 'a' }, 'a', work],
    ['a tracker only the branch has', { 'a.txt': 'a' }, 'a', ({ write }) => write('tasks.md', TASKS)],
    ['an id the tracker does not have', { 'tasks.md': TASKS }, 'zzz', ({ write }) => write('tasks.md', 'x')],
    ['a task that is done already', { 'tasks.md': TASKS.replace('[ ]', '[x]') }, 'a', work],
    ['nothing to tick', { 'tasks.md': TASKS }, null, ({ write }) => write('tasks.md', '# Mine\n')],
    ['nothing done at all', { 'tasks.md': TASKS }, 'a', () => {}],
    ['an executable tracker', { 'tasks.md': TASKS }, 'a', ({ dir }) => chmodSync(join(dir, 'tasks.md'), 0o755)],
    ['a tracker deep inside', { 'docs/x/tasks.md': TASKS }, 'b', ({ git }) => void git('rm', '-rq', 'docs')],
  ];
  it.each(cases)('%s', async (_name, files, id, change) => {
    const path = 'docs/x/tasks.md' in files ? 'docs/x/tasks.md' : 'tasks.md';
    const all = await scene(files, path);
    const { view, git, commit, start, candidates } = all;
    const tick = id === null ? null : taskId(id);
    git('switch', '-qc', 'work');
    change(all);
    const head = sha(commit('work'));
    const seen = await preview(all, start, { head, tick });
    for (const method of METHODS) {
      const built = await candidates.build({ base: start, head, under: start, message: 'm\n\nA: b\n', method, tick });
      expect(built).toMatchObject({ tree: seen?.tree });
    }
    // The commit is that tree, and there is one only where it is another.
    expect(await treeOf(view, seen?.commit ?? head)).toBe(seen?.tree);
    expect(seen?.commit === null).toBe(seen?.tree === (await treeOf(view, head)));
  });

  it('is also that of integration itself', async () => {
    const all = await scene({ 'tasks.md': TASKS }, 'tasks.md');
    const seen = await preview(all, all.start, { head: all.start, tick: taskId('a') });
    expect(await readFileAt(all.view, seen?.tree ?? all.start, 'tasks.md')).toBe(TASKS.replace('[ ]', '[x]'));
  });

  it('is not known when integration has gone on, or the tracker is no file', async () => {
    const all = await scene({ 'tasks.md': TASKS }, 'tasks.md');
    const { git, write, commit, dir, start } = all;
    git('switch', '-qc', 'work');
    write('work.txt', 'w');
    const head = sha(commit('work'));
    rmSync(join(dir, 'tasks.md'));
    symlinkSync('work.txt', join(dir, 'tasks.md'));
    const linked = sha(commit('link'));
    git('switch', '-q', 'main');
    write('main.txt', 'm');
    const on = sha(commit('main'));
    expect(await preview(all, on, { head, tick: taskId('a') })).toBeNull();
    expect(await preview(all, start, { head, tick: taskId('a') })).not.toBeNull();
    expect(await preview(all, start, { head: linked, tick: taskId('a') })).toBeNull();
  });
});

describe('standing on its branch again', () => {
  it('whatever somebody did in the worktree, with what they committed on none kept', async () => {
    const scratch = scratchRepo({ files: { 'tasks.md': TASKS } });
    made.push(scratch);
    const repo = findRepository(scratch.dir);
    const view = await openView(repo);
    const identity = await readIdentity(repo);
    const worktreeRoot = join(scratch.dir, '.worktrees');
    const worktrees = openWorktrees({
      repo,
      view,
      identity,
      worktreeRoot,
      trackerPath: 'tasks.md',
      union: ['CHANGELOG.md'],
      ignored: [],
      maxNew: { files: 2000, mb: 50 },
      provisions: provisions(),
    });
    const base = sha(scratch.git('rev-parse', 'HEAD'));
    const { path } = await worktrees.make({ branch: 'ralph/a', base });
    writeFileSync(join(path, 'work.txt'), 'w');
    const { head } = await worktrees.commitLeftovers({ path, branch: 'ralph/a', message: 'work\n', base, task: null });
    const git = (...args: readonly string[]): string => scratch.git('-C', path, ...args);
    git('checkout', '-q', '--detach');
    writeFileSync(join(path, 'tasks.md'), 'somebody was here');
    writeFileSync(join(path, 'junk.txt'), 'and here');
    git('-c', 'user.name=g', '-c', 'user.email=g@example.com', 'commit', '-qam', 'somebody commits');
    const stray = git('rev-parse', 'HEAD');
    // A git that was killed in between leaves its lock.
    writeFileSync(join(git('rev-parse', '--absolute-git-dir'), 'index.lock'), '');
    await worktrees.standOn(path, 'ralph/a');
    expect(git('symbolic-ref', 'HEAD')).toBe('refs/heads/ralph/a');
    expect(await worktrees.facts(path)).toMatchObject({ head });
    expect(git('status', '--porcelain')).toBe('');
    expect(readFileSync(join(path, 'tasks.md'), 'utf8')).toBe(TASKS);
    const keeps = (): string => git('for-each-ref', '--contains', stray, '--format=%(contents)', 'refs/paralph/keep');
    expect(keeps()).toMatch(/committed on no branch/);
    git('checkout', '-q', '--detach');
    await worktrees.standOn(path, 'ralph/a');
    expect(git('for-each-ref', 'refs/paralph/keep').split('\n')).toHaveLength(1);
  });

  it('moves no branch that somebody went to, also while somebody else makes a worktree', async () => {
    const scratch = scratchRepo({ files: { 'a.txt': 'a\n' } });
    made.push(scratch);
    const repo = findRepository(scratch.dir);
    const view = await openView(repo);
    const identity = await readIdentity(repo);
    const worktreeRoot = join(scratch.dir, '.worktrees');
    const worktrees = openWorktrees({
      repo,
      view,
      identity,
      worktreeRoot,
      trackerPath: 'tasks.md',
      union: [],
      ignored: [],
      maxNew: { files: 2000, mb: 50 },
      provisions: provisions(),
    });
    const base = sha(scratch.git('rev-parse', 'HEAD'));
    scratch.git('branch', 'feature');
    const { path } = await worktrees.make({ branch: 'ralph/a', base });
    writeFileSync(join(path, 'work.txt'), 'w');
    const { head } = await worktrees.commitLeftovers({ path, branch: 'ralph/a', message: 'work\n', base, task: null });
    scratch.git('-C', path, 'checkout', '-q', 'feature');
    // As git leaves it for a moment: most commands that name a branch die of it.
    const half = join(scratch.dir, '.git/worktrees/half');
    mkdirSync(half);
    writeFileSync(join(half, 'gitdir'), `${join(scratch.dir, 'half/.git')}\n`);
    writeFileSync(join(half, 'commondir'), '');
    await worktrees.standOn(path, 'ralph/a');
    rmSync(half, { recursive: true });
    expect(scratch.git('rev-parse', 'feature')).toBe(base);
    expect(scratch.git('-C', path, 'symbolic-ref', 'HEAD')).toBe('refs/heads/ralph/a');
    expect(await worktrees.facts(path)).toMatchObject({ head });
    expect(scratch.git('-C', path, 'status', '--porcelain')).toBe('');
  });
});
