import { AppError } from '../../core/errors.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

export interface Identity {
  readonly name: string;
  readonly email: string;
}

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

/** The variables that make a commit of ours carry this identity. */
export function identityEnvironment(identity: Identity): Record<string, string> {
  return {
    GIT_AUTHOR_NAME: identity.name,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
  };
}
