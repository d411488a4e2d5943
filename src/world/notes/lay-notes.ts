import { lstatSync, mkdirSync, readdirSync, rmSync, rmdirSync, writeFileSync, copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createHash } from 'node:crypto';
import { isLoopPage, loopPage, addedToPage } from '../../text/memory/loop-page.ts';
import { MEMORIES_PAGE, NOTE_FOLDERS } from '../../text/notes.ts';
import { makePrivateFolder, readJsonFile, writePrivately, readPlainFile } from '../os/files.ts';
import { mayTrackBelow } from '../git/run/nested-programs.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { openMemories, appendLines } from '../prompts/memories.ts';
import { errnoOf } from '../os/system-failure.ts';
import { cleanMemory } from '../../text/memories.ts';
import { onceLine } from '../../text/memory/lines.ts';
import { readTree } from '../git/objects/trees.ts';
import type { Repository } from '../git/run/repository.ts';
import type { Iteration } from '../contract/world.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { GitView } from '../git/run/view.ts';

const HIDES = '*\n';
const PAGE_BYTES_MAX = 1024 * 1024;
/** In the run folder. */
const LAID = 'laid-notes.json';

/** What of ours stands where an agent works. */
interface Laid {
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
const readLaid = (dir: string): Laid | null => readJsonFile(join(dir, LAID)) as Laid | null;

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
function takeAwayLaid({ cwd }: Iteration, { page, hidden }: Laid, dir: string): void {
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

/** Beside the transcript. */
const NOTES = 'notes';
const FILES_MAX = 200;
const BYTES_MAX = 4 * 1024 * 1024;
const DEPTH_MAX = 8;

/** After an agent has ended: what it wrote below the memories becomes memories, and its notes are kept with its transcript. */
export function takeNotes(repo: Repository, iteration: Iteration, dir: string): void {
  const laid = readLaid(dir);
  if (laid?.page === true) takeMemories(repo, iteration);
  try {
    copyNotes(iteration, join(dir, NOTES));
    if (laid !== null) takeAwayLaid(iteration, laid, dir);
  } catch (error) {
    if (errnoOf(error) === null) throw error;
  }
}

/** Done twice, by a host that died and by the next one, it is done once. */
function takeMemories(repo: Repository, { loop, n, cwd }: Iteration): void {
  if (lstatSync(join(cwd, dirname(MEMORIES_PAGE)), { throwIfNoEntry: false })?.isDirectory() !== true) return;
  const page = readPlainFile(join(cwd, MEMORIES_PAGE), PAGE_BYTES_MAX) ?? '';
  const at = Date.now();
  const added = addedToPage(page).map((text) =>
    cleanMemory({ id: idOf(`${loop} ${n}`, text), at, by: loop, text, tags: [] }),
  );
  appendLines(repo, added.map(onceLine));
}

/** The same text from the same iteration is the same memory. */
const idOf = (from: string, text: string): string =>
  `m${createHash('sha256').update(`${from}\n${text}`).digest('hex').slice(0, 12)}`;

/** Plain files only, some of them where there are many. In a person's checkout `.ralph` is ours and theirs. */
function copyNotes({ cwd, inPlace }: Iteration, to: string): void {
  const left = { files: FILES_MAX, bytes: BYTES_MAX };
  const copy = (name: string, depth: number): void => {
    const from = join(cwd, name);
    const stat = lstatSync(from, { throwIfNoEntry: false });
    if (stat?.isDirectory() === true && depth < DEPTH_MAX)
      for (const one of readdirSync(from)) copy(join(name, one), depth + 1);
    if (stat?.isFile() !== true || left.files === 0 || stat.size > left.bytes || isOurs(cwd, name)) return;
    left.files -= 1;
    left.bytes -= stat.size;
    mkdirSync(dirname(join(to, name)), { recursive: true, mode: 0o700 });
    copyFileSync(from, join(to, name));
  };
  for (const name of NOTE_FOLDERS) if (inPlace !== true || name !== '.ralph') copy(name, 0);
}

function isOurs(cwd: string, name: string): boolean {
  if (name.endsWith('.gitignore')) return true;
  return name === MEMORIES_PAGE && isLoopPage(readPlainFile(join(cwd, name), PAGE_BYTES_MAX) ?? '');
}

/** Notes of an agent that a tree holds and the one that its loop began from did not; names are bytes as latin1 characters. */
export async function strayNotes(view: GitView, tree: Sha, base: Sha): Promise<readonly string[]> {
  const here = await foldersOf(view, tree);
  if (here.size === 0) return [];
  const before = await foldersOf(view, base);
  const changed = [...here].filter(([name, id]) => before.get(name) !== id).map(([name]) => name);
  if (changed.length === 0) return [];
  const known = new Set(await namesIn(view, base, changed));
  return (await namesIn(view, tree, changed)).filter((name) => !known.has(name));
}

async function foldersOf(view: GitView, tree: Sha): Promise<ReadonlyMap<string, string>> {
  const names: ReadonlySet<string> = new Set(NOTE_FOLDERS);
  const entries = await readTree(view, tree);
  return new Map(entries.filter(({ name }) => names.has(name)).map(({ name, id }) => [name, id]));
}

async function namesIn(view: GitView, tree: Sha, folders: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await view.bytes(['ls-tree', '-r', '-z', '--name-only', tree, '--', ...folders]);
  return stdout
    .toString('latin1')
    .split('\0')
    .filter((name) => name !== '');
}
