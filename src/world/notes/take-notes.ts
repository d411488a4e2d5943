import { createHash } from 'node:crypto';
import { copyFileSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cleanMemory } from '../../text/memories.ts';
import { addedToPage, isLoopPage } from '../../text/memory/loop-page.ts';
import { onceLine } from '../../text/memory/lines.ts';
import { MEMORIES_PAGE, NOTE_FOLDERS } from '../../text/notes.ts';
import type { Repository } from '../git/run/repository.ts';
import { appendLines } from '../prompts/memory/memory-file.ts';
import { readPlainFile } from '../os/files.ts';
import { errnoOf } from '../os/system-failure.ts';
import type { Iteration } from '../contract/world.ts';
import { PAGE_BYTES_MAX, readLaid, takeAwayLaid } from './lay-notes.ts';

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
