import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { inertValue, lookAtSettings, ownSettings } from './executing-settings.ts';
import type { ListSettings, Settings } from './executing-settings.ts';
import { openSealsOf } from './open-seals.ts';
import type { OpenSeal } from './open-seals.ts';

/**
 * Variables under which git does not run what an agent may have written into the repository's config. While an iteration is not
 * checked, programs count only if they were set before it began: the user's own filters go on to work. Null: nothing to fear.
 */
export function distrust(cwd: string, list: ListSettings): Promise<Readonly<Record<string, string>>> | null {
  const place = gitFoldersOf(cwd);
  if (place === null) return null;
  const [oldest] = openSealsOf(place.commonDir);
  return oldest === undefined ? null : withoutPlanted(oldest, place, list);
}

/** What is set for everybody in the repository. */
export const sharedSettings = (commonDir: string, list: ListSettings): Promise<Settings> =>
  settingsIn({ commonDir, gitDir: commonDir }, list);

interface GitFolders {
  readonly commonDir: string;
  /** Of the worktree; for the main checkout the same. */
  readonly gitDir: string;
}

const settingsIn = ({ commonDir, gitDir }: GitFolders, list: ListSettings): Promise<Settings> =>
  lookAtSettings([join(commonDir, 'config'), join(gitDir, 'config.worktree')], list);

async function withoutPlanted(
  { trusted, present }: OpenSeal,
  place: GitFolders,
  list: ListSettings,
): Promise<Readonly<Record<string, string>>> {
  const now = await settingsIn(place, list);
  const keys = [...new Set([...Object.keys(now), ...Object.keys(trusted)])];
  const planted = keys.filter((key) => !isSame(now[key], trusted[key]) && !isSame(now[key], present[key]));
  if (planted.length === 0) return {};
  const own = await ownSettings(list);
  // Not by flags: those cannot name a filter with an equals sign in its name.
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(planted.length) };
  for (const [at, key] of planted.entries()) {
    variables[`GIT_CONFIG_KEY_${at}`] = key;
    variables[`GIT_CONFIG_VALUE_${at}`] = trusted[key]?.at(-1) ?? own.get(key) ?? inertValue(key) ?? '';
  }
  return variables;
}

const isSame = (one: readonly string[] = [], other: readonly string[] = []): boolean =>
  one.length === other.length && one.every((value, at) => value === other[at]);

/** The repository that git would find from a folder, by reading files: this is asked before every git command. */
function gitFoldersOf(cwd: string): GitFolders | null {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const dotGit = join(folder, '.git');
    const stat = statSync(dotGit, { throwIfNoEntry: false });
    if (stat?.isDirectory() === true) return { commonDir: dotGit, gitDir: dotGit };
    if (stat?.isFile() === true) return linkedFolders(dotGit);
    if (existsSync(join(folder, 'HEAD')) && existsSync(join(folder, 'objects')))
      return { commonDir: folder, gitDir: folder };
    if (folder === dirname(folder)) return null;
  }
}

function linkedFolders(dotGit: string): GitFolders | null {
  try {
    const [, named = ''] = /^gitdir: (.+?)\r?\n?$/s.exec(readFileSync(dotGit, 'utf8')) ?? [];
    const gitDir = resolve(dirname(dotGit), named);
    const shared = join(gitDir, 'commondir');
    const commonDir = existsSync(shared) ? resolve(gitDir, readFileSync(shared, 'utf8').trimEnd()) : gitDir;
    return { commonDir, gitDir };
  } catch {
    // Not a worktree, or no longer one: git will say so.
    return null;
  }
}
