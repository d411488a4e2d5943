import { join } from 'node:path';
import type { Sha, TaskId } from '../../core/model/ids.ts';
import type { MergeDriverSettings } from '../../core/model/settings.ts';
import { isFile, pathOf } from '../../core/model/tasks.ts';
import { parseTracker } from '../../text/trackers/tracker.ts';
import { trackerKindOf } from '../../text/trackers/tracker-names.ts';
import { trailersOf } from '../../text/commit-message.ts';
import { goneTrackers, withEdits } from '../trackers/branch-tracker.ts';
import { assertEnvelope, checkEnvelopes } from './envelope.ts';
import type { Envelope } from './envelope.ts';
import { reach } from '../os/failpoint.ts';
import { knownAhead } from './ahead.ts';
import { commitTree } from '../git/objects/commit.ts';
import { unsigned } from '../git/run/identity.ts';
import type { Identity } from '../git/run/identity.ts';
import { knowAncestor, mergeBases, mergeInMemory } from '../git/merge/merge.ts';
import type { Merged } from '../git/merge/merge.ts';
import { replayInMemory } from '../git/merge/replay.ts';
import type { Repository } from '../git/run/repository.ts';
import { idAt, readFileAt, replaceFile, replaceFiles, treeOf, writeBlob } from '../git/objects/trees.ts';
import type { GitView } from '../git/run/view.ts';
import { findLandings } from '../git/objects/history.ts';
import { learnResolutions } from './learn-resolutions.ts';
import type { Regenerate } from './regenerate.ts';
import { openResolutions } from '../git/merge/resolutions.ts';
import type { Resolutions } from '../git/merge/resolutions.ts';
import { settleConflicts } from '../git/merge/settle-conflicts.ts';
import { tickerFor } from '../trackers/tracker-file.ts';
import type { Tracker } from '../contract/tracker.ts';
import type { BuildOptions, Integration } from '../contract/world.ts';

export interface CandidatePlace {
  readonly repo: Repository;
  readonly view: GitView;
  readonly identity: Identity;
  readonly tracker: Tracker;
  readonly merge: MergeDriverSettings;
  readonly regenerate: Regenerate;
}

export interface Candidates {
  readonly build: Integration['build'];
  readonly learn: Integration['learn'];
  readonly checkEnvelopes: Integration['checkEnvelopes'];
}

/** What one process knows of the commits it made and of conflicts resolved before. */
interface Known {
  /** Each tracker as it is in commits made here, by `<path>:<commit>`: the next one in line starts from it. */
  readonly texts: Map<string, string>;
  readonly resolutions: Resolutions;
  /** Built, and not yet looked at whether it changes only what its branch did. */
  readonly unchecked: Envelope[];
}

const TEXTS_MAX = 64;

/** Makes the commits that are tested before they may land, without a checkout. */
export function openCandidates(place: CandidatePlace): Candidates {
  const { repo, view } = place;
  const resolutions = openResolutions(join(repo.stateDir, 'resolutions'));
  const known: Known = { texts: new Map(), resolutions, unchecked: [] };
  return {
    build: (options) => build(place, known, options),
    learn: (options) => learnResolutions(view, resolutions, options),
    checkEnvelopes: () => checkEnvelopes(view, known.unchecked.splice(0)),
  };
}

