import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/errors.ts';
import { shellWord } from '../../core/remedy.ts';
import type { Launch } from '../../text/start/launch-script.ts';
import { launchScript } from '../../text/start/launch-script.ts';

/** The folder of a worktree that git does not see. */
const FOLDER = '.ralph';
const PROMPT = 'start-prompt.md';

/** Writes `start-<agent>.sh` into a worktree; returns its path. */
export function writeLaunchScript(worktree: string, agent: string, launch: Omit<Launch, 'up'>): string {
  const name = `start-${agent.replaceAll(/[^\w.-]+/g, '-')}.sh`;
  return writeFile(worktree, name, launchScript({ ...launch, up: '..' }), 0o755);
}

/** Writes the prompt a launch script's loop is given, byte for byte; returns its path. */
export function writeStartPrompt(worktree: string, prompt: string): string {
  return writeFile(worktree, PROMPT, prompt, 0o644);
}

/** All or nothing, and never through a link: what a repository brings along may lead anywhere. */
function writeFile(worktree: string, name: string, text: string, mode: number): string {
  const folder = ownFolder(worktree);
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
