import { AppError } from '../../core/model/errors.ts';
import type { LoopId, Sha } from '../../core/model/ids.ts';
import type { Foreseen } from '../../core/model/model.ts';
import { attributeFolder } from '../git/merge/attributes.ts';
import { mergeBatch } from './merge-batch.ts';
import { type PathChanges, mayClash, readChanges } from './path-changes.ts';
import type { Repository } from '../git/run/repository.ts';
import { type ThrowawayObjects, openThrowaway } from '../git/objects/throwaway-objects.ts';
import type { GitView } from '../git/run/view.ts';
import { errnoOf } from '../os/system-failure.ts';
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
