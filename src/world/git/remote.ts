import { AppError } from '../../core/errors.ts';
import type { Sha } from '../../core/ids.ts';
import { sha } from '../../core/ids.ts';
import { shellWord } from '../../core/remedy.ts';
import type { Repository } from './repository.ts';
import { HARDENED, runGit } from './run-git.ts';
import type { GitResult } from './run-git.ts';

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

export interface RemotePlace {
  readonly repo: Repository;
  readonly env: NodeJS.ProcessEnv;
}

function remotely({ repo, env }: RemotePlace, args: readonly string[], ok: readonly number[]): Promise<GitResult> {
  return runGit([...REMOTELY, ...args], { cwd: repo.root, env: ownWays(env), ok, timeoutMs: REMOTE_TIMEOUT_MS });
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
export async function push(place: RemotePlace, { remote, branch, commit, expected }: Push): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const lease = `--force-with-lease=${ref}:${expected ?? ''}`;
  const args = ['push', '--porcelain', '--no-verify', '--quiet', lease, '--', remote, `${commit}:${ref}`];
  const answer = await remotely(place, args, [0, 1]);
  if (answer.code === 0) return;
  const said = `${answer.stdout}\n${answer.stderr}`.split('\n').filter((line) => line.trim() !== '');
  if (/stale info/.test(answer.stdout + answer.stderr))
    throw new AppError('E_NEEDS_PERSON', `${remote} has a branch ${branch} that is not as it was pushed from here`, {
      facts: ['it was left as it is'],
      remedy: `git fetch ${shellWord(remote)} && git log ${shellWord(`${remote}/${branch}`)}`,
    });
  throw new AppError('E_GIT', `${remote} did not take ${branch}`, { facts: said, remedy: `git remote show ${remote}` });
}

/** The remote branch that a branch of ours follows, as it is there now; null: it follows none, or there is none. */
export async function fetchUpstream(place: RemotePlace, branch: string, isAsked: boolean): Promise<Sha | null> {
  const format = '--format=%(upstream:remotename)%00%(upstream:remoteref)%00%(upstream)';
  const told = await remotely(place, ['for-each-ref', format, `refs/heads/${branch}`], [0]);
  const [remote = '', theirs = '', tracking = ''] = told.stdout.trim().split('\0');
  if (remote === '' || remote === '.' || tracking === '') return null;
  if (isAsked) await remotely(place, ['fetch', '--quiet', '--no-tags', '--', remote, `+${theirs}:${tracking}`], [0]);
  const at = await remotely(place, ['rev-parse', '--verify', '--quiet', `${tracking}^{commit}`], [0, 1]);
  return at.code === 0 ? sha(at.stdout.trim()) : null;
}
