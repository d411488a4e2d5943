import { lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '../git/run/repository.ts';
import { realpathLoose } from '../git/files/worktree-admin.ts';
import { errnoOf } from '../os/system-failure.ts';
import { ensureRalphFolder, ralphFolder } from '../git/run/state-places.ts';

/**
 * `.ralph/loops/<loop>` leads to the loop's worktree, so that a person finds it by name. A convenience: nothing of ours ever goes
 * that way, what is no link there is somebody's and stays, and nothing fails for want of one.
 */
const linkFolder = (repo: Repository): string => join(ralphFolder(repo), 'loops');

/** A worktree serves one loop after the other: it has one name at a time. */
export function linkLoop(repo: Repository, loop: string, path: string): void {
  quietly(() => {
    ensureRalphFolder(repo);
    mkdirSync(linkFolder(repo), { recursive: true });
    unlinkWorktree(repo, path);
    if (isOurFolder(repo)) symlinkSync(realpathLoose(path), join(linkFolder(repo), loop));
  });
}

/** Its worktree goes, or serves no loop any more. */
export function unlinkWorktree(repo: Repository, path: string): void {
  quietly(() => {
    if (!isOurFolder(repo)) return;
    const target = realpathLoose(path);
    for (const { name } of readdirSync(linkFolder(repo), { withFileTypes: true }).filter((one) => one.isSymbolicLink()))
      if (readlinkSync(join(linkFolder(repo), name)) === target) rmSync(join(linkFolder(repo), name), { force: true });
  });
}

/** A link in its place leads to what is not ours. */
const isOurFolder = (repo: Repository): boolean =>
  lstatSync(linkFolder(repo), { throwIfNoEntry: false })?.isDirectory() === true;

function quietly(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (errnoOf(error) === null) throw error;
  }
}
