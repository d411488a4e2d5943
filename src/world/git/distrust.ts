import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { inertValue, lookAtSettings, ownSettings } from './executing-settings.ts';
import type { Entries, ListSettings, Settings } from './executing-settings.ts';
import { openSealsOf } from './open-seals.ts';
import type { OpenSeal } from './open-seals.ts';

/** How to run git so that it does not run what was planted. */
export interface Guard {
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

/**
 * A way under which git does not run what an agent may have written into the repository's config. While an iteration is not
 * checked, programs count only if they were set before it began: the user's own filters go on to work. Null: nothing to fear.
 */
export function distrust(cwd: string, args: readonly string[], list: ListSettings): Promise<Guard> | null {
  const place = gitFoldersOf(cwd);
  if (place === null) return null;
  const [oldest] = openSealsOf(place.commonDir);
  return oldest === undefined ? null : guardFrom(oldest, place, args, list);
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

async function guardFrom(
  { trusted, present }: OpenSeal,
  place: GitFolders,
  args: readonly string[],
  list: ListSettings,
): Promise<Guard> {
  const now = await settingsIn(place, list);
  const keys = [...new Set([...Object.keys(now), ...Object.keys(trusted)])];
  const planted = keys.filter((key) => !isSame(now[key], trusted[key]) && !isSame(now[key], present[key]));
  if (planted.length === 0) return { env: {}, args };
  const own = await ownSettings(list);
  const last = new Map(own);
  const good = new Map(planted.map((key) => [key, trusted[key]?.at(-1) ?? last.get(key) ?? inertValue(key) ?? '']));
  const settings: Entries = [...good].filter(([key]) => !HELPER.test(key));
  const helpers: Entries = planted.some((key) => HELPER.test(key)) ? helpersAgain(own, trusted) : [];
  return { env: variablesFor([...settings, ...helpers], good), args: withoutPlantedPacks(args, good) };
}

const HELPER = /^credential\.(?:.+\.)?helper$/s;

/** One more would only be asked after those that are there: an empty one puts them all away, and the good ones come again. */
const helpersAgain = (own: Entries, trusted: Settings): Entries => [
  ['credential.helper', ''],
  ...own.filter(([key]) => HELPER.test(key)),
  ...Object.entries(trusted).flatMap(([key, values]) =>
    HELPER.test(key) ? values.map((value) => [key, value] as const) : [],
  ),
];

/** Not by flags: those cannot name a filter with an equals sign in its name. */
function variablesFor(settings: Entries, good: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) };
  for (const [at, [key, value]] of settings.entries()) {
    variables[`GIT_CONFIG_KEY_${at}`] = key;
    variables[`GIT_CONFIG_VALUE_${at}`] = value;
  }
  // Of several proxies git takes the first that fits, so the planted one; a variable goes before all of them.
  if (good.has('core.gitproxy')) variables['GIT_PROXY_COMMAND'] = '';
  return variables;
}

/** What git runs at the other end: of several settings it takes the first, so the planted one. A flag goes before all of them. */
const PACKS: ReadonlyMap<string, string> = new Map([
  ['fetch', 'upload-pack'],
  ['ls-remote', 'upload-pack'],
  ['push', 'receive-pack'],
]);

function withoutPlantedPacks(args: readonly string[], good: ReadonlyMap<string, string>): readonly string[] {
  const at = args.findIndex((word, index) => !word.startsWith('-') && args[index - 1] !== '-c');
  const pack = PACKS.get(args[at] ?? '');
  const key = args.map((word) => `remote.${word}.${pack?.replace('-', '') ?? ''}`).find((one) => good.has(one));
  if (pack === undefined || key === undefined) return args;
  return args.toSpliced(at + 1, 0, `--${pack}=${good.get(key) ?? ''}`);
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
