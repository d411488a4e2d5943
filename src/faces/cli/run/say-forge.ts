import { AppError } from '../../../core/model/errors.ts';
import type { Settings } from '../../../core/model/settings.ts';
import { findForge } from '../../../world/forge/find-forge.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { cleanLine } from '../../../text/screen/clean.ts';

/** Where pull requests will go, or what is missing for that: for who has just asked for them. */
export async function describeForge(
  repo: Repository,
  { forge }: Pick<Settings, 'forge'>,
  env: NodeJS.ProcessEnv,
): Promise<readonly string[]> {
  try {
    const { host, owner, repo: name, remote } = await findForge({ repo, settings: forge, env });
    return [
      cleanLine(`pull requests go to ${owner}/${name} on ${host}, by the remote ${remote}; a token was found`),
      'whether it may do all that: ralph doctor',
    ];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [`note: ${error.message}`, ...error.facts, `fix: ${error.remedy}`];
  }
}