async function build(place: CandidatePlace, known: Known, options: BuildOptions): ReturnType<Integration['build']> {
  const { view } = place;
  const { base, tick } = options;
  const tracker = tickerFor(place.tracker, options.tracker);
  const seen = { ...options, head: await asChangeOf(place, options) };
  const [{ merged, ancestors, isAhead }, before] = await Promise.all([
    mergeOnto(view, seen),
    tick === null ? null : (known.texts.get(`${tracker.path}:${base}`) ?? readFileAt(view, base, tracker.path)),
  ]);
  const branch = { ...seen, ancestors, merged };
  const text = tick === null || before === null ? null : await ticked(view, tracker, before, { ...branch, tick });
  // The tracker is ours to merge: two branches that both touched it do not conflict.
  const open = merged.clean ? [] : merged.paths.filter((path) => path !== tracker.path || text === null);
  if (!merged.clean && merged.paths.length === 0) return { conflicts: [] };
  const settled = await settleConflicts(
    { ...place, ...known, trackerPath: pathOf(tracker.path) },
    open,
    merged.clean ? [] : merged.textual,
  );
  // An agent has no say in which tasks there are; the target has.
  const asked = options.ticksLanded === true ? settled.left : [];
  const gone = await goneTrackers(view, asked, { ...seen, ancestors, own: tracker.path });
  const left = settled.left.filter((path) => !gone.includes(path));
  if (left.length > 0) return { conflicts: left };
  const blobs = new Map<string, Sha | null>(settled.blobs);
  if (text !== null) blobs.set(tracker.path, text.blob);
  for (const path of gone) blobs.set(path, null);
  const mixed = await tickLanded(place, options, await replaceFiles(view, merged.tree, blobs), ancestors);
  const made = await regenerateFiles(place, options, mixed, settled.commands);
  if (made.tree === null) return { conflicts: [made.failed] };
  const { tree } = made;
  const commit = await commitAs(place, options, tree, merged);
  reach('train.built');
  const resolved = [...settled.blobs.keys()];
  // A branch that is ahead of the base was taken as it is; there is nothing else in it.
  if (!isAhead) {
    const envelope = { ...seen, ancestors, commit, besides: [pathOf(tracker.path), ...resolved] };
    if (options.envelopeLater === true) known.unchecked.push(envelope);
    else await assertEnvelope(view, envelope);
  }
  if (text !== null) {
    if (known.texts.size >= TEXTS_MAX) known.texts.clear();
    known.texts.set(`${tracker.path}:${commit}`, text.text);
  }
  knowAncestor(view, base, commit);
  if (options.method === 'merge') knowAncestor(view, options.head, commit);
  return { commit, tree, resolved };
}

/** A rewritten branch, seen as one more commit on what it was before: so it takes back what its owner took back, and no more. */
async function asChangeOf({ view, identity }: CandidatePlace, { head, since }: BuildOptions): Promise<Sha> {
  if (since == null) return head;
  const tree = await treeOf(view, head);
  return commitTree(view, { tree, parents: [since], message: 'As rewritten\n', identity });
}

interface MergedOnto {
  readonly merged: Merged;
  readonly ancestors: readonly Sha[];
  readonly isAhead: boolean;
}

async function mergeOnto(view: GitView, { base, head, under }: BuildOptions): Promise<MergedOnto> {
  // No branch starts from a commit made here, so it is not worth waiting for the answer whether one did.
  if (base !== under) {
    const ahead = knownAhead(view, under, head);
    // Nobody before it on the train shares a commit with it, so it left their history where it left integration's.
    const fork = ahead?.isAlone === true ? ahead.fork : null;
    const [ancestors, merged] = await Promise.all([
      fork === null ? mergeBases(view, base, head) : [fork],
      mergeInMemory(view, base, head, under),
    ]);
    return { merged, ancestors, isAhead: false };
  }
  const fork = knownAhead(view, base, head)?.fork ?? null;
  const ancestors = fork === null ? await mergeBases(view, base, head) : [fork];
  const isAhead = ancestors.includes(base);
  const merged = isAhead
    ? { clean: true as const, tree: await treeOf(view, head) }
    : await mergeInMemory(view, base, head, under);
  return { merged, ancestors, isAhead };
}

