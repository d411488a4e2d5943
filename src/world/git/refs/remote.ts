import { AppError } from '../../../core/model/errors.ts';
import type { Sha } from '../../../core/model/ids.ts';
import { sha } from '../../../core/model/ids.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import type { Repository } from '../run/repository.ts';
import { HARDENED, runGit } from '../run/run-git.ts';
import type { GitResult } from '../run/run-git.ts';

const REMOTE_TIMEOUT_MS = 120_000;
const NO_HELPER = 'credential.helper=';

/**
 * As everywhere in trees that agents write, but with the credentials the user has set up. Hooks of the repository do not run: an
 * agent may have written them. What one planted in the config meanwhile does not count either; `runGit` sees to that.
 */
const REMOTELY: readonly string[] = [
  ...HARDENED.filter((word, at) => word !== NO_HELPER && HARDENED[at + 1] !== NO_HELPER),
  '-c',
  'push.recurseSubmodules=no',
  '-c',
  'fetch.recurseSubmodules=no',
];

/** How the user reaches remotes, where that is told by the environment. */
const OWN_WAYS = ['GIT_SSH', 'GIT_SSH_COMMAND', 'GIT_SSH_VARIANT', 'GIT_ASKPASS', 'GIT_CONFIG_GLOBAL'] as const;

