import { cpSync, lstatSync, renameSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { adminDirOf, realpathLoose } from '../git/files/worktree-admin.ts';
import { textIfThere } from '../os/read-if-there.ts';
import { isDuring, mayHaveWorked, isDuringSecond } from '../git/trace/git-trace.ts';
import type { GitCommand } from '../git/trace/git-trace.ts';
import { writtenMs, short } from './scene.ts';
import { moveRef } from '../git/refs/refs.ts';
import { movesHead } from '../git/trace/ref-commands.ts';
import { readReflog } from '../git/trace/reflog.ts';
import type { Finding, Scene } from './scene.ts';
import type { ReflogEntry } from '../git/trace/reflog.ts';

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
      `the .git file of its worktree${stat === undefined ? '' : `; the earlier one is in ${aside}`}`,
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

const WHY = 'paralph: a hook took the repository for one of its own';

/**
 * Commits that a hook made on the loop's branch from another folder: git tells hooks where the repository is, so tests that make
 * one of their own commit to this one. Only what is on top, and what nobody else can have made, goes.
 */
export function findFixtures(scene: Scene): readonly Finding[] {
  const { place, branch } = scene;
  const ref = `refs/heads/${branch}`;
  const tip = scene.after.refs[ref];
  const fixtures = onTop(scene);
  const [first] = fixtures;
  if (first === undefined || tip === undefined) return [];
  const did = `a hook committed ${fixtures.map(({ to }) => short(to)).join(', ')} to the branch ${branch} from another folder`;
  const restore = async (): Promise<string | null> =>
    (await moveRef(place.view, ref, first.from, tip, WHY)).moved
      ? `the branch ${branch} at ${short(first.from)}`
      : null;
  return [{ did, keep: [{ commit: tip }], restore, isHooks: true }];
}

/** Whether every such commit is found: below others, or under another date, it would stay on the branch. */
export const areFixturesFound = (scene: Scene): boolean =>
  scene.trace.filter((one) => isElsewhere(scene, one)).length === onTop(scene).length;

function onTop(scene: Scene): readonly ReflogEntry[] {
  const ref = `refs/heads/${scene.branch}`;
  const entries = readReflog(scene.place.repo.commonDir, ref);
  const fixtures = entries.slice(entries.findLastIndex((entry) => !isFixture(scene, entry)) + 1);
  // In a person's checkout their own hooks run as well, and its commits are settled elsewhere.
  return scene.iteration.inPlace !== true && fixtures.at(-1)?.to === scene.after.refs[ref] ? fixtures : [];
}

/** In that second a commit from elsewhere ran in a hook, and nothing else of the agent's that moves a branch. */
function isFixture(scene: Scene, { atSeconds, message }: ReflogEntry): boolean {
  if (!message.startsWith('commit')) return false;
  const able = scene.trace.filter((one) => movesHead(one) && mayHaveWorked(one) && isDuringSecond(one, atSeconds));
  return able.length > 0 && able.every((one) => isElsewhere(scene, one));
}

function isElsewhere({ iteration }: Scene, command: GitCommand): boolean {
  const { name, isInHook, worktree } = command;
  if (name !== 'commit' || !isInHook || worktree === null || !mayHaveWorked(command)) return false;
  return realpathLoose(worktree) !== realpathLoose(iteration.cwd);
}
