import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loopId, sha } from '../../../src/core/model/ids.ts';
import type { Loop, State } from '../../../src/core/model/model.ts';
import { EMPTY_STATE } from '../../../src/core/model/model.ts';
import { expiredKeeps, landedKeeps, letGo, oldRuns, removeRuns } from '../../../src/world/keep/expire.ts';
import { keepCommit } from '../../../src/world/keep/keep.ts';
import { type Keep, listKeeps } from '../../../src/world/keep/list-keeps.ts';
import { spareBranches, takeBranch } from '../../../src/world/keep/spare-branches.ts';
import { dropBranch, takeAway } from '../../../src/world/keep/take-away.ts';
import { bringBack, lastTaken, markUndone, whyNotBack } from '../../../src/world/keep/undo.ts';
import { ourWorktrees } from '../../../src/world/loops/our-worktrees.ts';
import { runFolder } from '../../../src/world/git/run/state-places.ts';
import { BRANCH, type KeepScene, LOOP, keepScene } from './keep-scene.ts';

const DAY_MS = 86_400_000;

let scene: KeepScene;
beforeEach(async () => {
  scene = await keepScene({ 'a.txt': 'a\n' });
  scene.scratch.git('update-ref', 'refs/paralph/int/main', scene.base);
});
afterEach(() => scene.scratch.remove());

const stateWith = (phase: Loop['phase'], more: Partial<Loop> = {}): State => {
  const loop = {
    id: LOOP,
    task: 'PRD.md#t',
    branch: BRANCH,
    worktree: scene.path,
    head: scene.base,
    since: 0,
    place: { at: 'worktree' },
    phase,
    ...more,
  };
  return { ...EMPTY_STATE, loops: { [LOOP]: loop as Loop } };
};
const landed = (more: Partial<Loop> = {}): State => stateWith({ at: 'landed', commit: scene.base }, more);
const discarded = (): State =>
  stateWith({ at: 'parked', reason: 'discarded', detail: '', paths: [] }, { worktree: null });
const ids = (keeps: readonly Keep[]): string[] => keeps.map((keep) => keep.id).sort((a, b) => (a < b ? -1 : 1));

describe('retention', () => {
  it('lets go only of what is on main too, and only after its days; what has not landed stays for ever', async () => {
    const { place, base, put, git } = scene;
    const { view } = place;
    const onMain = await keepCommit(place, { commit: base, name: 'on-main', act: 'leak', why: 'x' });
    put('new.txt', 'uncommitted\n');
    const dirty = await scene.keep();
    git('add', '-A');
    git('commit', '-q', '-m', 'work');
    const work = sha(git('rev-parse', 'HEAD'));
    const committed = await keepCommit(place, { commit: work, name: LOOP, act: 'retry', why: 'x' });
    const now = Date.now();
    expect(await expiredKeeps(view, EMPTY_STATE, { days: 30, nowMs: now + 29 * DAY_MS })).toEqual([]);
    const later = { days: 30, nowMs: now + 31 * DAY_MS };
    expect(ids(await expiredKeeps(view, EMPTY_STATE, later))).toEqual([onMain.id]);
    // Squashed, its own commits are on no branch, but the log knows that they landed.
    const squashed = landed({ head: work });
    expect(ids(await expiredKeeps(view, squashed, later))).toEqual([onMain.id, committed.id].sort());
    const keeps = await listKeeps(view);
    expect(ids([...(await landedKeeps(view, EMPTY_STATE, keeps))])).toEqual([onMain.id]);
    // Where nothing was ever landed by us, what is on main is on main all the same.
    scene.scratch.git('update-ref', '-d', 'refs/paralph/int/main');
    expect(ids(await expiredKeeps(view, EMPTY_STATE, later))).toEqual([onMain.id]);
    for (const keep of await expiredKeeps(view, EMPTY_STATE, later)) await letGo(place, keep);
    expect(new Set(ids(await listKeeps(view)))).toEqual(new Set([committed.id, dirty?.id]));
  });

  it('removes the logs of what landed long ago, and of nothing else', async () => {
    const { repo } = scene.place;
    const file = join(runFolder(repo, LOOP, 1), 'stdout.log');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'log');
    const retention = { days: 1, nowMs: 2 * DAY_MS };
    expect(oldRuns(repo, discarded(), retention)).toEqual([]);
    expect(oldRuns(repo, landed({ since: 2 * DAY_MS }), retention)).toEqual([]);
    for (const loop of oldRuns(repo, landed(), retention)) removeRuns(repo, loop);
    expect(existsSync(file)).toBe(false);
    removeRuns(repo, { ...(landed().loops[LOOP] as Loop), id: loopId('..') });
    expect(existsSync(join(repo.stateDir, 'runs'))).toBe(true);
  });
});

