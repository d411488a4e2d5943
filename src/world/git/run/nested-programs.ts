import { lstatSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join, dirname, resolve } from 'node:path';
import { inertValue, lookAtSettings } from './executing-settings.ts';
import type { Entries, ListSettings } from './executing-settings.ts';
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

export interface GitFolders {
  readonly commonDir: string;
  /** Of the worktree; for the main checkout the same. */
  readonly gitDir: string;
}

/** The repository that git would find from a folder, by reading files: this is asked before every git command. */
export function gitFoldersOf(cwd: string): GitFolders | null {
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

/** How an index begins to tell of another one that holds its entries: a word, and a small number of bytes. */
const SPLIT = 'link\0\0';
/** From this version on a name is only what it has that the one before has not. */
const SHORTENED = 4;

const isSplit = (index: Buffer): boolean => index.includes(SPLIT);

/** Whether git may know a file below a folder at the top of a worktree, told without a process. */
export function mayTrackBelow(cwd: string, folder: string): boolean {
  const place = gitFoldersOf(cwd);
  const index = place === null ? null : readIfThere(join(place.gitDir, 'index'));
  if (index === null || index.length < 8) return true;
  return index.readUInt32BE(4) >= SHORTENED || isSplit(index) || index.includes(`${folder}/`);
}
