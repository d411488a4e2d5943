import { resolve } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import type { Settings } from '../../core/model/settings.ts';
import { readIdentity, withSigning } from '../git/run/identity.ts';
import type { Identity } from '../git/run/identity.ts';
import type { Repository } from '../git/run/repository.ts';
import { openView } from '../git/run/view.ts';
import type { AwayPlace } from './take-away.ts';

/** Stands in for somebody who has not told git their name. */
export const NOBODY: Identity = { name: 'paralph', email: 'paralph@localhost' };

/** What the keep door needs of a repository and its settings. */
export async function openKeep(repo: Repository, settings: Settings): Promise<AwayPlace> {
  return {
    repo,
    view: await openView(repo),
    identity: await withSigning(repo, await readIdentity(repo).catch(nobody), settings.landing.sign),
    ignored: settings.keep.ignored,
    worktreeRoot: resolve(repo.root, settings.parallel.worktreeRoot),
  };
}

/** Work is kept also for somebody who has not told git their name. */
function nobody(error: unknown): Identity {
  if (error instanceof AppError && error.code === 'E_NO_IDENTITY') return NOBODY;
  throw error;
}
