import type { ForgeClient } from './client.ts';
import { openClient } from './client.ts';
import type { FoundForge } from './find-forge.ts';

const OPENED = new Map<string, ForgeClient>();

/** One for each forge and token: pull requests and issues share what an hour allows. */
export function clientFor({ kind, host, apiUrl, token }: FoundForge): ForgeClient {
  const key = `${apiUrl} ${token}`;
  const known = OPENED.get(key);
  if (known !== undefined) return known;
  const opened = openClient({ host, apiUrl, token, scheme: kind === 'gitea' ? 'token' : 'bearer' });
  OPENED.set(key, opened);
  return opened;
}