/** The tree with each file as its command makes it, one after the other; or the first for which that failed. */
async function regenerateFiles(
  { view, identity, regenerate }: CandidatePlace,
  { base, head }: BuildOptions,
  start: Sha,
  commands: ReadonlyMap<string, string>,
): Promise<{ readonly tree: Sha } | { readonly tree: null; readonly failed: string }> {
  let tree = start;
  for (const [path, command] of commands) {
    const message = `Make ${path} anew\n`;
    const commit = await commitTree(view, { tree, parents: [base, head], message, identity: unsigned(identity) });
    const blob = await regenerate({ commit, tree, path, command });
    if (blob === null) return { tree: null, failed: path };
    tree = await replaceFile(view, tree, path, blob);
  }
  return { tree };
}

/** The base's tracker with the task ticked, and with what counts of the branch's own edits. */
async function ticked(
  view: GitView,
  { path, tick }: Pick<Tracker, 'path' | 'tick'>,
  before: string,
  branch: MergedBranch & { readonly head: Sha; readonly tick: TaskId },
): Promise<{ readonly text: string; readonly blob: Sha }> {
  const { head, tick: task, ancestors } = branch;
  const [fork, second] = ancestors;
  const isOne = fork !== undefined && second === undefined && (await isTouched(view, path, branch));
  const edited = isOne ? await withEdits(view, before, { fork, head, task, path }) : before;
  const text = (await tick(edited, task)) ?? edited;
  return { text, blob: await writeBlob(view, text) };
}

interface MergedBranch extends Pick<MergedOnto, 'merged' | 'ancestors'> {
  readonly base: Sha;
}

/** Both trees were just written; the branch's own may lie where only git finds it. What the merge left as it was, the branch adds nothing to. */
async function isTouched(view: GitView, path: string, { base, merged }: MergedBranch): Promise<boolean> {
  if (!merged.clean && merged.paths.includes(path)) return true;
  return (await idAt(view, merged.tree, path)) !== (await idAt(view, base, path));
}

/** A task may land while its line is only in somebody's checkout: when the line comes, so does its tick. */
async function tickLanded(
  { view, tracker: own }: CandidatePlace,
  { base, ticksLanded = false }: BuildOptions,
  start: Sha,
  since: readonly Sha[],
): Promise<Sha> {
  let tree = start;
  for (const { task, tracker } of ticksLanded ? await findLandings(view, base, since) : []) {
    const { path, tick } = tickerFor(own, tracker ?? undefined);
    const isMeant = isFile(path) && !(await isOpenAt(view, base, path, task));
    const before = isMeant ? await readFileAt(view, tree, path) : null;
    const after = before === null ? null : await tick(before, task);
    if (after !== null && after !== before) tree = await replaceFile(view, tree, path, await writeBlob(view, after));
  }
  return tree;
}

/** Its landing was undone there since. */
async function isOpenAt(view: GitView, commit: Sha, path: string, task: TaskId): Promise<boolean> {
  const text = await readFileAt(view, commit, path);
  if (text === null) return false;
  const { tasks } = parseTracker(trackerKindOf(path) ?? 'markdown', text);
  return tasks.some(({ id, status }) => id === task && status !== 'done');
}

/** The candidate's history: the branch merged, its one change alone, or its commits one after the other. The tree is the same. */
async function commitAs(place: CandidatePlace, options: BuildOptions, tree: Sha, merged: Merged): Promise<Sha> {
  const { view, identity } = place;
  const { base, head, under, message, method } = options;
  const parents = method === 'merge' ? [base, head] : [base];
  const isReplayed = method === 'rebase' && merged.clean;
  const replayed = isReplayed ? await replayInMemory(view, base, head, under, identity) : null;
  const last = replayed?.at(-1);
  // What does not replay to the very same tree is landed as one commit: the merge is what was asked about conflicts.
  if (replayed == null || last === undefined || last.tree !== merged.tree)
    return commitTree(view, { tree, parents, message, identity });
  let parent = base;
  for (const one of replayed.slice(0, -1)) parent = await commitTree(view, { ...one, parents: [parent], identity });
  const full = `${last.message.trimEnd()}\n\n${trailersOf(message)}`;
  return commitTree(view, { ...last, tree, parents: [parent], message: full, identity });
}
