import { isAbsolute, join, relative, resolve } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { shellLine, shellWord } from '../../core/model/shell-word.ts';
import { checkConfig } from '../../world/config-files.ts';
import type { LoadedConfig } from '../../world/config-files.ts';
import type { Repository } from '../../world/git/run/repository.ts';
import { realpathLoose } from '../../world/git/files/worktree-admin.ts';
import { CONFIG_NAME } from '../../world/target-config.ts';
import { leadsOut } from '../../world/trackers/task-text.ts';
import { isThere } from '../../world/os/read-if-there.ts';
import type { Call } from './handler.ts';

/** The configuration as it counts for a call from this folder. */
export async function checkConfigHere(call: Call, repo: Repository): Promise<LoadedConfig> {
  const config = await checkConfig({ repo, env: call.env, flags: withTaskFile(call, repo) });
  refuseOther(call, repo, config.own);
  return config;
}

const TASKS = 'tasks';

/** Task files are named from the folder one stands in, as files are everywhere; one that is not there, from the top. */
function withTaskFile({ cwd, settings }: Call, { worktree }: Repository): ReadonlyMap<string, string> {
  const named = settings.get(TASKS);
  if (named === undefined) return settings;
  const place = (one: string): string => {
    const here = resolve(cwd, one);
    if (isAbsolute(one) || (!/^\.\.?\//.test(one) && !isThere(here))) return one;
    const path = relative(worktree, here);
    return leadsOut(path) ? here : path;
  };
  const several = listOf(named);
  return new Map([...settings, [TASKS, several === null ? place(named) : JSON.stringify(several.map(place))]]);
}

/** What is no list of names is for the check of settings to refuse. */
function listOf(named: string): readonly string[] | null {
  if (!named.startsWith('[')) return null;
  try {
    const value: unknown = JSON.parse(named);
    return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : null;
  } catch {
    return null;
  }
}

/** Whoever stands beside settings takes them for those that count. */
function refuseOther({ cwd, words }: Call, { root, worktree }: Repository, own: string | null): void {
  const folder = realpathLoose(cwd);
  const other = join(folder, CONFIG_NAME);
  // Which branch's file counts at the top of a checkout is asked where it is read.
  if (folder === worktree || other === own || !isThere(other)) return;
  const counts = own ?? join(root, CONFIG_NAME);
  const typed = words[0] === '-C' ? words.slice(2) : words;
  throw new AppError(
    'E_CONFIG',
    `${relative(worktree, other)} does not count: settings are those of ${counts}${own === null ? ', which is not there yet' : ''}`,
    {
      facts: ['a repository has one configuration, at its top'],
      remedy: own === null ? `mv ${shellWord(other)} ${shellWord(counts)}` : `ralph -C ${shellLine([root, ...typed])}`,
    },
  );
}
