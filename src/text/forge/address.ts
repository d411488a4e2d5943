import type { ForgeKind } from '../../core/model/settings.ts';

/** Where a repository is on a forge, as the URL of a remote tells it. */
export interface ForgeAddress {
  readonly host: string;
  /** Scheme, host and port of its pages. */
  readonly origin: string;
  readonly owner: string;
  readonly name: string;
}

const URLS = [
  /^(?<scheme>https?):\/\/(?:[^@/]*@)?(?<host>[^/:]+)(?::(?<port>\d+))?\/(?<owner>[\w.-]+)\/(?<name>[\w.-]+?)(?:\.git)?\/?$/i,
  /^ssh:\/\/(?:[^@/]*@)?(?<host>[^/:]+)(?::\d+)?\/(?<owner>[\w.-]+)\/(?<name>[\w.-]+?)(?:\.git)?\/?$/i,
  /^(?:[^@/:]+@)?(?<host>[\w.-]+):(?<owner>[\w.-]+)\/(?<name>[\w.-]+?)(?:\.git)?\/?$/i,
];
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/i;

/** Null: a folder, or something else that is no forge. */
export function parseAddress(url: string): ForgeAddress | null {
  const found = URLS.map((pattern) => pattern.exec(url.trim())?.groups).find((groups) => groups !== undefined);
  if (found === undefined) return null;
  const { scheme, host = '', port, owner = '', name = '' } = found;
  // A token goes in the clear to nobody but this machine.
  const isPlain = scheme?.toLowerCase() === 'http' && LOOPBACK.test(host);
  const at = port === undefined ? host : `${host}:${port}`;
  return { host: at.toLowerCase(), origin: `${isPlain ? 'http' : 'https'}://${at}`, owner, name };
}

const GITEAS = /(?:^|\.)(?:codeberg\.org|gitea\.com|gitea\.[\w.-]+|forgejo\.[\w.-]+)(?::\d+)?$/i;
const GITHUBS = /(?:^|\.)(?:github\.com|ghe\.com|github\.[\w.-]+)(?::\d+)?$/i;

/** What kind of forge a host is, where its name tells; null: somebody has to say. */
export function kindOfHost(host: string): ForgeKind | null {
  if (GITHUBS.test(host)) return 'github';
  return GITEAS.test(host) ? 'gitea' : null;
}

/** Where a forge answers. */
export function apiOf(kind: ForgeKind, origin: string): string {
  const base = origin.replace(/\/+$/, '');
  if (kind === 'gitea') return `${base}/api/v1`;
  return /^https:\/\/(?:api\.)?github\.com$/i.test(base) ? 'https://api.github.com' : `${base}/api/v3`;
}
