import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import type { Launch } from '../../text/start/launch-script.ts';
import { launchScript, WRITTEN_BY } from '../../text/start/launch-script.ts';
import { hideFromGit } from '../git/files/ignore-files.ts';

/** The folder of a worktree that git does not see. */
const FOLDER = '.ralph';
const PROMPT = 'start-prompt.md';
/** Where the text it was started with lies, relative to a worktree. */
export const START_PROMPT = `${FOLDER}/${PROMPT}`;
const OURS_BYTES_MAX = 1024 * 1024;

/**
 * Writes `start-<agent>.sh` at the top of a worktree, where people look for it; returns its path. Where something else has that
 * name, or git would see it, it goes into the folder git does not see.
 */
export function writeLaunchScript(worktree: string, agent: string, launch: Omit<Launch, 'up' | 'worktree'>): string {
  const name = `start-${agent.replaceAll(/[^\w.-]+/g, '-')}.sh`;
  if (!isFreeOrOurs(join(worktree, name)) || !hideFromGit(worktree, name))
    return writeFile(ownFolder(worktree), name, launchScript({ ...launch, worktree, up: '..' }), 0o755);
  return writeFile(worktree, name, launchScript({ ...launch, worktree, up: '.' }), 0o755);
}

function isFreeOrOurs(file: string): boolean {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return true;
  return stat.isFile() && stat.size < OURS_BYTES_MAX && readFileSync(file, 'utf8').includes(WRITTEN_BY);
}

/** Writes the prompt a launch script's loop is given, byte for byte; returns its path. */
export function writeStartPrompt(worktree: string, prompt: string): string {
  return writeFile(ownFolder(worktree), PROMPT, prompt, 0o644);
}

/** All or nothing, and never through a link: what a repository brings along may lead anywhere. */
function writeFile(folder: string, name: string, text: string, mode: number): string {
  const file = join(folder, name);
  const temporary = join(folder, `.${name}.${randomBytes(6).toString('hex')}`);
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode });
    // The mask of the user would take the right to run it.
    chmodSync(temporary, mode);
    renameSync(temporary, file);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw unwritable(file, cause);
  }
  return file;
}

function ownFolder(worktree: string): string {
  const folder = join(worktree, FOLDER);
  try {
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) mkdirSync(folder);
  } catch (cause) {
    throw unwritable(folder, cause);
  }
  if (!lstatSync(folder).isDirectory())
    throw new AppError('E_NEEDS_PERSON', `${folder} is a link or a file, so nothing is written there`, {
      remedy: `ls -ld ${shellWord(folder)}`,
    });
  hide(folder);
  return folder;
}

function hide(folder: string): void {
  try {
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(folder, cause);
  }
}

function unwritable(path: string, cause: unknown): AppError {
  const { code = String(cause) } = cause as NodeJS.ErrnoException;
  return new AppError('E_STATE_UNWRITABLE', `${path} cannot be written: ${code}`, {
    cause,
    remedy: `ls -ld ${shellWord(path)}`,
  });
}
