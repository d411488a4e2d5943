import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { loopId, taskId } from '../../../src/core/model/ids.ts';
import type { Breach } from '../../../src/core/model/model.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import type { Repository } from '../../../src/world/git/run/repository.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import { openSeal } from '../../../src/world/seal/seal.ts';
import { traceVariables } from '../../../src/world/git/trace/trace-place.ts';
import { ensureRalphFolder, runFolder } from '../../../src/world/git/run/state-places.ts';
import type { Iteration, Seal } from '../../../src/world/contract/world.ts';
import { gitIn, plainEnvironment, scratchRepo } from '../scratch.ts';
import type { ScratchRepo } from '../scratch.ts';

export interface SealScene extends ScratchRepo {
  readonly repo: Repository;
  readonly seal: Seal;
  readonly own: string;
  readonly sibling: string;
  /** The folder that all worktrees share. */
  readonly common: string;
  gitOwn(...args: string[]): string;
  /** An iteration whose agent runs this script; `first` and `meanwhile` are what the user does before that and before it is over. */
  iterate(
    script: string,
    meanwhile?: () => void | Promise<void>,
    first?: () => void | Promise<void>,
  ): Promise<Breach | null>;
  /** The iteration under way or the last one. */
  iteration(): Iteration;
}

export const IDENTITY = { name: 'Ada Test', email: 'ada@example.test' };

/** A checkout on main, the worktree of one loop, and that of another which has a commit of its own. */
export async function sealScene(): Promise<SealScene> {
  const scratch = scratchRepo({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n', '.gitignore': '.ralph/\n' } });
  onTestFinished(() => scratch.remove());
  const root = join(scratch.dir, '.ralph/worktrees');
  const own = join(root, 'wt-1');
  const sibling = join(root, 'wt-2');
  scratch.git('worktree', 'add', '-q', '--no-track', '-b', 'ralph/one', own);
  scratch.git('worktree', 'add', '-q', '--no-track', '--lock', '-b', 'ralph/two', sibling);
  writeFileSync(join(sibling, 'two.txt'), 'two\n');
  gitIn(sibling, 'add', '-A');
  gitIn(sibling, 'commit', '-q', '-m', 'two');
  const repo = findRepository(scratch.dir);
  ensureRalphFolder(repo);
  const seal = openSeal({
    repo,
    view: await openView(repo),
    identity: IDENTITY,
    ignored: [],
    made: [],
    worktreeRoot: root,
  });
  let n = 0;
  const iteration = (): Iteration => ({ loop: loopId('one-x'), task: taskId('one'), n, slot: 1, cwd: own });
  const iterate: SealScene['iterate'] = async (script, meanwhile, first) => {
    n += 1;
    await seal.take(iteration(), 'ralph/one');
    await first?.();
    if (first !== undefined) await passFileClock(scratch.dir, APART_MS);
    play(repo, iteration(), script);
    if (meanwhile !== undefined) await passFileClock(scratch.dir, APART_MS);
    await meanwhile?.();
    return seal.check(iteration(), 'ralph/one');
  };
  return {
    ...scratch,
    repo,
    seal,
    own,
    sibling,
    common: repo.commonDir,
    gitOwn: (...args) => gitIn(own, ...args),
    iterate,
    iteration,
  };
}

/** Further than one write to a file takes. */
const APART_MS = 50;

/** File times lag behind the clock by up to a tick: what the user does next must not seem to be of the agent's last moment. */
async function passFileClock(dir: string, byMs: number): Promise<void> {
  const probe = join(dir, '..', 'clock');
  const nowMs = Date.now();
  do {
    await setImmediate();
    writeFileSync(probe, '');
  } while (statSync(probe).mtimeMs <= nowMs + byMs);
  rmSync(probe);
}

/** Runs a script as the agent of an iteration, and leaves what a run folder holds of it. */
export function play(repo: Repository, iteration: Iteration, script: string): void {
  const dir = runFolder(repo, iteration.loop, iteration.n);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'start.json'), '{}');
  const env = { ...plainEnvironment(), ...traceVariables(iteration), MAIN: repo.root };
  const { status, stdout, stderr } = spawnSync('sh', ['-c', `set -e\n${script}`], {
    cwd: iteration.cwd,
    env,
    encoding: 'utf8',
  });
  appendFileSync(join(dir, 'stdout.log'), stdout);
  appendFileSync(join(dir, 'stderr.log'), stderr);
  writeFileSync(join(dir, 'exit'), `${status}\n`);
  if (status !== 0) throw new Error(`the agent of this test failed: ${stderr}`);
}
