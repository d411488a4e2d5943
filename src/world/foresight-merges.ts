import type { Sha } from '../core/ids.ts';
import { attributeFolder } from './git/attributes.ts';
import { snapshotLive } from './git/live-worktree.ts';
import { type BatchMerge, mergeBatch } from './git/merge-batch.ts';
import { mayClash } from './git/path-changes.ts';
import { writePlainCommits } from './git/throwaway-commits.ts';
import { type Look, type Snapshot, type Tip, changesBetween, isOfTheWorld } from './foresight-tips.ts';

export interface Clashes {
  readonly withMain: readonly { readonly tip: Tip; readonly paths: readonly string[] }[];
  readonly between: readonly { readonly a: Tip; readonly b: Tip; readonly paths: readonly string[] }[];
}

type Pair = readonly [Tip, Tip];

const mainKey = (integration: Sha, tip: Tip): string => `${integration} ${tip.commit}`;
const pairKey = (integration: Sha, [a, b]: Pair): string => `${integration} ${a.commit} ${b.commit}`;

/**
 * What does not merge: each tip with integration, then each two of them on top of it. Two tips alone would be compared with
 * the commit they both began at, and an old one would seem to conflict with all that has landed since.
 */
export async function findClashes(look: Look, integration: Sha, tips: readonly Tip[]): Promise<Clashes> {
  const near: Tip[] = [];
  for (const tip of tips) if (mayClash(tip.changes, await changesBetween(look, tip.base, integration))) near.push(tip);
  const pairs = tips.flatMap((a, at) =>
    tips.slice(at + 1).flatMap((b): Pair[] => (mayClash(a.changes, b.changes) ? [[a, b]] : [])),
  );
  const { before, now } = look;
  const unknown = (key: string): boolean => {
    const known = before.clashes.get(key);
    if (known !== undefined) now.clashes.set(key, known);
    return known === undefined;
  };
  const newNear = near.filter((tip) => unknown(mainKey(integration, tip)));
  const newPairs = pairs.filter((pair) => unknown(pairKey(integration, pair)));
  if (newNear.length + newPairs.length > 0) await merge(look, integration, newNear, newPairs);
  const withMain = near.map((tip) => ({ tip, paths: now.clashes.get(mainKey(integration, tip)) ?? [] }));
  const mainPaths = new Map(withMain.map(({ tip, paths }) => [tip, paths]));
  const between = pairs.map(([a, b]) => {
    // What conflicts with integration has to be resolved first, and then differently: it says nothing about the two.
    const mains = new Set([...(mainPaths.get(a) ?? []), ...(mainPaths.get(b) ?? [])]);
    const paths = now.clashes.get(pairKey(integration, [a, b])) ?? [];
    return { a, b, paths: paths.filter((path) => !mains.has(path)) };
  });
  return { withMain, between };
}

async function merge(look: Look, integration: Sha, near: readonly Tip[], pairs: readonly Pair[]): Promise<void> {
  const { place, now } = look;
  const there = await writeTips(look, new Set([...near, ...pairs.flat()]));
  const objects = look.objects();
  const under = { workTree: await attributeFolder(place.view, integration), env: objects.env };
  const wanted = pairs.filter(([a, b]) => there.has(a) && there.has(b));
  const onTop = wanted.map(([a]) => a).filter((tip) => tip.base !== integration);
  const first = [...new Set([...near, ...onTop])].filter((tip) => there.has(tip));
  const merged = await mergeBatch(
    place.view,
    first.map((tip) => [integration, tip.commit]),
    under,
  );
  const merges = new Map(first.map((tip, at) => [tip, merged[at] ?? null]));
  for (const tip of near) note(now.clashes, mainKey(integration, tip), merges.get(tip));

  const lefts = [...new Set(onTop)].flatMap((tip) => {
    const made = merges.get(tip);
    return made == null ? [] : [{ tip, tree: made.tree, parents: [integration, tip.commit] }];
  });
  const commits = await writePlainCommits(place.view, lefts, objects);
  const left = new Map(lefts.map(({ tip }, at) => [tip, commits[at]]));
  const asked = wanted.flatMap((pair) => {
    const ours = pair[0].base === integration ? pair[0].commit : left.get(pair[0]);
    return ours === undefined ? [] : [{ pair, commits: [ours, pair[1].commit] as const }];
  });
  const answers = await mergeBatch(
    place.view,
    asked.map((one) => one.commits),
    under,
  );
  for (const [at, { pair }] of asked.entries()) note(now.clashes, pairKey(integration, pair), answers[at]);
}

/** What could not be merged is asked again the next time. */
function note(clashes: Map<string, readonly string[]>, key: string, merge: BatchMerge | null | undefined): void {
  if (merge != null) clashes.set(key, merge.conflicts);
}

/** Writes the commits of uncommitted work. Those that changed again meanwhile are missing from the answer. */
async function writeTips(look: Look, tips: ReadonlySet<Tip>): Promise<ReadonlySet<Tip>> {
  const there = new Set<Tip>();
  const commits: { readonly tree: Sha; readonly parents: readonly Sha[] }[] = [];
  for (const tip of tips) {
    const { aside } = tip;
    if (aside !== null) {
      if (!aside.written && !(await wroteAgain(look, aside))) continue;
      commits.push({ tree: aside.tree, parents: [aside.live.head] });
    }
    there.add(tip);
  }
  await writePlainCommits(look.place.view, commits, look.objects());
  return there;
}

async function wroteAgain({ place, objects }: Look, { live, tree }: Snapshot): Promise<boolean> {
  try {
    return (await snapshotLive(place.view, live, objects())) === tree;
  } catch (error) {
    if (!isOfTheWorld(error)) throw error;
    return false;
  }
}
