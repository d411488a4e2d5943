import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { inertValue, lookAtSettings } from './executing-settings.ts';
import type { Entries, ListSettings } from './executing-settings.ts';
import type { GitFolders } from './git-folders.ts';
import { gitFoldersOf } from './git-folders.ts';
import { isSplit } from './index-bytes.ts';
import { readIfThere } from '../../os/read-if-there.ts';

/** The mode of a link to another repository, as every entry of an index has it. */
const LINK = Buffer.from([0, 0, 0xe0, 0]);
const DEPTH_MAX = 5;

/** Paths in an index that link to other repositories; bytes as latin1. */
export type ListLinks = (cwd: string) => Promise<readonly string[]>;

/**
 * Settings under which git, looking at the files of repositories inside a worktree, runs none of the programs that the settings of
 * those repositories name: whoever made one of them, nobody has told us to obey it.
 */
export async function nestedPrograms(cwd: string, links: ListLinks, list: ListSettings, depth = 0): Promise<Entries> {
  const place = gitFoldersOf(cwd);
  if (place === null || depth > DEPTH_MAX || !mayHoldLinks(place)) return [];
  const inert: (readonly [string, string])[] = [];
  for (const link of await links(cwd)) {
    const folder = join(cwd, Buffer.from(link, 'latin1').toString());
    if (lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) === undefined) continue;
    const inside = gitFoldersOf(folder);
    if (inside === null) continue;
    inert.push(...(await inertSettings(inside, list)));
    inert.push(...(await nestedPrograms(folder, links, list, depth + 1)));
  }
  return inert;
}

/** What a repository sets and makes git run programs, put out of force. */
export async function inertSettings({ commonDir, gitDir }: GitFolders, list: ListSettings): Promise<Entries> {
  const settings = await lookAtSettings([join(commonDir, 'config'), join(gitDir, 'config.worktree')], list);
  return Object.keys(settings).map((key) => [key, inertValue(key) ?? ''] as const);
}

/** Without a process, for hardly any worktree has one. */
export function mayHoldLinks({ gitDir }: GitFolders): boolean {
  const index = readIfThere(join(gitDir, 'index'));
  return index !== null && (index.includes(LINK) || isSplit(index));
}
