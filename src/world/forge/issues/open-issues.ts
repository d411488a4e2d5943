import { AppError } from '../../../core/model/errors.ts';
import type { Settings } from '../../../core/model/settings.ts';
import type { Repository } from '../../git/run/repository.ts';
import { findForge } from '../find-forge.ts';
import { openIssueTracker } from './issue-tracker.ts';
import type { OpenedIssues } from './issue-tracker.ts';
import type { Tracker } from '../../contract/tracker.ts';

export interface IssuesOrder {
  readonly repo: Repository;
  readonly settings: Pick<Settings, 'forge' | 'tracker'>;
  readonly env: NodeJS.ProcessEnv;
}

/** Finds forge and token; what speaks to a forge is loaded here. */
export async function openIssues({ repo, settings, env }: IssuesOrder): Promise<OpenedIssues> {
  const { forge, tracker } = settings;
  if (forge.kind === 'gitea')
    throw new AppError('E_UNSUPPORTED', 'issues of Gitea and Forgejo cannot be worked on, only those of GitHub', {
      remedy: 'ralph config set tracker.kind auto',
    });
  const repository = tracker.repository ?? forge.repository;
  const found = await findForge({ repo, settings: { ...forge, kind: 'github', repository }, env });
  const { clientFor } = await import('../client-for.ts');
  return { client: clientFor(found), host: found.host, owner: found.owner, repo: found.repo, settings: tracker };
}

/** The tasks of a repository that tracks them as issues on GitHub. */
export const openGithubTracker = (order: IssuesOrder): Tracker => openIssueTracker(() => openIssues(order));
