import { AppError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import { findBlockers } from '../checkout/publish-blockers.ts';
import { readChanges } from '../git/objects/raw-changes.ts';
import { acceptSame } from '../checkout/publish-same.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import type { GitView } from '../git/run/view.ts';

/** How git says that something local is in the way. */
const REFUSED = /Cannot merge|would be (overwritten|removed)|not uptodate/;

/**
 * Index and files of a checkout go on to where its branch has gone; false: something local is in the way, and nothing was changed.
 * Where git had no room, met a lock or was killed, this fails and can be done again: what was written by then is not in the way.
 */
export async function bringForward(view: GitView, cwd: string, from: Sha, to: Sha): Promise<boolean> {
  const changes = await readChanges(view, from, to);
  const blockers = await findBlockers(cwd, changes);
  const left = blockers.length === 0 ? [] : await acceptSame(cwd, view, { from, to, changes }, blockers);
  if (left.length > 0) return false;
  try {
    await runGit([...HARDENED, 'read-tree', '-m', '-u', from, to], { cwd });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.facts.some((fact) => REFUSED.test(fact))) return false;
    throw error;
  }
}
