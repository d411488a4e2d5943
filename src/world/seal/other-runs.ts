import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '../git/repository.ts';
import type { Iteration } from '../world.ts';
import { writtenMs } from './scene.ts';

/** Whether no other agent of ours lived at a moment: then what happened to our files was this one, or a person. */
export function openIsAlone(repo: Repository, { loop, n }: Iteration): (atMs: number) => boolean {
  const runs = join(repo.stateDir, 'runs');
  const mine = join(runs, loop, String(n));
  const lives = foldersIn(runs).flatMap((name) => foldersIn(join(runs, name)).map((one) => join(runs, name, one)));
  return (atMs) => !lives.some((dir) => dir !== mine && livedAt(dir, atMs));
}

function livedAt(dir: string, atMs: number): boolean {
  const from = writtenMs(join(dir, 'start.json')) ?? writtenMs(join(dir, 'token'));
  const to = writtenMs(join(dir, 'exit')) ?? writtenMs(join(dir, 'result.json')) ?? Infinity;
  return from !== null && from <= atMs && atMs <= to;
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