function ownWays(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(OWN_WAYS.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** Where nobody waits for an answer, nobody is asked for a password either, in no window of any program. */
const UNASKED = { SSH_ASKPASS_REQUIRE: 'never', GCM_INTERACTIVE: 'never' };

export interface RemotePlace {
  readonly repo: Repository;
  readonly env: NodeJS.ProcessEnv;
  /** Set where nobody asked for it: ends it. */
  readonly unasked?: AbortSignal;
  /** How to log in where the user has set up nothing for git itself. In no command line, where everybody could read it. */
  readonly login?: Readonly<Record<string, string>>;
}

function remotely(
  { repo, env, unasked, login }: RemotePlace,
  args: readonly string[],
  ok: readonly number[],
  also: Readonly<Record<string, string>> = {},
): Promise<GitResult> {
  const quiet = unasked === undefined ? {} : UNASKED;
  return runGit([...REMOTELY, ...args], {
    cwd: repo.root,
    env: { ...ownWays(env), ...quiet, ...login, ...also },
    ok,
    timeoutMs: REMOTE_TIMEOUT_MS,
    ...(unasked === undefined ? {} : { signal: unasked }),
  });
}

/** A remote by its name in this repository; anything else, such as a URL or a path, is none. */
export async function requireRemote(place: RemotePlace, name: string | null): Promise<string> {
  const names = (await remotely(place, ['remote'], [0])).stdout.split('\n').filter((line) => line !== '');
  const wanted = name ?? (names.includes('origin') ? 'origin' : (names[0] ?? ''));
  if (names.includes(wanted)) return wanted;
  throw new AppError('E_USAGE', wanted === '' ? 'this repository has no remote' : `there is no remote ${wanted}`, {
    facts: names.length === 0 ? [] : [`remotes: ${names.join(', ')}`],
    remedy: names.length === 0 ? 'git remote add origin URL' : 'git remote -v',
  });
}

/** A name that git takes for a branch. */
export async function requireBranchName(place: RemotePlace, name: string): Promise<string> {
  const isPlain = !name.startsWith('-') && !name.startsWith('refs/');
  const answer = isPlain ? await remotely(place, ['check-ref-format', `refs/heads/${name}`], [0, 1]) : null;
  if (answer?.code === 0) return name;
  throw new AppError('E_USAGE', `${JSON.stringify(name)} is no name for a branch`, {
    remedy: 'git check-ref-format --branch NAME',
  });
}

export interface Push {
  readonly remote: string;
  readonly branch: string;
  readonly commit: Sha;
  /** Where the branch must be there; null: it must not exist. */
  readonly expected: Sha | null;
}

/** Creates or moves a branch of a remote; one that is not where we left it stays. */
export async function push(place: RemotePlace, order: Push): Promise<void> {
  if (await tryPush(place, order)) return;
  const { remote, branch } = order;
  throw new AppError('E_NEEDS_PERSON', `${remote} has a branch ${branch} that is not as it was pushed from here`, {
    facts: ['it was left as it is'],
    remedy: `git fetch ${shellWord(remote)} && git log ${shellWord(`${remote}/${branch}`)}`,
  });
}

/** The same; false: it is not where we left it. */
export async function tryPush(place: RemotePlace, { remote, branch, commit, expected }: Push): Promise<boolean> {
  const ref = `refs/heads/${branch}`;
  const lease = `--force-with-lease=${ref}:${expected ?? ''}`;
  const args = ['push', '--porcelain', '--no-verify', '--quiet', lease, '--', remote, `${commit}:${ref}`];
  const answer = await remotely(place, args, [0, 1]);
  if (answer.code === 0) return true;
  const said = `${answer.stdout}\n${answer.stderr}`.split('\n').filter((line) => line.trim() !== '');
  if (/stale info/.test(answer.stdout + answer.stderr)) return false;
  throw new AppError('E_GIT', `${remote} did not take ${branch}`, {
    facts: said,
    remedy: `git remote show ${shellWord(remote)}`,
  });
}

/** Where a branch of a remote stands: the ref itself. Null: there is none. */
export async function remoteTip(place: RemotePlace, remote: string, branch: string): Promise<Sha | null> {
  const listed = await remotely(place, ['ls-remote', '--', remote, `refs/heads/${branch}`], [0]);
  const [id] = listed.stdout.split('\t');
  return id === undefined || id.trim() === '' ? null : sha(id.trim());
}

/** The remote branch that a branch of ours follows. */
export interface Followed {
  readonly remote: string;
  /** Its ref there. */
  readonly theirs: string;
  /** Where git notes here how far it is. */
  readonly tracking: string;
}

/** Null: it follows none. What is noted among branches, as a mirror does, is no note: to fetch would move them. */
export async function followedBy(place: RemotePlace, branch: string): Promise<Followed | null> {
  const format = '--format=%(upstream:remotename)%00%(upstream:remoteref)%00%(upstream)';
  const told = await remotely(place, ['for-each-ref', format, `refs/heads/${branch}`], [0]);
  const [remote = '', theirs = '', tracking = ''] = told.stdout.trim().split('\0');
  return remote === '' || remote === '.' || !tracking.startsWith('refs/remotes/') ? null : { remote, theirs, tracking };
}

/** How the reflog calls what we fetched, for whoever wonders who did. */
const FETCH_REASON = 'paralph: fetch';

/** Nothing but the tracking ref changes: whatever else the settings would have a fetch do is left. */
const FETCH = 'fetch --quiet --no-tags --no-prune --no-write-fetch-head --no-recurse-submodules --refmap= --'.split(
  ' ',
);

export async function fetchFollowed(place: RemotePlace, { remote, theirs, tracking }: Followed): Promise<void> {
  const reason = { GIT_REFLOG_ACTION: FETCH_REASON };
  await remotely(place, [...FETCH, remote, `+${theirs}:${tracking}`], [0], reason);
}

/** Where the remote branch that a branch of ours follows is now; null: it follows none, or there is none. */
export async function fetchUpstream(place: RemotePlace, branch: string, isAsked: boolean): Promise<Sha | null> {
  const followed = await followedBy(place, branch);
  if (followed === null) return null;
  if (isAsked) await fetchFollowed(place, followed);
  return trackedAt(place, followed);
}

export async function trackedAt(place: RemotePlace, { tracking }: Followed): Promise<Sha | null> {
  const at = await remotely(place, ['rev-parse', '--verify', '--quiet', `${tracking}^{commit}`], [0, 1]);
  return at.code === 0 ? sha(at.stdout.trim()) : null;
}
