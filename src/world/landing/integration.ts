import { AppError } from '../../core/model/errors.ts';
import { standingOf } from '../../core/loops/integration-value.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { openCandidates } from './candidate.ts';
import { reach } from '../os/failpoint.ts';
import { findFlaw } from '../git/objects/find-flaw.ts';
import { knownAhead, lookAhead } from './ahead.ts';
import { commitTree } from '../git/objects/commit.ts';
import {
  coAuthorsOf,
  commitsWithin,
  diffStat,
  findLanding,
  logSubjects,
  findLandings,
} from '../git/objects/history.ts';
import { isAncestor, knowAncestor, mergeInMemory } from '../git/merge/merge.ts';
import { landWhileHeld, moveRef, readRef } from '../git/refs/refs.ts';
import { treeOf, readFileAt, replaceFile, writeBlob } from '../git/objects/trees.ts';
import { doneSince } from './upstream-tasks.ts';
import { integrationRef, lookAtIntegration, putBackIntegration, howParted, targetRefOf } from './integration-value.ts';
import { lookAtKeeps } from '../keep/watch-keeps.ts';
import { findLeak } from '../seal/is-leak.ts';
import { settleByRule } from '../git/merge/settle-conflicts.ts';
import { followReset, keepTakenBack, openTakenBack } from './taken-back.ts';
import { holdOf, holdTrain, pin, releaseTrains, unheldCommits } from '../keep/train-refs.ts';
import { withEdits } from '../trackers/branch-tracker.ts';
import { unsigned } from '../git/run/identity.ts';
import { tickerFor } from '../trackers/tracker-file.ts';
import { pathOf } from '../../core/model/tasks.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Known } from '../../core/loops/integration-value.ts';
import type { CandidatePlace } from './candidate.ts';
import type { Integration, Synced, BuildOptions } from '../contract/world.ts';
import type { Identity } from '../git/run/identity.ts';
import type { GitView } from '../git/run/view.ts';
import type { Tracker } from '../contract/tracker.ts';

interface IntegrationPlace extends CandidatePlace {
  readonly target: string;
  readonly targetRef?: string;
}

const SUBJECTS_MAX = 20;

/** Everything landed and green, on a ref of its own; the user's branch follows by publishing. */
export function openIntegration(place: IntegrationPlace): Integration {
  const { view, target } = place;
  const candidates = openCandidates(place);
  const back = openTakenBack(place);
  return {
    target,
    targetHead: () => readRef(view, targetRefOf(place)),
    seen: (known) => lookAtIntegration(place, known),
    putBack: (move) => putBackIntegration(place, move),
    sync: (known) => sync(place, known),
    followReset: ({ head }) => (head === null ? Promise.resolve() : followReset(place, head)),
    takenBack: (tracker, landings) => back(tracker, landings),
    treeOf: (commit) => treeOf(view, commit),
    findLanded: async ({ head, loop, base, integration }) => {
      const landing = await findLanding(view, { ref: integration, since: base, loop, head });
      if (landing !== null) return landing;
      return (await isAncestor(view, head, integration)) ? integration : null;
    },
    build: candidates.build,
    look: (base, heads) => lookAhead(view, base, heads),
    checkEnvelopes: candidates.checkEnvelopes,
    findFlaw: (tips, known) => findFlaw(place, tips, known),
    join: (base, heads) => joinHeads(place, base, heads),
    preview: async (head, tick, tracker) => {
      // Without it the branch is tested as it is.
      const integration = await readRef(view, integrationRef(target)).catch(() => null);
      return integration === null ? null : preview(place, integration, { head, tick, tracker });
    },
    learn: candidates.learn,
    unlandedWithin: async (head, integration, others) => {
      const ahead = knownAhead(view, integration, head);
      if (ahead !== undefined) return others.filter((other) => ahead.commits.has(other));
      return commitsWithin(view, { from: integration, to: head }, others);
    },
    coAuthors: async (base, head) => knownAhead(view, base, head)?.coAuthors ?? coAuthorsOf(view, base, head),
    landings: (commit) => findLandings(view, commit),
    unheldCommits: (fence, commits) => unheldCommits(view, fence, commits),
    lookAtKeeps: (listed) => lookAtKeeps(view, listed),
    holdTrain: (fence, commits) => holdTrain(view, fence, commits),
    releaseTrains: () => releaseTrains(view),
    pin: (loop, head) => pin(view, loop, head),
    doneSince: (options) => doneSince(view, options),
    advance: (options) => advance(place, options),
    describe: async (from, to) => ({
      commits: await logSubjects(view, from, to, SUBJECTS_MAX),
      stat: await diffStat(view, from, to),
    }),
  };
}

