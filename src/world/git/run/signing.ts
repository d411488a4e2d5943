import { resolve } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import type { LandingSettings } from '../../../core/model/settings.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

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
  return new AppError('E_GIT', 'A commit could not be signed as your git configuration asks for.', {
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
