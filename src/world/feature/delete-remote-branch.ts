import { AppError } from '../../core/errors.ts';
import type { Sha } from '../../core/ids.ts';
import { shellWord } from '../../core/remedy.ts';
import { shortLine } from '../../text/screen/clean.ts';
import type { Repository } from '../git/repository.ts';
import { HARDENED, runGit } from '../git/run-git.ts';
import type { GitView } from '../git/view.ts';

export interface RemoteOrder {
  readonly branch: string;
  /** The name of a remote, never an address. */
  readonly remote: string;
  /** Commits that stay reachable here: everything on the remote's branch must be among what they reach. */
  readonly held: readonly Sha[];
}

const NETWORK_MS_MAX = 60_000;
/** A person's own way to prove who they are is needed to reach a remote. */
const REACHING = HARDENED.filter((word, at) => ![word, HARDENED[at + 1]].includes('credential.helper='));

/** Deletes a branch on a remote, if it is still what was looked at and nothing is on it that we do not have. */
export async function deleteRemoteBranch(repo: Repository, view: GitView, order: RemoteOrder): Promise<void> {
  const { branch, remote } = order;
  await requireRemote(repo, remote);
  const ref = `refs/heads/${branch}`;
  const options = { cwd: repo.commonDir, timeoutMs: NETWORK_MS_MAX };
  const listed = await runGit([...REACHING, 'ls-remote', '--heads', '--', remote, ref], options);
  const tip = listed.stdout
    .split('\n')
    .find((line) => line.endsWith(`\t${ref}`))
    ?.split('\t')[0];
  if (tip === undefined) return;
  await requireHeld(repo, view, order, tip);
  await runGit([...REACHING, 'push', '--quiet', `--force-with-lease=${ref}:${tip}`, '--', remote, `:${ref}`], options);
}

async function requireRemote(repo: Repository, remote: string): Promise<void> {
  const { stdout } = await runGit([...HARDENED, 'remote'], { cwd: repo.commonDir });
  if (remote !== '' && stdout.split('\n').includes(remote)) return;
  throw new AppError('E_NAME', `no remote is called ${JSON.stringify(shortLine(remote, 60))}`, {
    remedy: `git -C ${shellWord(repo.root)} remote`,
  });
}

async function requireHeld(repo: Repository, view: GitView, order: RemoteOrder, tip: string): Promise<void> {
  const input = [tip, ...order.held.map((sha) => `^${sha}`), ''].join('\n');
  const { code, stdout } = await view.run(['rev-list', '--max-count=1', '--stdin'], { input, ok: [0, 128] });
  if (code === 0 && stdout === '') return;
  throw new AppError('E_UNLANDED', `${order.remote} has commits on ${order.branch} that are not here`, {
    remedy: `git -C ${shellWord(repo.root)} fetch ${shellWord(order.remote)} ${shellWord(order.branch)}`,
  });
}
