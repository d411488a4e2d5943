import type { Stats } from 'node:fs';
import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LoopId, TaskKey } from '../../core/model/ids.ts';
import { gateSlotOf } from '../gates/gate-worktree.ts';
import { isBelow, realpathLoose } from '../git/files/worktree-admin.ts';
import { readLoopNote } from '../worktrees/loop-notes.ts';
import { errnoOf } from '../os/system-failure.ts';
import { hashPath } from './checkout.ts';
import { blobId, bytesAt } from './holds-only-its-own.ts';
import { runFolders } from './other-runs.ts';
import { namesWritten, writesOutside } from './program.ts';
import { readProgram } from '../agents/run/agent-file.ts';
import { readReflog } from '../git/trace/reflog.ts';
import type { Finding, Scene, ToKeep } from './scene.ts';
import { pathsNamed, readLogs } from './told.ts';

const KEPT_BYTES_MAX = 4 * 1024 * 1024;
/** Further back nobody looks. */
const COMMITS_MAX = 50;

interface Neighbour {
  readonly adminDir: string;
  readonly path: string;
  /** Whose agent works there; null: a person's, or nobody's now. */
  readonly task: TaskKey | null;
  readonly loop: LoopId | null;
}

/**
 * Files in worktrees of others: those of other loops, and those of people. Somebody works there, so only a file counts that
 * this agent's output or text says it wrote there. To look for such words costs no git, however many worktrees there are.
 */
export async function findNeighbours(scene: Scene, dir: string): Promise<readonly Finding[]> {
  const around = neighboursOf(scene);
  if (around.length === 0) return [];
  const text = readProgram(dir);
  const written = namesWritten(text);
  const logs = readLogs(dir);
  const findings: Finding[] = [];
  for (const neighbour of around) {
    const told = pathsNamed(logs, neighbour.path).filter((file) => scene.told([file]));
    const programmed = written
      .map((name) => (name.startsWith('/') ? name : join(neighbour.path, name)))
      .filter((file) => isOfThisTime(scene, neighbour, file) && says(scene, text, neighbour, file));
    for (const file of new Set([...told.filter((one) => isOfThisTime(scene, neighbour, one)), ...programmed])) {
      const name = file.slice(neighbour.path.length + 1);
      if (!(await isGits(scene, neighbour, name))) findings.push(findingOf(scene, neighbour, name));
    }
  }
  return findings;
}

/**
 * Just what a commit holds that HEAD there came to other than by committing: git wrote it when the worktree was made, reset or merged. A
 * commit made there may hold the very thing that somebody else wrote.
 */
async function isGits({ place: { view } }: Scene, { adminDir, path }: Neighbour, name: string): Promise<boolean> {
  const came = readReflog(adminDir, 'HEAD').filter(({ message }) => !message.startsWith('commit'));
  const asked = came.slice(-COMMITS_MAX).map(({ to }) => `${to}:${name}\n`);
  const bytes = bytesAt(join(path, name));
  if (bytes === null || name.includes('\n')) return false;
  const { stdout } = await view.run(['cat-file', '--batch-check=%(objectname)'], { input: asked.join('') });
  return came.some(({ to }) => stdout.split('\n').includes(blobId(bytes, to)));
}

function neighboursOf({ after, before, iteration, place }: Scene): readonly Neighbour[] {
  const own = realpathLoose(iteration.cwd);
  return Object.entries(after.worktrees).flatMap(([adminDir, { path }]) => {
    if (path === null || adminDir === before.own?.adminDir || realpathLoose(path) === own) return [];
    // Whatever lies there was put there by gates, or by ourselves.
    if (isBelow(place.worktreeRoot, path) && gateSlotOf(path) !== null) return [];
    const { task = null, loop = null } = readLoopNote(adminDir) ?? {};
    return [{ adminDir, path, task, loop }];
  });
}

/** All agents are one program: what it has the neighbour's own agent write there, that one wrote, if it was at work. */
function says(scene: Scene, text: string, { path, task }: Neighbour, file: string): boolean {
  const { iteration, fromMs } = scene;
  const isAlone = (): boolean => scene.isAlone(writtenMsOf(file) ?? fromMs);
  if (writesOutside(text, file, (tasks) => tasks?.includes(iteration.task) ?? false))
    return (
      task === null ||
      !writesOutside(text, file, (tasks) => tasks?.some((one) => task.endsWith(`#${one}`)) ?? true) ||
      isAlone()
    );
  // A path that may as well lead into its own worktree, and did.
  const twin = join(iteration.cwd, file.slice(path.length + 1));
  const isOwn = (writtenMsOf(twin) ?? 0) >= fromMs;
  return !isOwn && isAlone() && writesOutside(text, file, (tasks) => tasks === null);
}

const writtenMsOf = (file: string): number | null => statOf(file)?.mtimeMs ?? null;

/** Texts name many things that are no files. */
function statOf(file: string): Stats | null {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  }
}

function isOfThisTime({ fromMs, toMs }: Scene, { path }: Neighbour, file: string): boolean {
  const stat = statOf(file);
  if (stat?.isFile() !== true || stat.mtimeMs < fromMs || stat.mtimeMs > toMs) return false;
  // What leads to the repository is looked at elsewhere, and no file to take out.
  return isBelow(path, file) && file !== join(path, '.git');
}

function findingOf(scene: Scene, neighbour: Neighbour, name: string): Finding {
  const left = hashOf(neighbour, name);
  const keep = contentOf(neighbour, name);
  return {
    did: `wrote ${name} in the worktree ${neighbour.path}`,
    keep,
    restore:
      keep.length === 0 || isSpokenOf(scene, neighbour, name) ? null : () => takeOut(scene, neighbour, name, left),
  };
}

/** What the agent there speaks of as well may by now be its own work. */
function isSpokenOf({ place }: Scene, { loop }: Neighbour, name: string): boolean {
  const base = name.slice(name.lastIndexOf('/') + 1);
  const theirs = loop === null ? [] : runFolders(place.repo).filter((one) => one.loop === loop);
  return theirs.some(({ dir }) => readLogs(dir).some((log) => log.includes(base)));
}

const hashOf = ({ path }: Neighbour, name: string): string => hashPath(path, Buffer.from(name).toString('latin1'));

function contentOf({ path }: Neighbour, name: string): readonly ToKeep[] {
  const bytes = bytesAt(join(path, name));
  if (bytes === null || bytes.length > KEPT_BYTES_MAX) return [];
  return [{ path: `worktree/${name}`, bytes, isExecutable: false }];
}

/** A file that git does not know there goes, for it is kept. One that it knows may hold work of its owner's: that is left. */
async function takeOut({ place }: Scene, neighbour: Neighbour, name: string, left: string): Promise<string | null> {
  const { path, adminDir } = neighbour;
  const args = ['ls-files', '-z', '--', `:(literal)${name}`];
  const env = { GIT_INDEX_FILE: join(adminDir, 'index') };
  const { stdout } = await place.view.run(args, { workTree: path, env });
  if (stdout !== '' || hashOf(neighbour, name) !== left) return null;
  rmSync(join(path, name), { force: true });
  return `${name} taken out of the worktree ${path}`;
}
