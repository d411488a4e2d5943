import type { Sha } from '../../core/model/ids.ts';
import { fetchFollowed, remoteTip, trackedAt } from '../git/refs/remote.ts';
import type { Forge } from '../contract/forge.ts';
import type { ForgeDoor } from '../contract/pull-git.ts';
import { clientFor } from './client-for.ts';
import type { FoundForge } from './find-forge.ts';
import { openGitea } from './gitea.ts';
import { openGithub } from './github.ts';
import { loginFor, openPullGit } from './pull-git.ts';
import type { PullGitPlace } from './pull-git.ts';

/** Opens what was found. Loaded only by who speaks to a forge. */
function openForge(found: FoundForge, listened: readonly string[]): Forge {
  const { kind, host, owner, repo } = found;
  const place = { client: clientFor(found), host, owner, repo, listened };
  return kind === 'gitea' ? openGitea(place) : openGithub(place);
}

/** Brings where the target is on the remote; null: there is no such branch. */
export async function fetchTarget({ repo, env, found, target }: FetchOrder): Promise<Sha | null> {
  const { remote, origin, token } = found;
  const place = { repo, env, login: loginFor(origin, 'x-access-token', token) };
  if ((await remoteTip(place, remote, target)) === null) return null;
  const followed = { remote, theirs: `refs/heads/${target}`, tracking: `refs/remotes/${remote}/${target}` };
  await fetchFollowed(place, followed);
  return trackedAt(place, followed);
}

interface FetchOrder extends Pick<PullGitPlace, 'repo' | 'env' | 'target'> {
  readonly found: FoundForge;
}

export interface DoorOrder extends Omit<PullGitPlace, 'remote' | 'login'> {
  readonly found: FoundForge;
  readonly listened: readonly string[];
}

/** The forge and the branches there, for whoever runs or merges. */
export function openDoor({ found, listened, ...place }: DoorOrder): ForgeDoor {
  const { remote, origin, token } = found;
  const login = loginFor(origin, 'x-access-token', token);
  return { forge: openForge(found, listened), git: openPullGit({ ...place, remote, login }) };
}
