import { HARDENED, runGitBytes } from '../git/run/run-git.ts';
import type { Side } from '../git/objects/raw-changes.ts';
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
    throw new AppError('E_NEEDS_PERSON', `${fileOf(repo)} notes a publish that was cut short, but cannot be read`, {
      remedy: `git status; then rm ${shellWord(fileOf(repo))}`,
      cause,
    });
  }
}

/**
 * The one command that writes into the user's checkout. Options that `branch.<name>.mergeOptions` could have set are set back; an
 * ignored file that the new commit tracks must stop it, not be overwritten.
 */
export function mergeCommand(to: Sha): readonly string[] {
  return [
    'merge',
    '--ff-only',
    '--no-squash',
    '--commit',
    '--no-overwrite-ignore',
    '--no-autostash',
    '--no-stat',
    '-q',
    to,
  ];
}

/** What the index of a checkout holds, of these paths or of all. Paths are bytes as latin1 characters, like those of changes. */
export async function readIndex(worktree: string, paths: readonly string[] = []): Promise<ReadonlyMap<string, Side>> {
  const only = paths.map((path) => Buffer.from(path, 'latin1').toString('utf8'));
  const args = ['--literal-pathspecs', 'ls-files', '--stage', '-z', '--', ...only];
  const { stdout } = await runGitBytes([...HARDENED, ...args], { cwd: worktree });
  const entries = new Map<string, Side>();
  for (const line of stdout.toString('latin1').split('\0')) {
    const [, mode, id, stage, path] = /^(\d+) ([0-9a-f]+) (\d)\t(.*)$/s.exec(line) ?? [];
    if (mode === undefined || id === undefined || path === undefined) continue;
    entries.set(path, stage === '0' ? { mode, id } : { mode: 'conflict', id });
  }
  return entries;
}
