import { AppError } from '../../core/model/errors.ts';
import type { LoopId, Sha } from '../../core/model/ids.ts';
import type { Foreseen } from '../../core/model/model.ts';
import { attributeFolder } from '../git/merge/attributes.ts';
import type { Repository } from '../git/run/repository.ts';
import type { ThrowawayObjects } from '../git/objects/throwaway-objects.ts';
import { openThrowaway } from '../git/objects/throwaway-objects.ts';
import type { GitView, ViewOptions } from '../git/run/view.ts';
import { errnoOf } from '../os/system-failure.ts';
import { sha } from '../../core/model/ids.ts';
import type { Foresight } from '../contract/world.ts';

export interface ForesightPlace {
  readonly repo: Repository;
  readonly view: GitView;
  /** Paths that a rule of ours merges: the tracker, and those with a merge driver. They never conflict. */
  readonly isSettled?: (path: string) => boolean;
}

/** More would tell nobody more. */
const PATHS_MAX = 50;

type Order = Parameters<Foresight['look']>[0];
type Picture = Readonly<Record<LoopId, readonly Foreseen[]>>;

/** What a loop has committed. */
interface Tip {
  readonly loop: LoopId;
  readonly base: Sha;
  readonly head: Sha;
  readonly changes: PathChanges;
}

interface Clash {
  readonly a: Tip;
  /** Null: main. */
  readonly b: Tip | null;
  readonly paths: readonly string[];
}

/** Advice, so nothing here is worth an error: of what cannot be looked at, nothing is said. An aborted look says nothing. */
export function openForesight({ repo, view, isSettled = () => false }: ForesightPlace): Foresight {
  return {
    look: async (order) => {
      let objects: ThrowawayObjects | null = null;
      try {
        const tips = await tipsOf(view, order);
        const pairs = await pairsOf(view, order.integration, tips);
        if (pairs.length === 0 || order.signal.aborted) return {};
        objects = openThrowaway(repo);
        const options = { workTree: await attributeFolder(view, order.integration), env: objects.env };
        const merges = await mergeBatch(
          view,
          pairs.map(([a, b]) => [b?.head ?? order.integration, a.head]),
          options,
        );
        const clashes = pairs.map(([a, b], at) => ({ a, b, paths: merges[at]?.conflicts ?? [] }));
        return order.signal.aborted ? {} : pictureOf(clashes, isSettled);
      } catch (error) {
        if (!isOfTheWorld(error)) throw error;
        return {};
      } finally {
        objects?.remove();
      }
    },
  };
}

/** Not a bug: somebody removed what we looked at, or the disk is full. */
const isOfTheWorld = (error: unknown): boolean => error instanceof AppError || errnoOf(error) !== null;

async function tipsOf(view: GitView, { loops, signal }: Order): Promise<readonly Tip[]> {
  const tips: Tip[] = [];
  for (const { loop, base, head } of loops) {
    if (signal.aborted) return [];
    try {
      tips.push({ loop, base, head, changes: await changesBetween(view, base, head) });
    } catch (error) {
      if (!isOfTheWorld(error)) throw error;
    }
  }
  return tips.sort((a, b) => (a.loop < b.loop ? -1 : 1));
}

/** Most share nothing, and that is seen without a merge. */
async function pairsOf(view: GitView, integration: Sha, tips: readonly Tip[]): Promise<readonly [Tip, Tip | null][]> {
  const landed = new Map<Sha, PathChanges>();
  for (const { base } of tips) if (!landed.has(base)) landed.set(base, await changesBetween(view, base, integration));
  const isNear = ({ base, changes }: Tip): boolean => {
    const since = landed.get(base);
    return since !== undefined && mayClash(changes, since);
  };
  return tips.flatMap((a, at): [Tip, Tip | null][] => [
    ...(isNear(a) ? ([[a, null]] as [Tip, null][]) : []),
    ...tips.slice(at + 1).flatMap((b): [Tip, Tip][] => (mayClash(a.changes, b.changes) ? [[a, b]] : [])),
  ]);
}

async function changesBetween(view: GitView, from: Sha, to: Sha): Promise<PathChanges> {
  const args = ['diff-tree', '-r', '-z', '--name-status', '--no-renames', from, to];
  return readChanges((await view.bytes(args)).stdout);
}

