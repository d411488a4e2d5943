import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import type { ProcessIdentity } from '../processes/identity.ts';
import type { EditedTracker } from './publish-edited.ts';
import type { Repository } from '../git/run/repository.ts';
import { replaceFile } from '../os/files.ts';

/** A publish that began to write into the user's checkout. While it exists, files there may be half-way between two commits. */
export interface PublishJournal {
  readonly target: string;
  readonly from: Sha;
  readonly to: Sha;
  readonly worktree: string;
  readonly gitDir: string;
  readonly by: ProcessIdentity;
  /** Task files that keep an edit of their owner's. */
  readonly edited?: readonly EditedTracker[];
}

const fileOf = (repo: Repository): string => join(repo.stateDir, 'publish.json');

export function writeJournal(repo: Repository, journal: PublishJournal): void {
  mkdirSync(repo.stateDir, { recursive: true });
  // It must outlive a power cut that leaves files of the checkout half-written.
  replaceFile(fileOf(repo), JSON.stringify(journal), { isDurable: true });
}

export function removeJournal(repo: Repository): void {
  rmSync(fileOf(repo), { force: true });
}

export function readJournal(repo: Repository): PublishJournal | null {
  let text: string;
  try {
    text = readFileSync(fileOf(repo), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    return JSON.parse(text) as PublishJournal;
  } catch (cause) {
    throw new AppError('E_NEEDS_PERSON', `${fileOf(repo)} notes a publish that was cut short, but cannot be read.`, {
      remedy: `git status; then rm ${shellWord(fileOf(repo))}`,
      cause,
    });
  }
}