describe('what may go', () => {
  it('says for each worktree why it stays', async () => {
    const { place, root, put, scratch } = scene;
    const look = async (state: State): Promise<(string | null)[]> => {
      const [ours] = await ourWorktrees({ ...place, state, worktreeRoot: root });
      return [ours?.use ?? null, ours?.keep ?? null, ours?.stay ?? null];
    };
    expect(await look(EMPTY_STATE)).toEqual(['orphan', null, null]);
    // Claimed and being made: the log does not know its place yet.
    expect((await look(stateWith({ at: 'preparing' }, { worktree: null, host: null }))).at(-1)).toContain('can resume');
    expect(await look(landed())).toEqual(['loop', null, null]);
    put('new.txt', 'new\n');
    expect(await look(landed())).toEqual(['loop', 'it has uncommitted work', null]);
    const parked = stateWith({ at: 'parked', reason: 'failures', detail: '', paths: [] });
    expect((await look(parked)).at(-1)).toContain('ralph loops discard');
    expect(await look(discarded())).toEqual(['orphan', 'it has uncommitted work', null]);
    scratch.git('worktree', 'unlock', scene.path);
    expect(await look(landed())).toEqual([null, null, null]);
  });

  it('refuses what is not ours, and a folder with a repository inside', async () => {
    const { place, root, path, put, scratch } = scene;
    const away = { ...place, worktreeRoot: root };
    const order = { branch: BRANCH, loop: LOOP, act: 'discard', why: 'x', takesBranch: true } as const;
    await expect(takeAway(away, { ...order, path: scratch.dir })).rejects.toThrow('not a worktree that paralph made');
    scratch.git('worktree', 'unlock', path);
    await expect(takeAway(away, { ...order, path })).rejects.toThrow('not a worktree that paralph made');
    scratch.git('worktree', 'lock', '--reason', 'paralph worktree', path);
    mkdirSync(join(path, 'inner'));
    scene.git('init', '-q', 'inner');
    put('new.txt', 'new\n');
    await expect(takeAway(away, { ...order, path })).rejects.toThrow(/inner/);
    expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('new\n');
    expect(scratch.git('rev-parse', BRANCH)).toBe(scene.base);
  });

  it('keeps commits that were made on no branch and left, before their reflog goes', async () => {
    const { place, root, path, put, scratch, git } = scene;
    const commitNow = (name: string): string => {
      put(name, name);
      git('add', '-A');
      git('commit', '-q', '-m', name);
      return git('rev-parse', 'HEAD');
    };
    git('checkout', '-q', '--detach');
    commitNow('first.txt');
    const left = commitNow('second.txt');
    // What it merely stood on is not its own: gates test candidates of ours there.
    git('checkout', '-q', git('commit-tree', '-m', 'candidate', `${BRANCH}^{tree}`));
    git('checkout', '-q', BRANCH);
    const order = { path, branch: BRANCH, loop: LOOP, act: 'discard', why: 'x', takesBranch: true } as const;
    const kept = await takeAway({ ...place, worktreeRoot: root }, order);
    scratch.git('reflog', 'expire', '--expire=now', '--all');
    scratch.git('gc', '-q', '--prune=now');
    expect(scratch.git('ls-tree', '--name-only', left)).toContain('first.txt');
    expect(kept?.left).toHaveLength(1);
    const [keep] = (await listKeeps(place.view)).filter(({ id }) => id === kept?.left?.[0]);
    expect(keep?.loop ?? keep?.name, 'nobody takes it for what the loop came to').not.toBe(LOOP);
    expect(keep).toMatchObject({ head: left, why: expect.stringContaining('on no branch') as unknown });
    // It is no worktree that could be brought back.
    const gone = await lastTaken(place, EMPTY_STATE);
    expect(ids(gone)).toEqual([kept?.id]);
  });

  it('takes a branch that a loop left behind, unless somebody moved it or had it before', async () => {
    const { place, scratch, base } = scene;
    expect(await spareBranches(place, landed())).toEqual([]);
    expect(await dropBranch(place, BRANCH, base)).toBe(false);
    expect(await dropBranch(place, 'main', base)).toBe(false);
    scratch.git('branch', 'topic', 'main');
    const checkout = { at: 'checkout', path: scratch.dir, branch: 'topic' } as const;
    expect(await spareBranches(place, landed({ branch: 'topic', place: checkout }))).toEqual([]);
    scratch.git('branch', 'ralph/left', 'main');
    const left = landed({ branch: 'ralph/left' });
    const [spare] = await spareBranches(place, left);
    expect(spare).toMatchObject({ branch: 'ralph/left', tip: base });
    if (spare !== undefined) await takeBranch(place, spare, 'one');
    expect(scratch.git('branch', '--list', 'ralph/left')).toBe('');
    const away = { ...place, worktreeRoot: scene.root };
    for (const keep of await lastTaken(away, left)) await bringBack(away, keep);
    expect(scratch.git('rev-parse', 'ralph/left')).toBe(base);
    scratch.commit('moved on');
    scratch.git('branch', '-f', 'ralph/left', 'main');
    expect(await spareBranches(place, left)).toEqual([]);
  });
});

