import type { Sha } from '../../../src/core/model/ids.ts';
import { loopId, sha } from '../../../src/core/model/ids.ts';
import type { Known, SeenValue } from '../../../src/core/loops/integration-value.ts';
import { standingOf } from '../../../src/core/loops/integration-value.ts';
import type { GateReport, HostPolicy } from '../../../src/core/model/model.ts';
import type { PerformContext } from '../../../src/engine/effects/perform-context.ts';
import type { Integration, Synced, World } from '../../../src/world/contract/world.ts';
import type { Repo } from './repo.ts';
import { commit, conflictsOf, firstParents, get, isAncestor, isGreen, move } from './repo.ts';
import type { Sim } from './sim.ts';
import { itemOf } from './sim.ts';

const LOOP_TRAILER = /^Ralph-Loop: (.+)$/m;

/** What the real effects need of the world, on the model. Everything else has no name here, so that its use is seen. */
export function contextFor(sim: Sim, policy: HostPolicy): PerformContext {
  const integration = sim.parts.integration(sim, modelIntegration(sim));
  const publishing = sim.parts.publish(sim, async (to) => publish(sim, to));
  const parts = { integration, publish: publishing, worktrees: modelWorktrees(sim), gates: modelGates(sim) };
  const world = { ...parts, tracker: { path: policy.tracker } } as unknown as World;
  return {
    world,
    state: () => sim.state,
    policy,
    completion: { signal: 'promise', promise: 'DONE' },
    gateCommands: ['gate'],
    protect: [],
    needs: null,
    landing: { message: null, auto: { paths: [], maxLines: null, labels: [] } },
    force: new AbortController().signal,
  };
}

function modelIntegration(sim: Sim): Integration {
  const { repo } = sim.workload;
  const never = (): never => {
    throw new Error('not part of the model');
  };
  return {
    target: 'main',
    targetHead: async () => repo.target,
    seen: async (known) => seenValue(repo, known),
    putBack: async ({ found, to }) => putBack(repo, found, to ?? repo.target),
    sync: async (known) => sync(repo, known),
    followReset: async () => undefined,
    takenBack: async () => [],
    treeOf: async (id) => get(repo, id).tree,
    findLanded: async ({ head, loop, integration }) =>
      firstParents(repo, integration).find((one) => one.lands === loop)?.id ??
      (isAncestor(repo, head, integration) ? integration : null),
    build: async ({ base, head, message }) => merge(sim, base, head, LOOP_TRAILER.exec(message)?.[1] ?? null),
    unlandedWithin: async (head, integration, others) =>
      others.filter((other) => isAncestor(repo, other, head) && !isAncestor(repo, other, integration)),
    preview: async () => null,
    learn: async () => undefined,
    look: async () => undefined,
    // Left to the properties.
    checkEnvelopes: async () => [],
    findFlaw: async () => null,
    landings: async () => [],
    coAuthors: async () => [],
    join: never,
    holdTrain: async () => undefined,
    lookAtKeeps: () => Promise.resolve({ made: {}, dropped: [], putBack: [], lost: [] }),
    unheldCommits: () => [],
    releaseTrains: async () => undefined,
    pin: async () => '',
    doneSince: async ({ tasks }) => tasks.map(() => null),
    advance: async ({ from, to }) => {
      const now = repo.integration;
      if (now !== null && now !== from && isAncestor(repo, to, now)) return { moved: true };
      if (now !== from) return { moved: false, now };
      move(repo, 'integration', to, 'land');
      return { moved: true };
    },
    describe: never,
  } as Integration;
}

function sync(repo: Repo, known: Known): Synced {
  const { integration, target } = repo;
  const standing = standingOf(known, seenValue(repo, known));
  const isUsers = standing === 'users';
  if (standing === 'strange') return { head: known.head ?? target, upstream: null, isUsers: known.head === null };
  if (integration !== null && isAncestor(repo, target, integration))
    return { head: integration, upstream: null, isUsers };
  if (integration !== null && !isAncestor(repo, integration, target))
    return { head: integration, upstream: target, isUsers };
  move(repo, 'integration', target, 'follow');
  return { head: target, upstream: null, isUsers: true };
}

