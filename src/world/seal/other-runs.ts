import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoopId } from '../../core/model/ids.ts';
import { loopId } from '../../core/model/ids.ts';
import type { Repository } from '../git/run/repository.ts';
import { runFolder } from '../git/run/state-places.ts';
import type { Iteration } from '../contract/world.ts';
import { writtenMs } from './scene.ts';

/** Whether no other agent of ours lived at a moment: then what happened to our files was this one, or a person. */
export function openIsAlone(repo: Repository, { loop, n }: Iteration): (atMs: number) => boolean {
  const mine = runFolder(repo, loop, n);
  const lives = runFolders(repo).map(({ dir }) => dir);
  return (atMs) => !lives.some((dir) => dir !== mine && livedAt(dir, atMs));
}

const IN_PLACE = 'in-place';

/** Written into the run folder of an agent that works in the main checkout, where files change because of it. */
export const noteInPlace = (dir: string): void => writeFileSync(join(dir, IN_PLACE), '');

/** Whether another agent of ours worked in the main checkout at a moment. */
export function openIsTaken(repo: Repository, { loop, n }: Iteration): (atMs: number) => boolean {
  const mine = runFolder(repo, loop, n);
  const others = runFolders(repo).filter(({ dir }) => dir !== mine && existsSync(join(dir, IN_PLACE)));
  return (atMs) => others.some(({ dir }) => livedAt(dir, atMs));
}

/** Of every iteration there ever was and that was not cleared away. */
export function runFolders(
  repo: Repository,
): readonly { readonly loop: LoopId; readonly n: number; readonly dir: string }[] {
  const runs = join(repo.stateDir, 'runs');
  return foldersIn(runs).flatMap((loop) =>
    foldersIn(join(runs, loop)).map((n) => ({ loop: loopId(loop), n: Number(n), dir: join(runs, loop, n) })),
  );
}

/** Iterations of other loops that lived at some moment between these two. */
export function runsBeside(
  repo: Repository,
  { loop }: Iteration,
  fromMs: number,
  toMs: number,
): readonly { readonly loop: LoopId; readonly dir: string }[] {
  return runFolders(repo).filter((one) => {
    const [begun, ended] = lifeOf(one.dir);
    return one.loop !== loop && begun !== null && begun <= toMs && ended >= fromMs;
  });
}

function livedAt(dir: string, atMs: number): boolean {
  const [from, to] = lifeOf(dir);
  return from !== null && from <= atMs && atMs <= to;
}

function lifeOf(dir: string): readonly [fromMs: number | null, toMs: number] {
  const from = writtenMs(join(dir, 'start.json')) ?? writtenMs(join(dir, 'token'));
  return [from, writtenMs(join(dir, 'exit')) ?? writtenMs(join(dir, 'result.json')) ?? Infinity];
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
