import { AppError } from '../../../core/model/errors.ts';
import type { Repository } from './repository.ts';
import type { LandingSettings } from '../../../core/model/settings.ts';
import { runGit } from './run-git.ts';
import { readSigning } from './signing.ts';
import type { Signing } from './signing.ts';

export interface Identity {
  readonly name: string;
  readonly email: string;
  /** How they sign their commits; absent or null: they do not. */
  readonly signing?: Signing | null;
}

/** For a commit of ours that is on nobody's branch: no passphrase and no key is asked for it. */
export const unsigned = ({ name, email }: Identity): Identity => ({ name, email });

/** The same with how they sign. */
export const withSigning = async (
  repo: Repository,
  identity: Identity,
  mode: LandingSettings['sign'],
): Promise<Identity> => ({ ...identity, signing: await readSigning(repo, mode) });

const VARIABLES = ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'];

/** Who the user told git they are. A name git would make up from the machine does not count. */
export async function readIdentity(repo: Repository): Promise<Identity> {
  const env: Record<string, string> = {};
  for (const name of VARIABLES) {
    const value = process.env[name];
    if (value !== undefined && value !== '') env[name] = value;
  }
  for (const ident of ['GIT_COMMITTER_IDENT', 'GIT_AUTHOR_IDENT']) {
    const args = ['-c', 'user.useConfigOnly=true', 'var', ident];
    const answer = await runGit(args, { cwd: repo.worktree, env, ok: [0, 1, 128] });
    const [, name, email] = /^(.+) <(.+)> \d+ [+-]\d+$/m.exec(answer.stdout) ?? [];
    if (answer.code === 0 && name !== undefined && email !== undefined) return { name, email };
  }
  throw new AppError('E_NO_IDENTITY', 'git has no user name and email to commit with.', {
    remedy: 'git config --global user.name "Your Name" && git config --global user.email "you@example.com"',
  });
}

/** Who commits to branches, as they told git. */
export const readCommitter = async (repo: Repository, mode: LandingSettings['sign']): Promise<Identity> =>
  withSigning(repo, await readIdentity(repo), mode);

/** The variables that make a commit of ours carry this identity. */
export function identityEnvironment(identity: Identity): Record<string, string> {
  return {
    GIT_AUTHOR_NAME: identity.name,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
  };
}
