import { join } from 'node:path';
import { inertValue, lookAtSettings, ownSettings } from './executing-settings.ts';
import { gitFoldersOf, inertSettings, nestedPrograms } from './nested-programs.ts';
import { trustOf, trustedShallow } from './trust.ts';
import type { Entries, ListSettings, Settings } from './executing-settings.ts';
import type { GitFolders, ListLinks } from './nested-programs.ts';
import type { Trust } from './trust.ts';

/** How to run git so that it does not run what was planted. */
export interface Guard {
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

/**
 * A way under which git does not run what an agent may have written into the repository's config. In a run, programs count only if
 * they were set before its first agent started: the user's own filters go on to work. Null: nothing to fear.
 */
export function distrust(cwd: string, args: readonly string[], ask: Ask, isStrange = false): Promise<Guard> | null {
  const place = gitFoldersOf(cwd);
  if (place === null) return null;
  const trust = trustOf(place.commonDir);
  const looksInside = LOOKING_INSIDE.some((word) => args.includes(word));
  if (trust === null && !looksInside && !isStrange) return null;
  const order = { place, looksInto: looksInside ? cwd : null, isStrange };
  return guardFrom(trust, order, args.includes(NONE_IGNORED) ? deeply(args) : args, ask);
}

const NONE_IGNORED = '--ignore-submodules=none';
/** For a command that looks at the files of repositories inside and cannot be told so by that flag. */
export const DEEPLY = 'diff.ignoreSubmodules=none';
const LOOKING_INSIDE = [NONE_IGNORED, DEEPLY, 'submodule'];

interface Order {
  readonly place: GitFolders;
  /** Where to look for repositories inside; null: git does not look into them. */
  readonly looksInto: string | null;
  /** The repository is one that an agent may have made: nothing of what it sets counts. */
  readonly isStrange: boolean;
}

/** What has to be asked of git. Neither may execute anything. */
export interface Ask {
  readonly list: ListSettings;
  readonly links: ListLinks;
}

/** What is set for everybody in the repository. */
export const sharedSettings = (commonDir: string, list: ListSettings): Promise<Settings> =>
  settingsIn({ commonDir, gitDir: commonDir }, list);

const settingsIn = ({ commonDir, gitDir }: GitFolders, list: ListSettings): Promise<Settings> =>
  lookAtSettings([join(commonDir, 'config'), join(gitDir, 'config.worktree')], list);

async function guardFrom(
  trust: Trust | null,
  { place, looksInto, isStrange }: Order,
  args: readonly string[],
  { list, links }: Ask,
): Promise<Guard> {
  const inside = looksInto === null ? [] : await nestedPrograms(looksInto, links, list);
  const nested = isStrange ? [...(await inertSettings(place, list)), ...inside] : inside;
  const trusted = trust?.settings ?? {};
  const planted = trust === null ? [] : await findPlanted(trust, place, list);
  const shallow = trustedShallow(place.commonDir);
  if (planted.length + nested.length === 0) return { env: shallow, args };
  const own = await ownSettings(list);
  const last = new Map(own);
  const good = new Map(planted.map((key) => [key, trusted[key]?.at(-1) ?? last.get(key) ?? inertValue(key) ?? '']));
  const settings: Entries = [...good].filter(([key]) => !HELPER.test(key));
  const helpers: Entries = planted.some((key) => HELPER.test(key)) ? helpersAgain(own, trusted) : [];
  const all = [...settings, ...helpers, ...nested];
  return { env: { ...shallow, ...variablesFor(all, good) }, args: withoutPlantedPacks(args, good) };
}

/** Keys of what was set since. */
async function findPlanted({ settings }: Trust, place: GitFolders, list: ListSettings): Promise<readonly string[]> {
  const now = await settingsIn(place, list);
  const keys = [...new Set([...Object.keys(now), ...Object.keys(settings)])];
  return keys.filter((key) => !isSame(now[key], settings[key]));
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

const commandAt = (args: readonly string[]): number =>
  args.findIndex((word, index) => !word.startsWith('-') && args[index - 1] !== '-c');

/** Whoever looks into repositories inside looks into theirs, too; our flags reach the git that does it. */
const deeply = (args: readonly string[]): readonly string[] => args.toSpliced(commandAt(args), 0, '-c', DEEPLY);

function withoutPlantedPacks(args: readonly string[], good: ReadonlyMap<string, string>): readonly string[] {
  const at = commandAt(args);
  const pack = PACKS.get(args[at] ?? '');
  const key = args.map((word) => `remote.${word}.${pack?.replace('-', '') ?? ''}`).find((one) => good.has(one));
  if (pack === undefined || key === undefined) return args;
  return args.toSpliced(at + 1, 0, `--${pack}=${good.get(key) ?? ''}`);
}

const isSame = (one: readonly string[] = [], other: readonly string[] = []): boolean =>
  one.length === other.length && one.every((value, at) => value === other[at]);