/** What a look at integration shows. */
export function seenValue(repo: Repo, known: Known): SeenValue {
  const { integration: head, target } = repo;
  if (head === null || head === known.head) return { head, facts: null };
  const isTargets = isAncestor(repo, head, target);
  const holdsKnown = known.head !== null && isAncestor(repo, known.head, head);
  const landed = known.granted.findLast((one) => isAncestor(repo, one, head)) ?? null;
  return { head, facts: { isTargets, holdsKnown, isTakenBack: false, landed } };
}

function putBack(repo: Repo, found: Sha | null, to: Sha): Awaited<ReturnType<Integration['putBack']>> {
  if (repo.integration !== found) return null;
  move(repo, 'integration', to, 'put-back');
  return { to, kept: 'refs/paralph/keep/integration/0' };
}

/** Merges a head into a commit; exported for mutants that do it with the wrong one. */
function merge(
  sim: Sim,
  base: Sha,
  head: Sha,
  lands: string | null,
):
  | { readonly commit: Sha; readonly tree: Sha; readonly resolved: readonly string[] }
  | { readonly conflicts: readonly string[] } {
  const { repo } = sim.workload;
  const [ours, theirs] = [get(repo, base).tokens, get(repo, head).tokens];
  const conflicts = conflictsOf(repo, ours, theirs);
  if (conflicts.length > 0) return { conflicts };
  const loop = lands === null ? null : loopId(lands);
  const tick = loop === null ? 0n : itemOf(sim, loop).tick;
  const made = commit(repo, [base, head], ours | theirs | tick, { isOurs: true, lands: loop });
  return { commit: made.id, tree: made.tree, resolved: [] };
}

function publish(sim: Sim, to: Sha): Awaited<ReturnType<World['publish']>> {
  const { repo } = sim.workload;
  if (isAncestor(repo, to, repo.target)) return { outcome: 'current' };
  if (!isAncestor(repo, repo.target, to)) return { outcome: 'diverged', now: repo.target };
  if (sim.userIsDirty) return { outcome: 'blocked', why: 'it would touch local changes', paths: ['file-0.txt'] };
  move(repo, 'target', to, 'publish');
  return { outcome: 'published', to };
}

/** A worktree's path is the name of its branch; a gate worktree's is the commit it stands at. */
function modelWorktrees(sim: Sim): Partial<World['worktrees']> {
  const { repo } = sim.workload;
  const tip = (path: string): Sha => repo.branches.get(path) ?? repo.target;
  return {
    exists: () => true,
    standOn: async () => undefined,
    facts: async (path) => ({ head: tip(path), tree: get(repo, tip(path)).tree }),
    markers: async () => [],
    changed: async () => [],
    textsAt: async (_, paths) => paths.map(() => null),
    linksOut: async () => [],
    tooLarge: async () => null,
    lines: async () => ({ count: 0, uncounted: [] }),
    mergeIn: async ({ path, commit: theirs }) => {
      const before = get(repo, tip(path));
      const { tokens } = get(repo, theirs);
      const conflicts = conflictsOf(repo, before.tokens, tokens);
      const isNew = !isAncestor(repo, theirs, before.id);
      const after = isNew ? commit(repo, [before.id, theirs], before.tokens | tokens) : before;
      repo.branches.set(path, after.id);
      return { head: after.id, tree: after.tree, conflicts };
    },
  };
}

export const GREEN: GateReport = { verdict: 'green', failing: null, tail: '' };
export const RED: GateReport = { verdict: 'red', failing: 'gate', tail: 'one failed' };
const STUCK: GateReport = { verdict: 'red', failing: 'gate (stopped after 30m)', tail: '' };

/** The gates on a car: they may lie, or hang. */
function modelGates(sim: Sim): Partial<World['gates']> {
  const { repo } = sim.workload;
  return {
    withWorktree: (at, act) => act(at),
    run: async ({ path }) => {
      const durationMs = sim.random.between(1000, 4000);
      sim.counts.gateRuns += 1;
      const car = get(repo, sha(path));
      const lies = sim.random.chance(sim.workload.flake);
      const green = sim.parts.gate(sim, car, isGreen(repo, car.tokens) && !lies);
      return { report: green ? GREEN : sim.random.chance(0.1) ? STUCK : RED, durationMs };
    },
  };
}