/**
 * Follows the user's branch where it simply went ahead. Where both have commits of their own, says so. What the log cannot vouch
 * for is passed over, as if it had been put back already.
 */
async function sync(place: IntegrationPlace, known: Known): Promise<Synced> {
  const { view, target } = place;
  const ref = integrationRef(target);
  for (;;) {
    const named = await readRef(view, targetRefOf(place));
    if (named === null)
      throw new AppError('E_NO_TARGET', `branch ${target} is gone`, {
        remedy: `git branch ${shellWord(target)} ${shellWord(`refs/paralph/int/${target}`)}`,
      });
    const seen = await lookAtIntegration(place, known);
    const standing = standingOf(known, seen);
    if (standing === 'strange') return { head: known.head ?? named, upstream: null, isUsers: known.head === null };
    const isUsers = standing === 'users';
    const ours = seen.head;
    if (ours !== null && (ours === named || (await isAncestor(view, named, ours))))
      return { head: ours, upstream: null, isUsers };
    reach('train.named');
    // Where an agent put the branch, nobody follows: the check of its iteration puts it back.
    const leak = await findLeak(place, targetRefOf(place));
    if (ours !== null && leak !== null) return { head: ours, upstream: null, isUsers };
    // Put back between the two looks, it is no leak any more, and what was named first is nobody's.
    if (leak === null && (await readRef(view, targetRefOf(place))) !== named) continue;
    const theirs = leak?.from ?? named;
    if (ours !== null && !(await isAncestor(view, ours, theirs))) {
      const parting = await howParted(place, targetRefOf(place), ours);
      if (parting.kind === 'apart') {
        const { since } = parting;
        const isRewritten = since !== null && !(await isAncestor(view, since, theirs));
        return { head: ours, upstream: theirs, since: isRewritten ? since : null, isUsers };
      }
      // What its owner took back is not landed again, and not lost either.
      await keepTakenBack(place, ours);
    }
    const moved = await moveRef(view, ref, theirs, ours, `follow ${target}`);
    reach('train.followed');
    if (moved.moved) return { head: theirs, upstream: null, isUsers: true };
  }
}

async function joinHeads(
  { view, identity, tracker }: IntegrationPlace,
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
    const merged = await settleByRule(view, await mergeInMemory(view, commit, head), {
      trackerPath: pathOf(tracker.path),
    });
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
  place: IntegrationPlace,
  { from, to, fence }: Parameters<Integration['advance']>[0],
): ReturnType<Integration['advance']> {
  const { view, target } = place;
  const ref = integrationRef(target);
  const now = await readRef(view, ref);
  const done = now !== null && now !== from && (now === to || (await isAncestor(view, to, now)));
  reach('land.before_sync');
  const move = done
    ? ({ moved: true } as const)
    : await landWhileHeld(view, { ref, to, from, hold: holdOf(fence), reason: `land ${fence}` });
  reach('land.done');
  if (move.moved) {
    const theirs = await readRef(view, targetRefOf(place));
    if (theirs !== null && (await isAncestor(view, theirs, from))) knowAncestor(view, theirs, to);
    return { moved: true };
  }
  return { moved: false, now: move.now };
}

interface PreviewPlace {
  readonly view: GitView;
  readonly tracker: Tracker;
  readonly identity: Identity;
}

/**
 * The tree that landing `head` makes while integration stays where it is: a branch that holds all of integration merges to
 * itself, and only the tracker is ours. Null: only the merge itself can tell.
 */
export async function preview(
  place: PreviewPlace,
  integration: Sha,
  { head, tick, tracker: named }: Pick<BuildOptions, 'head' | 'tick' | 'tracker'>,
): ReturnType<Integration['preview']> {
  const { view, identity } = place;
  const tracker = tickerFor(place.tracker, named);
  if (!(await isAncestor(view, integration, head))) return null;
  const plain = { tree: await treeOf(view, head), commit: null };
  if (tick === null) return plain;
  const before = await readFileAt(view, integration, tracker.path);
  if (before === null) return plain;
  const branch = { fork: integration, head, task: tick, path: tracker.path };
  const edited = await withEdits(view, before, branch);
  const text = (await tracker.tick(edited, tick)) ?? edited;
  try {
    const tree = await replaceFile(view, plain.tree, tracker.path, await writeBlob(view, text));
    if (tree === plain.tree) return plain;
    const message = 'What would land, for the gates\n';
    return { tree, commit: await commitTree(view, { tree, parents: [head], message, identity: unsigned(identity) }) };
  } catch (error) {
    // The branch made something else than a file of it: landing will say so.
    if (error instanceof AppError && error.code === 'E_TASKS_UNSAFE') return null;
    throw error;
  }
}
