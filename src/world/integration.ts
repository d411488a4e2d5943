import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { invariant } from '../core/assert.ts';
import { AppError } from '../core/errors.ts';
import type { Sha } from '../core/ids.ts';
import { commitTree } from './git/commit.ts';
import { diffStat, findLanding, logSubjects } from './git/history.ts';
import type { Identity } from './git/identity.ts';
import { isAncestor, mergeInMemory } from './git/merge.ts';
import { publish } from './git/publish.ts';
import { deleteRef, landRef, listRefs, moveRef, readRef } from './git/refs.ts';
import { replayInMemory } from './git/replay.ts';
import type { Repository } from './git/repository.ts';
import { readFileAt, replaceFile, treeOf } from './git/tree-edit.ts';
import type { GitView } from './git/view.ts';
import { withMutex } from './mutex.ts';
import { lockFile } from './state-places.ts';
import type { BuildOptions, Integration, Synced, TrackerFile } from './world.ts';

export interface IntegrationPlace {
  readonly repo: Repository;
  readonly view: GitView;
  readonly identity: Identity;
  readonly target: string;
  readonly tracker: TrackerFile;
}

const SUBJECTS_MAX = 20;
const integrationRef = (target: string): string => `refs/paralph/int/${target}`;
const candidateRef = (fence: number): string => `refs/paralph/cand/${fence}`;

/** Everything landed and green, on a ref of its own; the user's branch follows by publishing. */
export function openIntegration(place: IntegrationPlace): Integration {
  const { repo, view, target } = place;
  return {
    target,
    targetHead: () => readRef(view, `refs/heads/${target}`),
    sync: () => sync(place),
    treeOf: (commit) => treeOf(view, commit),
    findLanded: async ({ head, loop, base, integration }) => {
      const landing = await findLanding(view, { ref: integration, since: base, loop });
      if (landing !== null) return landing;
      return (await isAncestor(view, head, integration)) ? integration : null;
    },
    build: (options) => build(place, options),
    join: (base, heads) => joinHeads(place, base, heads),
    holdCandidate: (fence, commit) => holdCandidate(view, fence, commit),
    dropCandidate: async (fence, commit) => void (await deleteRef(view, candidateRef(fence), commit)),
    advance: (options) => advance(place, options),
    publish: (to) => withMutex(lockFile(repo, 'publish'), () => publish(repo, view, { target, to })),
    describe: async (from, to) => ({
      commits: await logSubjects(view, from, to, SUBJECTS_MAX),
      stat: await diffStat(view, from, to),
    }),
  };
}

/** Follows the user's branch where it simply went ahead. Where both have commits of their own, says so. */
async function sync({ view, target }: IntegrationPlace): Promise<Synced> {
  const ref = integrationRef(target);
  for (;;) {
    const theirs = await readRef(view, `refs/heads/${target}`);
    if (theirs === null)
      throw new AppError('E_NO_TARGET', `branch ${target} is gone`, {
        remedy: `git branch ${target} refs/paralph/int/${target}`,
      });
    const ours = await readRef(view, ref);
    if (ours !== null && (ours === theirs || (await isAncestor(view, theirs, ours))))
      return { head: ours, upstream: null };
    if (ours !== null && !(await isAncestor(view, ours, theirs))) return { head: ours, upstream: theirs };
    const moved = await moveRef(view, ref, theirs, ours, `follow ${target}`);
    if (moved.moved) return { head: theirs, upstream: null };
  }
}

async function build(place: IntegrationPlace, options: BuildOptions): ReturnType<Integration['build']> {
  const { view, tracker } = place;
  const { base, head } = options;
  const merged = await mergeInMemory(view, base, head);
  // The tracker is ours to merge: two branches that both touched it do not conflict.
  const conflicts = merged.clean ? [] : merged.paths.filter((path) => path !== tracker.path || options.tick === null);
  if (conflicts.length > 0 || (!merged.clean && merged.paths.length === 0)) return { conflicts };
  const tree = options.tick === null ? merged.tree : await withTick(place, base, merged.tree, options.tick);
  const commit = await commitAs(place, options, tree, merged.tree);
  return { commit, tree };
}

/** The candidate's history: the branch merged, its one change alone, or its commits one after the other. The tree is the same. */
async function commitAs(
  { view, identity }: IntegrationPlace,
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
  return commitTree(view, {
    ...last,
    tree,
    parents: [parent],
    message: `${last.message.trimEnd()}\n\n${trailers}`,
    identity,
  });
}

/** Named by a ref while the gates run, or a collection of garbage may take it. */
async function holdCandidate(view: GitView, fence: number, commit: Sha): Promise<void> {
  await dropStaleCandidates(view, fence);
  const ref = candidateRef(fence);
  await moveRef(view, ref, commit, await readRef(view, ref), 'candidate');
}

/** One landing at a time: a candidate of another one belongs to a host that died. */
async function dropStaleCandidates(view: GitView, fence: number): Promise<void> {
  if (!hasOthers(join(view.gitDir, 'refs/paralph/cand'), String(fence))) return;
  for (const [ref, commit] of await listRefs(view, 'refs/paralph/cand/'))
    if (ref !== candidateRef(fence)) await deleteRef(view, ref, commit);
}

function hasOthers(folder: string, own: string): boolean {
  return existsSync(folder) && readdirSync(folder).some((name) => name !== own);
}

async function withTick(
  { view, tracker }: IntegrationPlace,
  base: Sha,
  tree: Sha,
  task: NonNullable<BuildOptions['tick']>,
): Promise<Sha> {
  const text = await readFileAt(view, base, tracker.path);
  if (text === null) return tree;
  return replaceFile(view, tree, tracker.path, tracker.tick(text, task) ?? text);
}

async function joinHeads(
  { view, identity }: IntegrationPlace,
  base: Sha,
  heads: readonly Sha[],
): ReturnType<Integration['join']> {
  let commit = base;
  for (const head of heads) {
    if (await isAncestor(view, head, commit)) continue;
    if (await isAncestor(view, commit, head)) {
      commit = head;
      continue;
    }
    const merged = await mergeInMemory(view, commit, head);
    if (!merged.clean) return { conflicts: merged.paths };
    commit = await commitTree(view, {
      tree: merged.tree,
      parents: [commit, head],
      message: 'Join the branches this work builds on\n',
      identity,
    });
  }
  return { commit };
}

async function advance(
  { view, target }: IntegrationPlace,
  { from, to, fence }: { from: Sha; to: Sha; fence: number },
): ReturnType<Integration['advance']> {
  const ref = integrationRef(target);
  const now = await readRef(view, ref);
  const done = now !== null && now !== from && (now === to || (await isAncestor(view, to, now)));
  const move = done ? ({ moved: true } as const) : await landRef(view, ref, to, from, 'land');
  await deleteRef(view, candidateRef(fence), to);
  if (move.moved) return { moved: true };
  invariant(move.now !== null, `${ref} vanished`);
  return { moved: false, now: move.now };
}
