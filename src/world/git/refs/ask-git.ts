import type { Sha } from '../../../core/model/ids.ts';
import { plainView } from '../run/view.ts';
import { readRef } from './refs.ts';
import type { Repository } from '../run/repository.ts';
import { runGit } from '../run/run-git.ts';

/* What files most often tell by themselves: loaded only where they do not, for a short command is over before this is read. */

export const askRef = (repo: Repository, ref: string): Promise<Sha | null> => readRef(plainView(repo), ref);

export async function askDefaultBranch(repo: Repository): Promise<string | null> {
  const answer = await runGit(['config', '--get', 'init.defaultBranch'], { cwd: repo.root, ok: [0, 1] });
  return answer.stdout.trim() || null;
}
