import { join } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import type { HostPolicy } from '../../../core/model/model.ts';
import type { ForgePolicy } from '../../../core/model/pull.ts';
import type { PullRules } from '../../../core/pull/pull-wishes.ts';
import type { Settings } from '../../../core/model/settings.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { findForge } from '../../../world/forge/find-forge.ts';
import type { FoundForge } from '../../../world/forge/find-forge.ts';
import { isAncestor } from '../../../world/git/merge/merge.ts';
import { readRef } from '../../../world/git/refs/refs.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { openView } from '../../../world/git/run/view.ts';
import { isThere } from '../../../world/os/read-if-there.ts';
import type { Call } from '../../call/handler.ts';
import type { Project } from '../../call/project.ts';

/** Where an agent that reviews is described; a repository that has it wants it asked. */
const REVIEWER_FILE = '.claude/agents/merger.md';

/**
 * The forge, asked once where main is there. Main is what the remote has from here on, so what landed here and is not there yet would
 * stand in every pull request: a person publishes it first.
 */
export async function forgeFor(
  call: Call,
  { repo, settings, target }: { readonly repo: Repository; readonly settings: Settings; readonly target: string },
): Promise<FoundForge> {
  const found = await findForge({ repo, settings: settings.forge, env: call.env });
  const { fetchTarget } = await import('../../../world/forge/open-forge.ts');
  const theirs = await fetchTarget({ repo, env: call.env, found, target });
  const remote = shellWord(found.remote);
  if (theirs === null)
    throw new AppError('E_NO_FORGE', `${found.remote} has no branch ${target} to open pull requests for`, {
      remedy: `git push ${remote} ${shellWord(target)}`,
    });
  const view = await openView(repo);
  const ours = await readRef(view, `refs/paralph/int/${target}`);
  if (ours !== null && !(await isAncestor(view, ours, theirs)))
    throw new AppError('E_NEEDS_PERSON', `what landed here on ${target} is not on ${found.remote} yet`, {
      facts: ['pull requests are made for what the remote has, and would hold all of it'],
      remedy: `ralph publish && git push ${remote} ${shellWord(target)}`,
    });
  return found;
}

/** By what rules pull requests wait, for who only looks. */
export function rulesFor({ repo, config }: Project): PullRules {
  const { forge, landing } = config.settings;
  const found = { host: '', owner: '', repo: '', remote: forge.remote };
  return {
    target: config.target?.branch ?? landing.target ?? 'main',
    forge: forgePolicy(config.settings, { found, repo, isMerger: false, isFollowing: false }),
  };
}

interface ForgeOrder {
  readonly found: Pick<FoundForge, 'host' | 'owner' | 'repo' | 'remote'>;
  readonly repo: Repository;
  readonly isMerger: boolean;
  readonly isFollowing: boolean;
  /** It stays for checks, where it merges by itself. */
  readonly isAwaiting?: boolean;
  /** Who is asked to review, where somebody has to approve; absent: only people are. */
  readonly reviewer?: string | undefined;
}

/** The same host, with pull requests. Nothing is published: the user's branch is moved by `ralph publish` alone. */
export const withForge = (policy: HostPolicy, settings: Settings, order: ForgeOrder): HostPolicy => ({
  ...policy,
  publish: 'manual',
  forge: forgePolicy(settings, order),
});

function forgePolicy(
  { forge }: Settings,
  { found, repo, isMerger, isFollowing, isAwaiting = false, reviewer }: ForgeOrder,
): ForgePolicy {
  const needsReview = forge.review === 'agent' || (forge.review === 'auto' && isThere(join(repo.root, REVIEWER_FILE)));
  return {
    host: found.host,
    repository: `${found.owner}/${found.repo}`,
    remote: found.remote,
    checks: forge.checks,
    needsReview,
    ...(needsReview && reviewer !== undefined ? { reviewer } : {}),
    merge: isMerger ? 'merger' : forge.merge,
    ciDeadlineMs: forge.ciDeadlineMs,
    rounds: forge.rounds,
    isFollowing,
    ...(isAwaiting && forge.merge === 'merger' ? { isAwaiting } : {}),
  };
}
