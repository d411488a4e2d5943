import { cpSync, lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { existsSync } from 'node:fs';
import { adminDirOf, realpathLoose } from '../git/files/worktree-admin.ts';
import { textIfThere } from '../os/read-if-there.ts';
import { isDuring, mayHaveWorked } from '../git/trace/git-trace.ts';
import type { GitCommand } from '../git/trace/git-trace.ts';
import { writtenMs } from './scene.ts';
import type { Finding, Scene } from './scene.ts';

/** Worktrees of others that the agent took away. Their commits are safe on their branches; nothing can bring the files back. */
export function findRemovedWorktrees(scene: Scene): readonly Finding[] {
  const { before, after } = scene;
  const gone = Object.entries(before.worktrees).filter(
    ([dir]) => dir !== before.own?.adminDir && after.worktrees[dir] === undefined,
  );
  return gone.flatMap(([dir, { path }]) => {
    if (!scene.trace.some((command) => removes(scene, command, path ?? basename(dir)))) return [];
    return [{ did: `removed the worktree ${path ?? basename(dir)}`, keep: [], restore: null }];
  });
}

function removes(scene: Scene, command: GitCommand, path: string): boolean {
  if (command.name !== 'worktree' || !mayHaveWorked(command)) return false;
  const [verb, ...args] = command.args;
  if (verb === 'prune') {
    const atMs = writtenMs(join(scene.place.repo.commonDir, 'worktrees'));
    return atMs === null || isDuring(command, atMs);
  }
  if (verb !== 'remove') return false;
  const from = command.worktree ?? scene.iteration.cwd;
  return args.some((arg) => realpathLoose(resolve(from, arg)) === realpathLoose(path) || arg === basename(path));
}

/** The file that leads from the agent's own worktree to the repository. What stands in its place is not followed. */
export function findPointer(scene: Scene, dir: string): readonly Finding[] {
  const { own } = scene.before;
  const dotGit = join(scene.iteration.cwd, '.git');
  if (own === null || !existsSync(own.adminDir) || !existsSync(scene.iteration.cwd)) return [];
  // Its folder was away and the loop has another one since: the file there is not the one this iteration began with.
  if (adminDirOf(scene.place.repo, scene.iteration.cwd) !== own.adminDir) return [];
  const stat = lstatSync(dotGit, { throwIfNoEntry: false });
  if (stat?.isFile() === true && textIfThere(dotGit) === own.pointer) return [];
  const now =
    stat === undefined
      ? 'nothing'
      : stat.isDirectory()
        ? 'a folder'
        : stat.isSymbolicLink()
          ? 'a link'
          : 'another file';
  const restore = (): Promise<string | null> => {
    const aside = join(dir, 'replaced-git');
    if (stat !== undefined) moveAside(dotGit, aside);
    writeFileSync(dotGit, own.pointer, { flag: 'wx' });
    return Promise.resolve(
      `the .git file of its worktree${stat === undefined ? '' : `, what stood there lies in ${aside}`}`,
    );
  };
  return [{ did: `put ${now} in the place of its worktree's .git file`, keep: [], restore }];
}

/** Never through a link, also from one filesystem to another. */
function moveAside(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  try {
    renameSync(from, to);
  } catch {
    cpSync(from, to, { recursive: true, dereference: false, verbatimSymlinks: true });
    rmSync(from, { recursive: true, force: true });
  }
}
