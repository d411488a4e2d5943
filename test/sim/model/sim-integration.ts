import { loopId, taskId } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import type { Known, SeenValue } from '../../../src/core/loops/integration-value.ts';
import { standingOf } from '../../../src/core/loops/integration-value.ts';
import type {
  BuildOptions,
  Built,
  FoundLanding,
  Integration,
  Synced,
  World,
} from '../../../src/world/contract/world.ts';
import type { Op } from './op.ts';
import type { Realm } from './realm.ts';
import { fail, moveIntegration } from './realm.ts';

const LOOP_TRAILER = /^Ralph-Loop: (.+)$/m;
const TASK_TRAILER = /^Ralph-Task: (.+)$/m;

export function createSimIntegration(realm: Realm, op: Op): Integration {
  const { git } = realm;
  return {
    target: 'main',
    targetHead: () => op(() => realm.target),
    seen: (known) => op(() => seenValue(realm, known)),
    putBack: ({ found, to }) => op(() => putBack(realm, found, to)),
    sync: (known) => op(() => sync(realm, known)),
    followReset: async () => undefined,
    takenBack: async () => [],
    treeOf: (commit) => op(() => git.get(commit).tree.id),
    findLanded: ({ head, loop, integration }) =>
      op(() => git.findLanding(integration, loop) ?? (git.isAncestor(head, integration) ? integration : null)),
    build: (options) => op(() => build(realm, options)),
    join: (base, heads) => op(() => join(realm, base, heads)),
    advance: ({ from, to }) =>
      op(() => {
        const now = realm.integration;
        if (now !== null && git.isAncestor(to, now)) return { moved: true };
        if (now !== from) return { moved: false, now };
        moveIntegration(realm, to, 'advance');
        return { moved: true };
      }),
    preview: (head, tick) => op(() => preview(realm, head, tick)),
    look: async () => undefined,
    checkEnvelopes: async () => [],
    findFlaw: async () => null,
    learn: ({ ours, theirs, resolved }) => op(() => [ours, theirs, resolved].forEach((commit) => git.get(commit))),
    unlandedWithin: (head, integration, others) =>
      op(() => others.filter((other) => git.isAncestor(other, head) && !git.isAncestor(other, integration))),
    coAuthors: () => op(() => []),
    landings: (commit) => op(() => landings(realm, commit)),
    lookAtKeeps: () => Promise.resolve({ made: {}, dropped: [], putBack: [], lost: [] }),
    unheldCommits: (fence, commits) =>
      commits.filter((commit) => realm.held?.fence !== fence || !realm.held.commits.has(commit)),
    holdTrain: (fence, commits) =>
      op(() => {
        realm.held = { fence, commits: new Set(commits) };
      }),
    releaseTrains: () =>
      op(() => {
        realm.held = null;
      }),
    pin: (loop, head) =>
      op(() => {
        realm.keeps.add(head);
        return `refs/paralph/keep/${loop}`;
      }),
    doneSince: ({ tasks }) => op(() => tasks.map(() => null)),
    describe: () => op(() => ({ commits: [], stat: '' })),
  };
}

function sync(realm: Realm, known: Known): Synced {
  const { git, integration, target } = realm;
  const standing = standingOf(known, seenValue(realm, known));
  const isUsers = standing === 'users';
  if (standing === 'strange') return { head: known.head ?? target, upstream: null, isUsers: known.head === null };
  if (integration !== null && git.isAncestor(target, integration))
    return { head: integration, upstream: null, isUsers };
  if (integration !== null && !git.isAncestor(integration, target))
    return { head: integration, upstream: target, isUsers };
  moveIntegration(realm, target, 'follow');
  return { head: target, upstream: null, isUsers: true };
}

/** What a look at integration shows. */
export function seenValue({ git, integration: head, target }: Realm, known: Known): SeenValue {
  if (head === null || head === known.head) return { head, facts: null };
  const holdsKnown = known.head !== null && git.isAncestor(known.head, head);
  const landed = known.granted.findLast((commit) => git.isAncestor(commit, head)) ?? null;
  return { head, facts: { isTargets: git.isAncestor(head, target), holdsKnown, isTakenBack: false, landed } };
}

