import { lstatSync, mkdirSync, readdirSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isLoopPage, loopPage } from '../../text/memory/loop-page.ts';
import { MEMORIES_PAGE, NOTE_FOLDERS } from '../../text/notes.ts';
import { makePrivateFolder, readJsonFile, writePrivately, readPlainFile } from '../os/files.ts';
import { mayTrackBelow } from '../git/run/nested-programs.ts';
import type { Repository } from '../git/run/repository.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { openMemories } from '../prompts/memories.ts';
import { errnoOf } from '../os/system-failure.ts';
import type { Iteration } from '../contract/world.ts';

const HIDES = '*\n';
export const PAGE_BYTES_MAX = 1024 * 1024;
/** In the run folder. */
const LAID = 'laid-notes.json';

/** What of ours stands where an agent works. */
export interface Laid {
  /** The page of memories. */
  readonly page: boolean;
  /** Folders that we made hide themselves. */
  readonly hidden: readonly string[];
}

/** Before an agent starts: its folders for notes hide themselves from git, and the shared memories are there to be read. */
export async function layNotes(repo: Repository, iteration: Iteration, dir: string): Promise<void> {
  try {
    makePrivateFolder(dir);
    const hidden = NOTE_FOLDERS.filter((folder) => hideFolder(iteration, folder));
    const file = join(iteration.cwd, MEMORIES_PAGE);
    const page = await mayWrite(iteration, file);
    writePrivately(join(dir, LAID), JSON.stringify({ page, hidden } satisfies Laid));
    if (!page) return;
    rmSync(file, { force: true });
    writeFileSync(file, loopPage(openMemories(repo).list()), { flag: 'wx' });
  } catch (error) {
    // Without them the agent works all the same, and what it commits of its notes is taken out afterwards.
    if (errnoOf(error) === null) throw error;
  }
}

/** Null: nothing is, or it was taken away already. */
export const readLaid = (dir: string): Laid | null => readJsonFile(join(dir, LAID)) as Laid | null;

/** A folder that a person has in their own checkout stays as it is; so does one that leads elsewhere. */
function hideFolder({ cwd, inPlace }: Iteration, name: string): boolean {
  const folder = join(cwd, name);
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (stat !== undefined && (inPlace === true || !stat.isDirectory())) return false;
  // In a person's checkout `.ralph` is made by whoever locks it.
  if (inPlace === true && name === '.ralph') return false;
  mkdirSync(folder, { recursive: true });
  const hides = join(folder, '.gitignore');
  if (lstatSync(hides, { throwIfNoEntry: false }) !== undefined) return false;
  writeFileSync(hides, HIDES, { flag: 'wx' });
  return true;
}

/** What git knows is a file like any other, and what a person has there is theirs. */
async function mayWrite({ cwd, inPlace }: Iteration, file: string): Promise<boolean> {
  if (lstatSync(join(file, '..'), { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isFile()) return inPlace !== true && !stat.isDirectory();
  if (stat !== undefined && isLoopPage(readPlainFile(file, PAGE_BYTES_MAX) ?? '')) return true;
  if (stat !== undefined && inPlace === true) return false;
  if (!mayTrackBelow(cwd, dirname(MEMORIES_PAGE))) return true;
  const { stdout } = await runGit([...HARDENED, 'ls-files', '--', MEMORIES_PAGE], { cwd });
  return stdout === '';
}

/** When nobody works there, nothing of ours is left; what the agent noted stays, hidden as before. */
export function takeAwayLaid({ cwd }: Iteration, { page, hidden }: Laid, dir: string): void {
  if (page) rmSync(join(cwd, MEMORIES_PAGE), { force: true });
  for (const name of hidden) takeAwayEmpty(join(cwd, name));
  rmSync(join(dir, LAID), { force: true });
}

function takeAwayEmpty(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  const hides = join(folder, '.gitignore');
  if (readdirSync(folder).join() !== '.gitignore' || readPlainFile(hides, HIDES.length) !== HIDES) return;
  rmSync(hides);
  rmdirSync(folder);
}

/** A worktree that another loop had: nothing of what that one noted is there any more. */
export async function clearNotes(path: string): Promise<void> {
  const there = NOTE_FOLDERS.filter((name) => lstatSync(join(path, name), { throwIfNoEntry: false }) !== undefined);
  if (there.length > 0) await runGit([...HARDENED, 'clean', '-ffdxq', '--', ...there], { cwd: path });
}
