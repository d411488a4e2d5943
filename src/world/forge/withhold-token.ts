import type { Settings } from '../../core/model/settings.ts';

const USUAL = ['GH_TOKEN', 'GITHUB_TOKEN', 'GH_ENTERPRISE_TOKEN', 'GITEA_TOKEN', 'FORGEJO_TOKEN'];

/**
 * What agents, gates and setup may know of the user's environment: never the token that we speak to the forge with, under whatever
 * name it stands there, also where somebody passes it on. `isUsed`: this process may speak to a forge.
 */
export function withoutToken(
  env: NodeJS.ProcessEnv,
  { tokenEnv }: Pick<Settings['forge'], 'tokenEnv'>,
  isUsed: boolean,
): NodeJS.ProcessEnv {
  if (!isUsed && tokenEnv === null) return env;
  const names = tokenEnv === null ? USUAL : [tokenEnv];
  const tokens = names.map((name) => env[name]?.trim() ?? '').filter((value) => value !== '');
  const holds = (value: string | undefined): boolean => tokens.some((token) => value?.includes(token) === true);
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => !names.includes(name) && !holds(value)));
}
