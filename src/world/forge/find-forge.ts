import { AppError } from '../../core/model/errors.ts';
import type { ForgeKind, ForgeSettings } from '../../core/model/settings.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { apiOf, kindOfHost, parseAddress } from '../../text/forge/address.ts';
import { cleanLine } from '../../text/screen/clean.ts';
import type { Repository } from '../git/run/repository.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { findExecutable } from '../processes/environment.ts';
import { runProgram } from '../processes/run-program.ts';

/** A forge that was found, with the right to speak to it. The token is handed to nothing but requests. */
export interface FoundForge {
  readonly kind: ForgeKind;
  readonly host: string;
  /** Scheme, host and port of its pages, where git speaks to it as well. */
  readonly origin: string;
  readonly apiUrl: string;
  readonly owner: string;
  readonly repo: string;
  readonly remote: string;
  readonly token: string;
}

interface Asked {
  readonly repo: Repository;
  readonly settings: ForgeSettings;
  readonly env: NodeJS.ProcessEnv;
}

/** The forge of a repository: by its settings, else by the URL of the remote and the environment. */
export async function findForge({ repo, settings, env }: Asked): Promise<FoundForge> {
  const { remote } = settings;
  const url = await remoteUrl(repo, remote);
  const address = url === null ? null : parseAddress(url);
  const [owner, name] = settings.repository?.split('/') ?? [address?.owner, address?.name];
  const origin = settings.baseUrl ?? address?.origin;
  if (owner === undefined || name === undefined || origin === undefined)
    throw new AppError('E_NO_FORGE', noForge(remote, url), {
      remedy:
        url === null
          ? 'git remote add origin https://github.com/OWNER/NAME.git'
          : 'ralph config set forge.base_url https://…',
    });
  const host = origin.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
  const kind = settings.kind ?? kindOfHost(host);
  if (kind === null)
    throw new AppError('E_NO_FORGE', `what kind of forge ${cleanLine(host)} is, its name does not tell`, {
      facts: ['github: GitHub and GitHub Enterprise; gitea: Gitea and Forgejo'],
      remedy: 'ralph config set forge.kind gitea',
    });
  const token = await findToken(kind, host, settings.tokenEnv, env);
  return { kind, host, origin, apiUrl: apiOf(kind, origin), owner, repo: name, remote, token };
}

function noForge(remote: string, url: string | null): string {
  if (url === null) return `there is no remote ${cleanLine(remote)}, so pull requests have nowhere to go`;
  return `the remote ${cleanLine(remote)} (${cleanLine(url.replace(/\/\/[^@/]*@/, '//'))}) is on no forge that is known`;
}

async function remoteUrl(repo: Repository, remote: string): Promise<string | null> {
  const told = await runGit([...HARDENED, 'config', '--get', `remote.${remote}.url`], { cwd: repo.root, ok: [0, 1] });
  const url = told.stdout.trim();
  return url === '' ? null : url;
}

const USUAL: Readonly<Record<ForgeKind, readonly string[]>> = {
  github: ['GH_TOKEN', 'GITHUB_TOKEN'],
  gitea: ['GITEA_TOKEN', 'FORGEJO_TOKEN'],
};

async function findToken(kind: ForgeKind, host: string, named: string | null, env: NodeJS.ProcessEnv): Promise<string> {
  const names =
    named === null ? [...USUAL[kind], ...(isEnterprise(kind, host) ? ['GH_ENTERPRISE_TOKEN'] : [])] : [named];
  const given = names.map((name) => env[name]?.trim() ?? '').find((value) => value !== '');
  if (given !== undefined) return given;
  const asked = kind === 'github' && named === null ? await askGh(host, env) : null;
  if (asked !== null) return asked;
  throw new AppError('E_NO_FORGE', `no token for ${cleanLine(host)} was found`, {
    facts: [`looked for ${names.join(', ')}${kind === 'github' && named === null ? ', gh auth token' : ''}`],
    remedy:
      kind === 'github' && named === null
        ? `gh auth login --hostname ${shellWord(host)}`
        : `export ${names[0] ?? ''}=…`,
  });
}

const isEnterprise = (kind: ForgeKind, host: string): boolean => kind === 'github' && host !== 'github.com';

const ASK_MS_MAX = 10_000;
const TOKEN_CHARS_MAX = 10_000;

/** What `gh` is logged in with; null: it is not there, or not logged in. */
async function askGh(host: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const program = findExecutable('gh', env, '/');
  if (program === null) return null;
  const argv = [program, 'auth', 'token', '--hostname', host];
  const { code, stdout } = await runProgram(argv, { cwd: '/', env, timeoutMs: ASK_MS_MAX, charsMax: TOKEN_CHARS_MAX });
  return code === 0 && stdout.trim() !== '' ? stdout.trim() : null;
}
