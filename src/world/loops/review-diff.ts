import type { Sha } from '../../core/model/ids.ts';
import type { Loop, State } from '../../core/model/model.ts';
import { changedPaths } from '../git/objects/trees.ts';
import type { GitView } from '../git/run/view.ts';
import type { Write } from '../os/rewrite-stream.ts';
import { findLoopDiff } from './loop-diff.ts';

/** What is read before the rest. */
export type ReadFirst = 'obeyed' | 'deletes-test' | 'shortens-test';

export interface ReviewFile {
  readonly path: string;
  /** null: no text. */
  readonly added: number | null;
  readonly removed: number | null;
  readonly isDeleted: boolean;
  readonly first: ReadFirst | null;
}

export interface ReviewDiff {
  readonly base: Sha;
  readonly head: Sha;
  /** What a person read last, where this shows only what changed since; null: all of it. */
  readonly since: Sha | null;
  /** What has to be seen comes first. */
  readonly files: readonly ReviewFile[];
}

/** What a person has to read of a loop: all of it or, `isWhole` aside, what changed since they read it last. Null: there is nothing. */
export async function findReviewDiff(
  view: GitView,
  { state, loop, target }: { readonly state: State; readonly loop: Loop; readonly target: string },
  isWhole: boolean,
): Promise<ReviewDiff | null> {
  const made = await findLoopDiff(view, state, loop, target);
  if (made === null) return null;
  const seen = loop.reviewed?.head ?? null;
  const isAnew = isWhole || seen === null || seen === made.head || !(await isThere(view, seen));
  const from = isAnew ? made.base : seen;
  const own = new Set(isAnew ? [] : await ownPaths(view, made, seen));
  const files = (await countLines(view, from, made.head))
    .filter(({ path }) => isAnew || own.has(path))
    .map((file) => ({ ...file, first: readFirst(loop, file) }));
  const sorted = files.toSorted((a, b) => Number(b.first !== null) - Number(a.first !== null));
  return { base: from, head: made.head, since: isAnew ? null : seen, files: sorted };
}

const isThere = async (view: GitView, commit: Sha): Promise<boolean> =>
  (await view.run(['cat-file', '-e', `${commit}^{commit}`], { ok: [0, 1, 128] })).code === 0;

/** Main may have come in between: files that the loop itself touches, before or now. */
async function ownPaths(
  view: GitView,
  { base, head }: { readonly base: Sha; readonly head: Sha },
  seen: Sha,
): Promise<readonly string[]> {
  const { stdout } = await view.run(['merge-base', base, seen], { ok: [0, 1] });
  const fork = stdout.trim() === '' ? base : (stdout.trim() as Sha);
  return [...(await changedPaths(view, base, head)), ...(await changedPaths(view, fork, seen))];
}

async function countLines(view: GitView, from: Sha, to: Sha): Promise<readonly Omit<ReviewFile, 'first'>[]> {
  const { stdout } = await view.run(['diff-tree', '-r', '-z', '--numstat', '--raw', '--no-renames', from, to]);
  const words = stdout.split('\0').filter((word) => word !== '');
  const deleted = new Set(words.flatMap((word, at) => (/^:.* D$/.test(word) ? [words[at + 1] ?? ''] : [])));
  return words.flatMap((word) => {
    const [, added = '', removed = '', path = ''] = /^(\d+|-)\t(\d+|-)\t([^]*)$/.exec(word) ?? [];
    const count = (text: string): number | null => (text === '-' ? null : Number(text));
    return path === '' ? [] : [{ path, added: count(added), removed: count(removed), isDeleted: deleted.has(path) }];
  });
}

const TEST = /(?:^|\/)(?:tests?|__tests__|specs?)\/|[._-](?:test|spec)s?\.[^/]+$|(?:^|\/)test_[^/]+$/i;

/** A path is told with what in it counts, or with where it leads. */
const isObeyed = ({ obeyed = [] }: Loop, path: string): boolean =>
  obeyed.some((told) => told === path || told.startsWith(`${path} (`) || told.startsWith(`${path} -> `));

function readFirst(loop: Loop, { path, added, removed, isDeleted }: Omit<ReviewFile, 'first'>): ReadFirst | null {
  if (isObeyed(loop, path)) return 'obeyed';
  if (!TEST.test(path)) return null;
  if (isDeleted) return 'deletes-test';
  return (removed ?? 0) > (added ?? 0) ? 'shortens-test' : null;
}

/** The patch of some files in the order in which they are named, a few hundred at a time. */
export const writeReview =
  (view: GitView, { base, head, files }: ReviewDiff): Write =>
  async (sink) => {
    const first = files.filter((file) => file.first !== null);
    const rest = files.filter((file) => file.first === null);
    for (const group of [first, rest])
      for (let at = 0; at < group.length; at += PATHS_AT_ONCE) {
        const specs = group.slice(at, at + PATHS_AT_ONCE).map(({ path }) => `:(literal)${path}`);
        await view.bytes([...PATCH, base, head, '--', ...specs], { sink });
      }
  };

const PATHS_AT_ONCE = 200;
const PATCH = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--patch'];
