import type { Sha } from '../../../core/model/ids.ts';
import { readRefFile } from './ref-files.ts';
import type { Repository } from '../run/repository.ts';

/** As `readRef`, for commands that most often need nothing else of git: a file tells, and the rest is not even loaded. */
export async function lookUpRef(repo: Repository, ref: string): Promise<Sha | null> {
  const found = readRefFile(repo.commonDir, ref);
  if (found !== undefined) return found;
  const { askRef } = await import('./ask-git.ts');
  return askRef(repo, ref);
}
