import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Sha } from '../core/ids.ts';
import { commitTree } from './git/commit.ts';
import type { Identity } from './git/identity.ts';
import { knowAncestor, mergeInMemory } from './git/merge.ts';
import { deleteRef, listRefs, moveRef, readRef } from './git/refs.ts';
import { replayInMemory } from './git/replay.ts';
import { readFileAt, replaceFile, writeBlob } from './git/tree-edit.ts';
import type { GitView } from './git/view.ts';
import type { BuildOptions, Integration, TrackerFile } from './world.ts';

export interface CandidatePlace {
  readonly view: GitView;
  readonly identity: Identity;
  readonly tracker: TrackerFile;
}

export interface Candidates {
  readonly build: Integration['build'];
  readonly hold: Integration['holdCandidate'];
  readonly drop: Integration['dropCandidate'];
}

const TEXTS_MAX = 64;
export const candidateRef = (fence: number): string => `refs/paralph/cand/${fence}`;

/** Makes the commits that are tested before they may land, without a checkout. */
export function openCandidates(place: CandidatePlace): Candidates {
  const { view } = place;
  // The tracker as it is in commits made here: the next one in line starts from it.
  const texts = new Map<Sha, string>();
  return {
    build: (options) => build(place, texts, options),
    hold: async (fence, commit) => {
      await dropStale(view, fence);
      const ref = candidateRef(fence);
      await moveRef(view, ref, commit, await readRef(view, ref), 'candidate');
    },
    drop: async (fence, commit) => void (await deleteRef(view, candidateRef(fence), commit)),
  };
}

async function build(
  place: CandidatePlace,
  texts: Map<Sha, string>,
  options: BuildOptions,
): ReturnType<Integration['build']> {
  const { view, tracker } = place;
  const { base, head, under, tick } = options;
  const [merged, text] = await Promise.all([
    mergeInMemory(view, base, head, under),
    tick === null ? null : ticked(place, texts, base, tick),
  ]);
  // The tracker is ours to merge: two branches that both touched it do not conflict.
  const conflicts = merged.clean ? [] : merged.paths.filter((path) => path !== tracker.path || tick === null);
  if (conflicts.length > 0 || (!merged.clean && merged.paths.length === 0)) return { conflicts };
  const tree = text === null ? merged.tree : await replaceFile(view, merged.tree, tracker.path, text.blob);
  const commit = await commitAs(place, options, tree, merged.tree);
  if (text !== null) {
    if (texts.size >= TEXTS_MAX) texts.clear();
    texts.set(commit, text.text);
  }
  knowAncestor(view, base, commit);
  if (options.method === 'merge') knowAncestor(view, head, commit);
  return { commit, tree };
}

/** The base's tracker with the task ticked, whatever the branch made of it; null when the base has none. */
async function ticked(
  { view, tracker }: CandidatePlace,
  texts: ReadonlyMap<Sha, string>,
  base: Sha,
  task: NonNullable<BuildOptions['tick']>,
): Promise<{ readonly text: string; readonly blob: Sha } | null> {
  const before = texts.get(base) ?? (await readFileAt(view, base, tracker.path));
  if (before === null) return null;
  const text = tracker.tick(before, task) ?? before;
  return { text, blob: await writeBlob(view, text) };
}

/** The candidate's history: the branch merged, its one change alone, or its commits one after the other. The tree is the same. */
async function commitAs(
  { view, identity }: CandidatePlace,
  options: BuildOptions,
  tree: Sha,
  plainTree: Sha,
): Promise<Sha> {
  const { base, head, message, method } = options;
  if (method === 'merge') return commitTree(view, { tree, parents: [base, head], message, identity });
  const replayed = method === 'rebase' ? await replayInMemory(view, base, head, identity) : null;
  const last = replayed?.at(-1);
  // What does not replay to the very same tree is landed as one commit: the merge is what was asked about conflicts.
  if (replayed == null || last === undefined || last.tree !== plainTree)
    return commitTree(view, { tree, parents: [base], message, identity });
  let parent = base;
  for (const one of replayed.slice(0, -1)) parent = await commitTree(view, { ...one, parents: [parent], identity });
  const trailers = message.slice(message.indexOf('\n\n') + 2);
  const full = `${last.message.trimEnd()}\n\n${trailers}`;
  return commitTree(view, { ...last, tree, parents: [parent], message: full, identity });
}

/** One landing at a time: a candidate of another one belongs to a host that died. */
async function dropStale(view: GitView, fence: number): Promise<void> {
  const folder = join(view.gitDir, 'refs/paralph/cand');
  if (!existsSync(folder) || !readdirSync(folder).some((name) => name !== String(fence))) return;
  for (const [ref, commit] of await listRefs(view, 'refs/paralph/cand/'))
    if (ref !== candidateRef(fence)) await deleteRef(view, ref, commit);
}
