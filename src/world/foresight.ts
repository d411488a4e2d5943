import type { LoopId } from '../core/ids.ts';
import type { Foreseen } from '../core/model.ts';
import { findClashes } from './foresight-merges.ts';
import type { Clashes } from './foresight-merges.ts';
import { type Look, type Tip, type WatchedLoop, isOfTheWorld, nothingSeen, tipOf } from './foresight-tips.ts';
import { ignoreFiles } from './git/ignore-files.ts';
import type { Repository } from './git/repository.ts';
import { type ThrowawayObjects, openThrowaway } from './git/throwaway-objects.ts';
import type { GitView } from './git/view.ts';
import type { Foresight } from './world.ts';

export interface ForesightPlace {
  readonly repo: Repository;
  readonly view: GitView;
  /** Paths that a rule of ours merges: the tracker, and those with a merge driver. They never conflict. */
  readonly isSettled?: (path: string) => boolean;
}

/** More would tell nobody more. */
const PATHS_MAX = 50;
/** The agents want the processor too. */
const LOOKS_AT_ONCE = 2;

type Picture = Readonly<Record<LoopId, readonly Foreseen[]>>;

/** Advice, so nothing here is worth an error: of what cannot be looked at, nothing is said. An aborted look says nothing. */
export function openForesight({ repo, view, isSettled = () => false }: ForesightPlace): Foresight {
  let before = nothingSeen();
  let excludes: Promise<readonly string[]> | null = null;
  return {
    look: async ({ integration, loops, signal }) => {
      let opened: ThrowawayObjects | null = null;
      const objects = (): ThrowawayObjects => (opened ??= openThrowaway(repo));
      try {
        excludes ??= ignoreFiles(repo);
        const look: Look = { place: { repo, view, excludes: await excludes }, before, now: nothingSeen(), objects };
        const tips = await lookAtAll(look, loops, signal);
        if (signal.aborted) return {};
        const clashes = await findClashes(look, integration, tips);
        before = look.now;
        return signal.aborted ? {} : pictureOf(clashes, isSettled);
      } catch (error) {
        if (!isOfTheWorld(error)) throw error;
        return {};
      } finally {
        (opened as ThrowawayObjects | null)?.remove();
      }
    },
  };
}

async function lookAtAll(look: Look, loops: readonly WatchedLoop[], signal: AbortSignal): Promise<readonly Tip[]> {
  const tips = new Map<LoopId, Tip>();
  const waiting = [...loops];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift()) {
      const tip = await tipOrNull(look, next);
      if (tip !== null) tips.set(tip.loop, tip);
    }
  };
  await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, work));
  return [...tips.values()].sort((a, b) => (a.loop < b.loop ? -1 : 1));
}

async function tipOrNull(look: Look, watched: WatchedLoop): Promise<Tip | null> {
  try {
    return await tipOf(look, watched);
  } catch (error) {
    if (!isOfTheWorld(error)) throw error;
    return null;
  }
}

/** In a fixed order, so that two looks at the same thing are equal. */
function pictureOf({ withMain, between }: Clashes, isSettled: (path: string) => boolean): Picture {
  const found = new Map<LoopId, Foreseen[]>();
  const add = (loop: LoopId, other: LoopId | null, raw: readonly string[]): void => {
    const paths = raw.map((path) => Buffer.from(path, 'latin1').toString('utf8')).filter((path) => !isSettled(path));
    if (paths.length === 0) return;
    found.set(loop, [...(found.get(loop) ?? []), { with: other, paths: paths.sort().slice(0, PATHS_MAX) }]);
  };
  for (const { tip, paths } of withMain) add(tip.loop, null, paths);
  for (const { a, b, paths } of between) {
    add(a.loop, b.loop, paths);
    add(b.loop, a.loop, paths);
  }
  const inOrder = (a: Foreseen, b: Foreseen): number => ((a.with ?? '') < (b.with ?? '') ? -1 : 1);
  const loops = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(loops.map(([loop, list]) => [loop, list.sort(inOrder)]));
}