/** In a fixed order, so that two looks at the same thing are equal. */
function pictureOf(clashes: readonly Clash[], isSettled: (path: string) => boolean): Picture {
  const found = new Map<LoopId, Foreseen[]>();
  const add = (loop: LoopId, other: LoopId | null, raw: readonly string[]): void => {
    const paths = raw.map((path) => Buffer.from(path, 'latin1').toString('utf8')).filter((path) => !isSettled(path));
    if (paths.length === 0) return;
    found.set(loop, [...(found.get(loop) ?? []), { with: other, paths: paths.sort().slice(0, PATHS_MAX) }]);
  };
  const withMain = new Map(clashes.flatMap(({ a, b, paths }) => (b === null ? [[a, paths]] : [])));
  for (const { a, b, paths } of clashes) {
    if (b === null) {
      add(a.loop, null, paths);
      continue;
    }
    // What conflicts with main has to be resolved first, and then differently: it says nothing about the two.
    const mains = new Set([...(withMain.get(a) ?? []), ...(withMain.get(b) ?? [])]);
    const own = paths.filter((path) => !mains.has(path));
    add(a.loop, b.loop, own);
    add(b.loop, a.loop, own);
  }
  const inOrder = (a: Foreseen, b: Foreseen): number => ((a.with ?? '') < (b.with ?? '') ? -1 : 1);
  const loops = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(loops.map(([loop, list]) => [loop, list.sort(inOrder)]));
}

interface BatchMerge {
  readonly tree: Sha;
  /** Bytes as latin1; empty: it merges. */
  readonly conflicts: readonly string[];
}

/**
 * Merges many pairs of commits in one process. Null: this pair cannot be merged at all (a commit is gone, or they have no
 * common ancestor). git answers nothing before its input ends and stops at the first such pair, so the rest is asked again.
 */
async function mergeBatch(
  view: GitView,
  pairs: readonly (readonly [Sha, Sha])[],
  options: Pick<ViewOptions, 'workTree' | 'env'>,
): Promise<readonly (BatchMerge | null)[]> {
  const merges: (BatchMerge | null)[] = [];
  while (merges.length < pairs.length) {
    const asked = pairs.slice(merges.length);
    const args = ['merge-tree', '--write-tree', '--stdin', '-z', '--name-only', '--no-messages'];
    const input = asked.map((pair) => `${pair.join(' ')}\n`).join('');
    const { stdout } = await view.bytes(args, { ...options, input, ok: [0, 1, 128] });
    const answers = readAnswers(stdout.toString('latin1'));
    merges.push(...answers.slice(0, asked.length));
    if (answers.length < asked.length) merges.push(null);
  }
  return merges;
}

/** Each is a flag, the tree, the paths that conflict, and an empty field. */
function readAnswers(output: string): readonly BatchMerge[] {
  const fields = output.split('\0');
  const answers: BatchMerge[] = [];
  for (let at = 0; at < fields.length;) {
    const end = fields.indexOf('', at);
    const [flag, tree, ...paths] = fields.slice(at, end);
    if (end === -1 || tree === undefined) break;
    // What conflicts without naming a path (git says that can be) is told by its flag alone.
    const conflicts = flag === '1' ? [] : [...new Set(paths.length === 0 ? ['.'] : paths)];
    answers.push({ tree: sha(tree), conflicts });
    at = end + 1;
  }
  return answers;
}

/** What differs between two trees, laid out so that two of them are quickly compared. Paths are bytes as latin1. */
interface PathChanges {
  readonly paths: ReadonlySet<string>;
  /** Every folder above a changed path. */
  readonly above: ReadonlySet<string>;
  /** The same for paths that are new, and for those that are gone: a rename is one of each. */
  readonly aboveNew: ReadonlySet<string>;
  readonly aboveGone: ReadonlySet<string>;
}

/** For `diff-tree -r -z --name-status --no-renames`. */
function readChanges(output: Buffer): PathChanges {
  const fields = output.toString('latin1').split('\0');
  const paths = new Set<string>();
  const above = new Set<string>();
  const aboveNew = new Set<string>();
  const aboveGone = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const path = fields[at + 1] ?? '';
    paths.add(path);
    addAbove(above, path);
    if (fields[at] === 'A') addAbove(aboveNew, path);
    if (fields[at] === 'D') addAbove(aboveGone, path);
  }
  return { paths, above, aboveNew, aboveGone };
}

/** Whether a merge of the two could conflict at all. Most pairs share nothing, and this costs no process. */
function mayClash(a: PathChanges, b: PathChanges): boolean {
  return (
    meet(a.paths, b.paths) ||
    // A file where the other has a folder.
    meet(a.paths, b.above) ||
    meet(a.above, b.paths) ||
    // A folder that moved away, and a new file in it.
    meet(a.aboveGone, b.aboveNew) ||
    meet(a.aboveNew, b.aboveGone)
  );
}

function addAbove(folders: Set<string>, path: string): void {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    const folder = path.slice(0, end);
    if (folders.has(folder)) return;
    folders.add(folder);
  }
}

function meet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [few, many] = a.size < b.size ? [a, b] : [b, a];
  for (const one of few) if (many.has(one)) return true;
  return false;
}
