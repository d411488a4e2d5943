import { AppError } from '../../core/model/errors.ts';
import { clientFor } from './client-for.ts';
import type { FoundForge } from './find-forge.ts';

interface RawRepository {
  readonly full_name: string;
  readonly archived?: boolean;
  readonly permissions?: { readonly push?: boolean };
}

/** Whether the forge shows this token the repository, and lets it write there. Null: it does; else why not. */
export async function refusedBy(found: FoundForge): Promise<AppError | null> {
  const { host, owner, repo } = found;
  const name = `${owner}/${repo}`;
  const raw = (await clientFor(found).find('/repos/{owner}/{repo}', { owner, repo })) as RawRepository | null;
  if (raw === null)
    return new AppError('E_NO_FORGE', `${host} shows this token no repository ${name}`, {
      facts: ['a token for single repositories has to name it; the name may be wrong'],
      remedy: 'ralph config set forge.repository owner/name',
    });
  if (raw.archived === true)
    return new AppError('E_NO_FORGE', `${name} is archived: nothing can be pushed there`, {
      remedy: 'ralph config set parallel.merge_policy manual',
    });
  if (raw.permissions?.push === false)
    return new AppError('E_NO_FORGE', `the token may not write to ${name}`, {
      facts: ['it needs: contents and pull requests, read and write'],
      remedy: 'gh auth login',
    });
  return null;
}
