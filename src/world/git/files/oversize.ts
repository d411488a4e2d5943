import type { Sha } from '../../../core/model/ids.ts';
import type { NewLimits } from '../../../core/model/settings.ts';
import {
  type NewFile,
  type Oversize,
  asIgnored,
  asRepository,
  describeOversized,
  findMadeFolders,
  findOversized,
  isMade,
  madeFolder,
} from '../../../text/oversize.ts';
import { ignoredOf } from './ignore-files.ts';
import { type Change, GITLINK, foldersAbove, readChanges, shown } from '../objects/raw-changes.ts';
import { treeOf } from '../objects/trees.ts';
import type { GitView } from '../run/view.ts';

export interface Grown {
  /** Where the loop began. */
  readonly base: Sha;
  /** What is committed already, as a tree; null: all of `tree` is to be judged. */
  readonly before: Sha | null;
  readonly tree: Sha;
  /** Where it was made: what git ignores there is named; null: nobody knows any more. */
  readonly path: string | null;
}

/** New files of a tree that are too much to land, ignored, or made by tools. Costs one look where nothing is new. */
export async function findOversize(
  view: GitView,
  { base, before, tree, path: worktree }: Grown,
  limits: NewLimits,
): Promise<readonly Oversize[]> {
  const latest = await readChanges(view, before ?? base, tree);
  const fresh = new Set(latest.filter(isNew).map(({ path }) => path));
  if (fresh.size === 0) return [];
  const all = before === null || before === (await treeOf(view, base)) ? latest : await readChanges(view, base, tree);
  const { added, gone } = withoutMoved(all);
  const tracked = await trackedOf(view, base, namesOf(added));
  const unmade = added.filter(({ path }) => madeFolder(path, tracked) === null);
  const sizes = await sizesOf(view, unmade);
  const names = namesOf(unmade).filter((path) => fresh.has(path));
  const forced = worktree === null ? new Set<string>() : await ignoredOf(worktree, names, ['--no-index']);
  const files: readonly NewFile[] = added.map(({ path, after }) => ({
    path,
    bytes: sizes.get(after?.id ?? '') ?? 0,
    isFixed: !fresh.has(path),
  }));
  const ignored = names.filter((path) => forced.has(path));
  const rest = files.filter(({ path }) => !ignored.includes(path));
  const links = await bareLinks(view, tree, unmade);
  return [...links.map(asRepository), ...ignored.map(asIgnored), ...findOversized(rest, { limits, tracked, gone })];
}

/** Folders that tools make among files that git does not track. */
export async function findMade(view: GitView, base: Sha, untracked: readonly string[]): Promise<readonly Oversize[]> {
  return findMadeFolders(untracked, await trackedOf(view, base, untracked));
}

export const pathsOf = (found: readonly Oversize[]): readonly string[] => found.flatMap(({ paths }) => paths);

export const inWords = (found: readonly Oversize[], limits: NewLimits): string =>
  describeOversized(
    found.map((one) => ({ ...one, name: shown(one.name) })),
    limits,
  );

/** What became of them, in words. */
export const describeOmitted = (found: readonly Oversize[], limits: NewLimits): string =>
  `files were left out of the commit: ${inWords(found, limits)}`;

const namesOf = (changes: readonly Change[]): readonly string[] => changes.map(({ path }) => path);

const isNew = ({ before }: Change): boolean => before === null;

/** A link to a commit without a place to fetch it from: whoever clones finds an empty folder. */
async function bareLinks(view: GitView, tree: Sha, added: readonly Change[]): Promise<readonly string[]> {
  const links = namesOf(added.filter(({ after }) => after?.mode === GITLINK));
  if (links.length === 0) return [];
  const args = ['config', '--blob', `${tree}:.gitmodules`, '-z', '--get-regexp', String.raw`^submodule\..*\.path$`];
  const { stdout } = await view.bytes(args, { ok: [0, 1, 128] });
  const entries = stdout.toString('latin1').split('\0');
  const declared = new Set(entries.map((entry) => entry.slice(entry.indexOf('\n') + 1)));
  return links.filter((link) => !declared.has(link));
}

/** A file that only has another name now is nothing new, whatever the folder. */
function withoutMoved(changes: readonly Change[]): { readonly added: readonly Change[]; readonly gone: number } {
  const gone = changes.filter(({ after }) => after === null);
  const known = new Set(gone.map(({ before }) => before?.id));
  const fresh = changes.filter(isNew);
  const added = fresh.filter(({ after }) => !known.has(after?.id));
  return { added, gone: Math.max(0, gone.length - (fresh.length - added.length)) };
}

/** Of the folders that tools make, those that the base has. */
async function trackedOf(view: GitView, base: Sha, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (!paths.some((path) => foldersAbove(path).some(isMade))) return new Set();
  const { stdout } = await view.bytes(['ls-tree', '-r', '-d', '-z', '--name-only', base]);
  return new Set(stdout.toString('latin1').split('\0').filter(isMade));
}

async function sizesOf(view: GitView, added: readonly Change[]): Promise<ReadonlyMap<string, number>> {
  const ids = added.flatMap(({ after }) => (after === null || after.mode === GITLINK ? [] : [after.id]));
  if (ids.length === 0) return new Map();
  const { stdout } = await view.run(['cat-file', '--batch-check'], { input: ids.map((id) => `${id}\n`).join('') });
  return new Map([...stdout.matchAll(/^([0-9a-f]+) blob (\d+)$/gm)].map(([, id = '', size]) => [id, Number(size)]));
}
