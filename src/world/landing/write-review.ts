import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { replaceFile } from '../os/files.ts';
import type { Repository } from '../git/run/repository.ts';
import { ensureRalphFolder, ralphFolder } from '../git/run/state-places.ts';

/** Writes the summary of a loop for its reviewer. Where somebody put a link in its way, nothing is written through it. */
export function writeReview(repo: Repository, loop: string, text: string): string {
  ensureRalphFolder(repo);
  const folder = join(ralphFolder(repo), 'reviews');
  mkdirSync(folder, { recursive: true });
  for (const path of [ralphFolder(repo), folder])
    if (!lstatSync(path).isDirectory())
      throw new AppError('E_NEEDS_PERSON', `${path} is not a plain folder, so nothing is written there`, {
        remedy: `ls -ld ${shellWord(path)}`,
      });
  const file = join(folder, `${loop}.md`);
  replaceFile(file, text, { mode: 0o666 });
  return file;
}
