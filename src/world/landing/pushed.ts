import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Sha } from '../../core/model/ids.ts';
import { sha } from '../../core/model/ids.ts';
import { replaceFile } from '../os/files.ts';
import type { Repository } from '../git/run/repository.ts';
import { textIfThere } from '../os/read-if-there.ts';

/** Where a branch of ours was pushed to, and as what. */
export interface Pushed {
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
