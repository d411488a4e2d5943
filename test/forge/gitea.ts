import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { giteaBin } from '../../scripts/lib/gitea.mjs';
import { itAllowed } from '../needs.ts';
import { until } from '../e2e/harness/until.ts';

/** `it` for a test that drives the real Gitea; where it is not built the reason is printed. */
export const itWithGitea = itAllowed('Gitea 1.26.2: node scripts/gitea.mjs builds it where Go is', giteaBin() !== null);

export type Who = 'octo' | 'reviewer' | 'stranger';

export interface Gitea {
  readonly url: string;
  /** Where its repositories are, for looking only. */
  readonly repos: string;
  readonly tokens: Readonly<Record<Who, string>>;
  /** One request, by its answer; throws where it is refused. */
  readonly ask: (who: Who, method: string, path: string, body?: object) => Promise<unknown>;
  /** With -9, as a machine that loses power would. */
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  /** Ends it and takes everything of it away. */
  readonly remove: () => Promise<void>;
}

/** A Gitea on loopback, with an owner, somebody who reviews and somebody who may do neither. */
export async function startGitea(): Promise<Gitea> {
  const bin = giteaBin();
  if (bin === null) throw new Error('Gitea is not built: node scripts/gitea.mjs');
  const root = mkdtempSync(join(tmpdir(), 'paralph-gitea-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const ini = join(root, 'custom', 'conf', 'app.ini');
  mkdirSync(join(root, 'custom', 'conf'), { recursive: true });
  writeFileSync(ini, settings(root, bin, port));
  const env = { ...process.env, GITEA_WORK_DIR: root, HOME: root };
  const admin = (...args: string[]): string =>
    execFileSync(join(bin, 'gitea'), ['--config', ini, ...args], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  admin('migrate');
  const tokenOf = (who: Who): string => {
    const asked =
      'admin user create --random-password --must-change-password=false --access-token --access-token-scopes all';
    const person = ['--username', who, '--email', `${who}@example.invalid`];
    const made = admin(...asked.split(' '), ...person, ...(who === 'octo' ? ['--admin'] : []));
    return /Access token was successfully created\W*(\w+)/.exec(made)?.[1] ?? '';
  };
  const tokens = { octo: tokenOf('octo'), reviewer: tokenOf('reviewer'), stranger: tokenOf('stranger') };
  let web: ChildProcess | null = null;
  const log = join(root, 'web.log');
  const start = async (): Promise<void> => {
    const out = openSync(log, 'a');
    const child = spawn(join(bin, 'gitea'), ['--config', ini, 'web'], { env, stdio: ['ignore', out, out] });
    web = child;
    await until('Gitea answers', async () => {
      if (child.exitCode !== null) throw new Error(`Gitea ended:\n${readFileSync(log, 'utf8').slice(-2000)}`);
      return await fetch(`${url}/api/v1/version`).then(
        ({ ok }) => ok,
        () => false,
      );
    });
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const child = web;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  };
  const ask: Gitea['ask'] = (who, method, path, body) => send(url, method, path, body, `token ${tokens[who]}`);
  process.once('exit', () => web?.kill('SIGKILL'));
  await start();
  return {
    url,
    repos: join(root, 'repos'),
    tokens,
    ask,
    start,
    kill: () => end('SIGKILL'),
    remove: async () => {
      await end('SIGTERM');
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function send(
  url: string,
  method: string,
  path: string,
  body: object | undefined,
  login: string,
): Promise<unknown> {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: login, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text === '' ? null : (JSON.parse(text) as unknown);
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

const settings = (root: string, bin: string, port: number): string => `RUN_MODE = prod
RUN_USER = ${userInfo().username}
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
WORK_PATH = ${root}
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = http://127.0.0.1:${port}/
DISABLE_SSH = true
OFFLINE_MODE = true
LFS_START_SERVER = false
STATIC_ROOT_PATH = ${bin}
[database]
DB_TYPE = sqlite3
PATH = ${join(root, 'gitea.db')}
[repository]
ROOT = ${join(root, 'repos')}
[security]
INSTALL_LOCK = true
SECRET_KEY = of-tests
PASSWORD_HASH_ALGO = pbkdf2$1
[service]
DISABLE_REGISTRATION = true
[actions]
ENABLED = false
[cron]
ENABLED = false
[indexer]
ISSUE_INDEXER_TYPE = db
[session]
PROVIDER = memory
[picture]
DISABLE_GRAVATAR = true
[log]
MODE = console
LEVEL = Warn
`;
