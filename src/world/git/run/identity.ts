import { resolve } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import type { Repository } from './repository.ts';
import type { LandingSettings } from '../../../core/model/settings.ts';
import { runGit } from './run-git.ts';

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
  throw new AppError('E_NO_IDENTITY', 'git has no user name and email to commit with', {
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

/** How the user signs commits. */
export interface Signing {
  /** Null: the signing program chooses by the committer's name. */
  readonly key: string | null;
  /** `name=value` of what git must know besides. */
  readonly config: readonly string[];
}

/** A program that waits for somebody to type a passphrase must not hold us up for ever. */
export const SIGNING_TIMEOUT_MS = 120_000;

const ASKED = String.raw`^(commit\.gpgsign|user\.signingkey|gpg\.(.*\.)?(format|program|defaultkeycommand))$`;
const PROGRAMS = [
  'gpg.program',
  'gpg.openpgp.program',
  'gpg.x509.program',
  'gpg.ssh.program',
  'gpg.ssh.defaultkeycommand',
];
const FACTS_MAX = 8;

/**
 * What the user told git about signing; null: our commits are not signed. Programs count only from the user's own files:
 * an agent can write the repository's.
 */
export async function readSigning(repo: Repository, mode: LandingSettings['sign']): Promise<Signing | null> {
  if (mode === 'never') return null;
  const args = ['config', '--show-scope', '-z', '--includes', '--get-regexp', ASKED];
  const { stdout } = await runGit(args, { cwd: repo.worktree, ok: [0, 1] });
  const everywhere = new Map<string, string>();
  const own = new Map<string, string>();
  const fields = stdout.split('\0');
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name = '', ...value] = (fields[at + 1] ?? '').split('\n');
    // A name alone means true.
    const text = (fields[at + 1] ?? '').includes('\n') ? value.join('\n') : 'true';
    everywhere.set(name, text);
    if (fields[at] === 'global' || fields[at] === 'system') own.set(name, text);
  }
  if (mode === 'auto' && !isTrue(everywhere.get('commit.gpgsign'))) return null;
  const format = everywhere.get('gpg.format');
  const config = PROGRAMS.flatMap((name) => (own.has(name) ? [`${name}=${own.get(name)}`] : []));
  return {
    key: keyOf(repo, everywhere.get('user.signingkey'), format),
    config: format === undefined ? config : [`gpg.format=${format}`, ...config],
  };
}

/** What goes before and after the name of the git command that makes a commit. */
export function signingArgs(signing: Signing): { readonly before: readonly string[]; readonly after: string } {
  return { before: signing.config.flatMap((setting) => ['-c', setting]), after: `-S${signing.key ?? ''}` };
}

export function signingFailed(stderr: string): AppError {
  const facts = stderr.split('\n').filter((line) => line.trim() !== '');
  return new AppError('E_GIT', 'a commit could not be signed as your git configuration asks for', {
    facts: facts.slice(0, FACTS_MAX),
    remedy: 'ralph config set landing.sign never',
  });
}

/** A key file is named from the top of the checkout, as in the user's own commits; ours are made elsewhere. */
function keyOf(repo: Repository, key: string | undefined, format: string | undefined): string | null {
  if (key === undefined || key === '') return null;
  const isFile = format === 'ssh' && !/^(key::|ssh-|ecdsa-|sk-|~)/.test(key);
  return isFile ? resolve(repo.worktree, key) : key;
}

const isTrue = (text: string | undefined): boolean =>
  text !== undefined && /^(true|yes|on|[+-]?0*[1-9]\d*[kmg]?)$/i.test(text);
