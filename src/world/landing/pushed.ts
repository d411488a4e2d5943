import { createHash } from 'node:crypto';
import { mkdirSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Sha } from '../../core/model/ids.ts';
import { sha } from '../../core/model/ids.ts';
import { replaceFile } from '../os/files.ts';
import type { Repository } from '../git/run/repository.ts';
import { textIfThere } from '../os/read-if-there.ts';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { ensureRalphFolder, ralphFolder } from '../git/run/state-places.ts';

/** Where a branch of ours was pushed to, and as what. */
interface Pushed {
  readonly remote: string;
  readonly branch: string;
  readonly commit: Sha;
}

const fileOf = (repo: Repository, branch: string): string =>
  join(repo.stateDir, 'pushed', createHash('sha256').update(branch).digest('hex').slice(0, 32));

/** Null: it was never pushed from here, or nobody knows any more; then nothing there is ours to move. */
export function readPushed(repo: Repository, branch: string): Pushed | null {
  const [remote, theirs, commit = ''] = textIfThere(fileOf(repo, branch)).split('\n');
  if (remote === undefined || theirs === undefined || !/^[0-9a-f]{40,64}$/.test(commit)) return null;
  return { remote, branch: theirs, commit: sha(commit) };
}

export function notePushed(repo: Repository, branch: string, pushed: Pushed): void {
  const file = fileOf(repo, branch);
  mkdirSync(join(repo.stateDir, 'pushed'), { recursive: true });
  replaceFile(file, `${pushed.remote}\n${pushed.branch}\n${pushed.commit}\n`);
}

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
