import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loopId, sha, taskId, taskKey } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import type { State } from '../../../src/core/model/model.ts';
import { EMPTY_STATE } from '../../../src/core/model/model.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import type { Repository } from '../../../src/world/git/run/repository.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import type { GitView } from '../../../src/world/git/run/view.ts';
import { takeWorktree } from '../../../src/world/worktrees/worktree-pool.ts';
import { writeLoopNote } from '../../../src/world/worktrees/loop-notes.ts';
import { identityOf, ownIdentity } from '../../../src/world/processes/identity.ts';
import { stopLeftoverAgents } from '../../../src/world/processes/leftover-agents.ts';
import { factsFromGit } from '../../../src/world/repair/lost-facts.ts';
import { findUnlandedLoops } from '../../../src/world/loops/unlanded-loops.ts';
import { runFolder } from '../../../src/world/git/run/state-places.ts';
import { pin } from '../../../src/world/keep/train-refs.ts';
import { gitIn, scratchRepo } from '../scratch.ts';
import type { ScratchRepo } from '../scratch.ts';

let scratch: ScratchRepo;
let repo: Repository;
let view: GitView;
let base: Sha;
beforeEach(async () => {
  scratch = scratchRepo();
  repo = findRepository(scratch.dir);
  view = await openView(repo);
  base = sha(scratch.git('rev-parse', 'HEAD'));
});
afterEach(() => scratch.remove());

const identity = { name: 'Ada', email: 'ada@example.test' };
const find = async () => findUnlandedLoops({ repo, view, identity });

/** A worktree of a loop, with its note. */
async function loop(name: string): Promise<string> {
  const branch = `ralph/${name}`;
  const { path } = await takeWorktree(repo, {
    branch,
    base,
    name: 'wt',
    worktreeRoot: join(scratch.dir, '../worktrees'),
  });
  const note = {
    loop: loopId(name),
    task: taskKey('PRD.md', taskId(name)),
    title: `Make ${name}`,
    attempt: 1,
    branch,
    base,
  };
  writeLoopNote(repo, path, note);
  return path;
}

function commitIn(path: string, file: string): Sha {
  writeFileSync(join(path, file), `${file}\n`);
  gitIn(path, 'add', '-A');
  gitIn(path, 'commit', '-qm', file);
  return sha(gitIn(path, 'rev-parse', 'HEAD'));
}

describe('loops that no log knows', () => {
  it('are found by their notes: ready, half done, not begun, without a folder; not what landed or was given back', async () => {
    const [ready, dirty, gone, landed, back] = [
      await loop('ready'),
      await loop('dirty'),
      await loop('gone'),
      await loop('landed'),
      await loop('back'),
    ];
    await loop('fresh');
    const readyHead = commitIn(ready, 'ready.txt');
    await pin(view, loopId('ready'), readyHead);
    commitIn(dirty, 'first.txt');
    writeFileSync(join(dirty, 'second.txt'), 'second\n');
    const goneHead = commitIn(gone, 'gone.txt');
    rmSync(gone, { recursive: true });
    scratch.git('update-ref', 'refs/paralph/int/main', commitIn(landed, 'landed.txt'));
    gitIn(back, 'checkout', '-q', '--detach');
    scratch.git('branch', '-qD', 'ralph/back');
    rmSync(repo.stateDir, { recursive: true });
    const found = new Map((await find()).map((one) => [String(one.loop), one]));
    expect([...found.keys()].sort()).toEqual(['dirty', 'fresh', 'gone', 'ready']);
    expect(found.get('ready')).toMatchObject({
      head: readyHead,
      worktree: ready,
      base,
      attempt: 1,
      title: 'Make ready',
    });
    expect(found.get('gone')).toMatchObject({ head: goneHead, worktree: null });
    expect(found.get('fresh')).toMatchObject({ head: base, worktree: null });
    expect(found.get('fresh')?.tree).toBe(found.get('fresh')?.baseTree);
    const head = found.get('dirty')?.head ?? '';
    expect(gitIn(dirty, 'rev-parse', 'HEAD')).toBe(head);
    expect(gitIn(dirty, 'ls-tree', '--name-only', head).split('\n')).toEqual(['README.md', 'first.txt', 'second.txt']);
    expect(gitIn(dirty, 'status', '--porcelain')).toBe('');
  });

  it('their agents are ended first; the agent of another clone, with the same loop, is not', async () => {
    const path = await loop('busy');
    const start = (cwd: string, worktree: string): number =>
      spawn('sh', ['-c', 'echo > written.txt; while :; do sleep 0.05; done'], {
        cwd,
        detached: true,
        stdio: 'ignore',
        env: { ...process.env, RALPH_TOKEN: `tok-${cwd.length}`, RALPH_LOOP_ID: 'busy', RALPH_WORKTREE: worktree },
      }).pid ?? 0;
    const elsewhere = scratchRepo();
    const [ours, theirs] = [start(path, path), start(elsewhere.dir, elsewhere.dir)];
    const alive = (): boolean[] => [ours, theirs].map((pid) => identityOf(pid) !== null);
    try {
      // Younger than the process that looks: another host has begun there.
      expect(await find()).toEqual([]);
      expect(alive()).toEqual([true, true]);
      const later = { ...ownIdentity(), startTime: String(Number(identityOf(ours)?.startTime) + 1) };
      expect(await stopLeftoverAgents(loopId('busy'), path, later)).toBe(true);
      expect(alive()).toEqual([false, true]);
      expect((await find()).map((one) => one.loop)).toEqual(['busy']);
      expect(gitIn(path, 'ls-tree', '--name-only', 'HEAD')).toContain('written.txt');
    } finally {
      process.kill(-theirs, 'SIGKILL');
      elsewhere.remove();
    }
  });

  it('an agent that the log has forgotten is ended where the log is behind, and left alone where it is not', async () => {
    const [behind, even] = [await loop('behind'), await loop('even')];
    const agents = [behind, even].map(
      (path, index) =>
        spawn('sleep', ['60'], {
          cwd: path,
          detached: true,
          stdio: 'ignore',
          env: { ...process.env, RALPH_TOKEN: `tok-${index}`, RALPH_WORKTREE: path },
        }).pid ?? 0,
    );
    const told = (id: string, worktree: string, n: number): [string, unknown] => [
      id,
      {
        id: loopId(id),
        worktree,
        iteration: n - 1,
        phase: { at: 'iterating', n },
        task: taskKey('PRD.md', taskId(id)),
      },
    ];
    const loops = Object.fromEntries([told('behind', behind, 1), told('even', even, 2), told('other', even, 1)]);
    for (const name of ['behind', 'even']) mkdirSync(runFolder(repo, name, 2), { recursive: true });
    const later = { ...ownIdentity(), startTime: String(Number(identityOf(agents[1] ?? 0)?.startTime) + 1) };
    try {
      const state = { ...EMPTY_STATE, loops } as State;
      const facts = await factsFromGit({ repo, view, identity, target: 'main', tracker: 'PRD.md' }, state, later);
      expect(agents.map((pid) => identityOf(pid) !== null)).toEqual([false, true]);
      // Its worktree was given to another since.
      expect(facts).toContainEqual({ type: 'worktree-lost', loop: 'other' });
      expect(facts).toContainEqual({ type: 'loops-found', loops: [] });
    } finally {
      process.kill(-(agents[1] ?? 0), 'SIGKILL');
    }
  });
});