function putBack(realm: Realm, found: Sha | null, goal: Sha | null): Awaited<ReturnType<Integration['putBack']>> {
  const to = goal ?? realm.target;
  if (found !== null) realm.keeps.add(found);
  if (realm.integration !== found) return null;
  realm.integration = to;
  realm.movedTo = to;
  return { to, kept: found === null ? null : `refs/paralph/keep/integration/${found}` };
}

function build(
  realm: Realm,
  { base, head, message, method, tick }: BuildOptions,
): Built | { readonly conflicts: readonly string[] } {
  const { git } = realm;
  const merged = git.merge(base, head);
  if ('conflicts' in merged) return merged;
  const [loop, task] = [LOOP_TRAILER.exec(message)?.[1], TASK_TRAILER.exec(message)?.[1]];
  const made = git.commit(
    method === 'squash' ? [base] : [base, head],
    [...merged.tokens, ...tickIn(realm, tick)],
    loop === undefined || task === undefined ? null : { loop: loopId(loop), task: taskId(task) },
  );
  return { commit: made.id, tree: made.tree.id, resolved: [] };
}

const TICK = 'done:';
/** What ticking a task adds to a tree, where the tracker is part of it. */
function tickIn({ git, scenario }: Realm, task: string | null): readonly string[] {
  if (task === null || !scenario.tracked) return [];
  return [git.addToken({ id: `${TICK}${task}`, area: 9, bad: false, fixes: null })];
}

function preview(
  realm: Realm,
  head: Sha,
  tick: string | null,
): { readonly tree: Sha; readonly commit: Sha | null } | null {
  const { git, integration } = realm;
  if (integration === null || !git.isAncestor(integration, head)) return null;
  const { tree } = git.get(head);
  const ticked = tickIn(realm, tick).filter((token) => !tree.tokens.has(token));
  if (ticked.length === 0) return { tree: tree.id, commit: null };
  const made = git.commit([head], [...tree.tokens, ...ticked]);
  return { tree: made.tree.id, commit: made.id };
}

const landings = ({ git, scenario }: Realm, commit: Sha): readonly FoundLanding[] =>
  git
    .landingsOf(commit)
    .map((landing) => ({ ...landing, tracker: scenario.policy.tracker, atMs: 1 }))
    .toReversed();

function join(
  realm: Realm,
  base: Sha,
  heads: readonly Sha[],
): { readonly commit: Sha } | { readonly conflicts: readonly string[] } {
  const { git } = realm;
  let commit = base;
  for (const head of heads) {
    if (git.isAncestor(head, commit)) continue;
    const merged = git.merge(commit, head);
    if ('conflicts' in merged) return merged;
    commit = git.isAncestor(commit, head) ? head : git.commit([commit, head], merged.tokens).id;
  }
  return { commit };
}

/** The target follows, where nothing of its owner is in the way. */
export const createSimPublish =
  (realm: Realm, op: Op): World['publish'] =>
  (to) =>
    op(() => publish(realm, to));

function publish(realm: Realm, to: Sha): Awaited<ReturnType<World['publish']>> {
  const { git, target } = realm;
  if (git.isAncestor(to, target)) return { outcome: 'current' };
  if (!git.isAncestor(target, to)) return { outcome: 'diverged', now: target };
  if (realm.userIsDirty) return { outcome: 'blocked', why: 'it would touch local changes', paths: ['area-5.txt'] };
  realm.target = to;
  if (!realm.passed.has(git.get(to).tree.id)) fail(realm, 'main-is-proven', `no gate has passed ${to}`);
  for (const commit of realm.userCommits)
    if (!git.isAncestor(commit, to)) fail(realm, 'user-commits-stay', `publishing ${to} lost ${commit}`);
  takeTicks(realm);
  return { outcome: 'published', to };
}

/** The user's checkout shows the ticks that came with the landings. */
function takeTicks(realm: Realm): void {
  const { tokens } = realm.git.get(realm.target).tree;
  const { tracker } = realm;
  const isTicked = (id: string): boolean => tokens.has(`${TICK}${taskId(id)}`);
  if (!tracker.tasks.some((task) => task.status !== 'done' && isTicked(task.id))) return;
  tracker.version += 1;
  tracker.tasks = tracker.tasks.map((task) => (isTicked(task.id) ? { ...task, status: 'done' } : task));
}
