import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import type { Repository } from '../git/run/repository.ts';
import { spliceFile } from '../os/splice-file.ts';
import type { TargetPlace } from './target-place.ts';
import { leadsOut, readPlainFile } from './task-text.ts';

/** What becomes of the text; it throws what keeps it from being changed. */
export type TaskEdit = (text: string) => string;

/** Edits the task file of the checkout one stands in, uncommitted, as an editor would. Tasks are the target's: elsewhere it would not count. */
export function editTaskFile(repo: Repository, target: TargetPlace | null, path: string, edit: TaskEdit): void {
  const isOurs = leadsOut(path) || target === null || target.checkout === repo.worktree;
  if (!isOurs)
    throw new AppError(
      'E_NEEDS_PERSON',
      `this checkout is not on ${target.branch}, and tasks are those of ${target.branch}`,
      {
        facts: [
          target.checkout === null
            ? `no checkout is on ${target.branch}`
            : `${target.branch} is checked out in ${target.checkout}`,
        ],
        remedy:
          target.checkout === null ? `git switch ${shellWord(target.branch)}` : `cd ${shellWord(target.checkout)}`,
      },
    );
  const file = join(leadsOut(path) ? repo.root : repo.worktree, path);
  edit(readPlainFile(file, path));
  spliceFile(file, edit);
}
