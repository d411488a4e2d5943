import { lstatSync, mkdirSync, readdirSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLoopPage, loopPage } from '../../text/memory/loop-page.ts';
import { MEMORIES_PAGE, NOTE_FOLDERS } from '../../text/notes.ts';
import { makePrivateFolder, writePrivately } from '../agent-run/agent-file.ts';
import type { Repository } from '../git/repository.ts';
import { HARDENED, runGit } from '../git/run-git.ts';
import { openMemories } from '../memories.ts';
import { readPlainFile } from '../memory/read-plain-file.ts';
import { errnoOf } from '../processes/system-failure.ts';
import type { Iteration } from '../world.ts';

const HIDES = '*\n';
export const PAGE_BYTES_MAX = 1024 * 1024;
/** In the run folder: the page was laid for this iteration. */
export const LAID = 'memories-page';

/** Before an agent starts: its folders for notes hide themselves from git, and the shared memories are there to be read. */
export async function layNotes(repo: Repository, iteration: Iteration, dir: string): Promise<void> {
  try {
    makePrivateFolder(dir);
    for (const folder of NOTE_FOLDERS) hideFolder(iteration, folder);
    const file = join(iteration.cwd, MEMORIES_PAGE);
    if (!(await mayWrite(iteration, file))) return;
    // Whole in one write: a page that is torn off is made anew for the next iteration.
    rmSync(file, { force: true });
    writeFileSync(file, loopPage(openMemories(repo).list()), { flag: 'wx' });
    writePrivately(join(dir, LAID), '');
  } catch (error) {
    // Without them the agent works all the same, and what it commits of its notes is taken out afterwards.
    if (errnoOf(error) === null) throw error;
  }
}

/** A folder that a person has in their own checkout stays as it is; so does one that leads elsewhere. */
function hideFolder({ cwd, inPlace }: Iteration, name: string): void {
  const folder = join(cwd, name);
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (stat !== undefined && (inPlace === true || !stat.isDirectory())) return;
  // In a person's checkout `.ralph` is made by whoever locks it.
  if (inPlace === true && name === '.ralph') return;
  mkdirSync(folder, { recursive: true });
  const hides = join(folder, '.gitignore');
  if (lstatSync(hides, { throwIfNoEntry: false }) === undefined) writeFileSync(hides, HIDES, { flag: 'wx' });
}

/** What git knows is a file like any other, and what a person has there is theirs. */
async function mayWrite({ cwd, inPlace }: Iteration, file: string): Promise<boolean> {
  if (lstatSync(join(file, '..'), { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isFile()) return inPlace !== true && !stat.isDirectory();
  if (stat !== undefined && isLoopPage(readPlainFile(file, PAGE_BYTES_MAX) ?? '')) return true;
  if (stat !== undefined && inPlace === true) return false;
  const { stdout } = await runGit([...HARDENED, 'ls-files', '--', MEMORIES_PAGE], { cwd });
  return stdout === '';
}

/** A person's checkout has no page of ours when nobody works there; what the agent noted stays, hidden as before. */
export function takeAwayPage({ cwd }: Iteration): void {
  const folder = join(cwd, '.agent');
  rmSync(join(cwd, MEMORIES_PAGE), { force: true });
  const hides = join(folder, '.gitignore');
  if (readdirSync(folder).join() === '.gitignore' && readPlainFile(hides, HIDES.length) === HIDES) rmSync(hides);
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

/** A worktree that another loop had: nothing of what that one noted is there any more. */
export async function clearNotes(path: string): Promise<void> {
  const there = NOTE_FOLDERS.filter((name) => lstatSync(join(path, name), { throwIfNoEntry: false }) !== undefined);
  if (there.length > 0) await runGit([...HARDENED, 'clean', '-ffdxq', '--', ...there], { cwd: path });
}
