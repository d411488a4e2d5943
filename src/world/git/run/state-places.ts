import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import { slug } from '../../../core/model/ids.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import type { Repository } from './repository.ts';
import { cannotWrite } from '../../os/errno.ts';

/** Where things are. What must survive lives below the git folder; `.ralph/` is for people and may be deleted. */
export const logFolder = (repo: Repository): string => join(repo.stateDir, 'log');
export const runFolder = (repo: Repository, loop: string, n: number): string =>
  join(repo.stateDir, 'runs', loop, String(n));
export const gateLog = (repo: Repository, name: string): string => join(repo.stateDir, 'runs', `${name}.log`);
export const lockFile = (repo: Repository, name: string): string => join(repo.stateDir, 'locks', name);
export const ralphFolder = (repo: Repository): string => join(repo.root, '.ralph');
export const workerLog = (repo: Repository, slot: number, task: string): string =>
  join(ralphFolder(repo), 'logs', `worker-${slot}-${fileName(task)}.log`);

/** A short name for a checkout that no other one has, safe as a file name. */
export const checkoutKey = (checkout: string): string =>
  createHash('sha256').update(checkout).digest('hex').slice(0, 12);

/** Makes `.ralph/`, which hides itself from git. */
export const ensureRalphFolder = (repo: Repository): void => ensureRalphFolderIn(repo.root);

/** Before anything begins: what is in the way of it is somebody's, and stays. */
export function refuseRalphFile({ root }: Repository): void {
  if (statSync(join(root, '.ralph'), { throwIfNoEntry: false })?.isDirectory() !== false) return;
  throw new AppError('E_STATE_UNWRITABLE', `.ralph in ${root} is a file, and has to be a folder`, {
    remedy: `mv ${shellWord(join(root, '.ralph'))} ${shellWord(join(root, 'ralph-file'))}`,
  });
}

export function ensureRalphFolderIn(checkout: string): void {
  const folder = join(checkout, '.ralph');
  const [hides, logs] = ['.gitignore', 'logs'].map((name) => join(folder, name)) as [string, string];
  try {
    // First what hides the rest: somebody's `git add -A` may come in between.
    mkdirSync(folder, { recursive: true });
    if (!existsSync(hides)) writeFileSync(hides, '*\n');
    mkdirSync(logs, { recursive: true });
  } catch (error) {
    throw cannotWrite(folder, error);
  }
}

/** The id itself where it is a plain file name; else a slug that no other id has. */
function fileName(task: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/.test(task)) return task;
  return `${slug(task)}-${createHash('sha256').update(task).digest('hex').slice(0, 6)}`;
}