describe('undo', () => {
  it('never goes where a forged keep points, and never takes the same back twice', async () => {
    const { place, root, path, put, scratch } = scene;
    const away = { ...place, worktreeRoot: root };
    put('new.txt', 'new\n');
    const order = { path, branch: BRANCH, loop: LOOP, act: 'discard', why: 'x', takesBranch: true } as const;
    await takeAway(away, order);
    const outside = join(dirname(scratch.dir), 'outside');
    const [real] = await lastTaken(away, EMPTY_STATE);
    const forged = scratch
      .git('cat-file', '-p', real?.commit ?? '')
      .replace(path, outside)
      .replace(/Ralph-Keep-At: .*/, `Ralph-Keep-At: ${new Date(Date.now() + 60_000).toISOString()}`);
    writeFileSync(join(scratch.dir, '..', 'forged'), `${forged}\n`);
    const commit = scratch.git('hash-object', '-t', 'commit', '-w', join(scratch.dir, '..', 'forged'));
    scratch.git('update-ref', `refs/paralph/keep/evil/${commit.slice(0, 12)}`, commit);
    const [newest] = await lastTaken(away, EMPTY_STATE);
    expect(newest?.path).toBe(outside);
    if (newest !== undefined) expect(await whyNotBack(away, newest)).toContain('not below');
    expect(existsSync(outside)).toBe(false);
    scratch.git('update-ref', '-d', newest?.ref ?? '');
    // By now another loop may work at the same place.
    scratch.git('worktree', 'add', '-q', '-b', 'ralph/next', path);
    for (const keep of await lastTaken(away, EMPTY_STATE))
      expect(await whyNotBack(away, keep)).toContain('there already');
    scratch.git('worktree', 'remove', path);
    for (const keep of await lastTaken(away, EMPTY_STATE)) {
      expect(await whyNotBack(away, keep)).toBeNull();
      await bringBack(away, keep);
      await markUndone(away, keep);
    }
    expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('new\n');
    await scene.lose();
    expect(await lastTaken(away, discarded())).toEqual([]);
  });
});
