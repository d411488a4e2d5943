import { AppError } from '../../../src/core/model/errors.ts';
import type { FoundLoop } from '../../../src/core/model/found-loop.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { sha } from '../../../src/core/model/ids.ts';
import type { Checkout, Gates, Worktrees } from '../../../src/world/contract/world.ts';
import type { Commit } from './git-model.ts';
import type { Op } from './op.ts';
import type { Realm, SimHost, SimWorktree } from './realm.ts';
import { commitDirty, deliver, fail, newName, tipOf } from './realm.ts';

const GATE_PATH = 'gate:';
const noCheckout = async (): Promise<never> => {
  throw new Error('nobody works in place here');
};

/** Simulated loops have worktrees of their own. */
export const SIM_CHECKOUT: Checkout = {
  take: noCheckout,
  commit: noCheckout,
  leave: noCheckout,
  besides: () => Promise.resolve(null),
};

export function createSimWorktrees(realm: Realm, host: SimHost, op: Op): Worktrees {
  return {
    tip: (branch) => op(() => realm.branches.get(branch) ?? null),
    isOurs: async (branch) => [...realm.worktrees.values()].some((worktree) => worktree.branch === branch),
    make: (options) => op(() => make(realm, options)),
    prepare: async () => null,
    exists: (path) => realm.worktrees.get(path)?.exists === true,
    facts: (path) => op(() => factsOf(standing(realm, path))),
    commitLeftovers: ({ path, branch }) =>
      op(() => {
        const { worktree } = standing(realm, path);
        if (worktree.branch !== branch) throw new AppError('E_GIT', `${path} is on another branch`);
        commitDirty(realm, worktree);
        return { ...factsOf(standing(realm, path)), branch, committed: true, odd: null, kept: null };
      }),
    touched: (path, base) => op(() => realm.git.changed(base, standing(realm, path).tip.id)),
    changed: (from, to) => op(() => realm.git.changed(from, to)),
    textsAt: async (_, paths) => paths.map(() => null),
    linksOut: async () => [],
    tooLarge: async () => null,
    lines: async () => ({ count: 0, uncounted: [] }),
    retire: (options) => op(() => retire(realm, options)),
    trim: () => Promise.resolve(0),
    mergeIn: (options) => op(() => mergeIn(realm, host, options)),
    markers: (commit, paths) =>
      op(() => {
        const left = realm.git.get(commit).tree.markers.filter(({ path }) => paths.includes(path));
        return left.map(({ path }) => `${path}:1`);
      }),
    note: (path, note) => void realm.notes.set(path, note),
    found: () => op(() => found(realm)),
    standOn: (path, branch) =>
      op(() => {
        const { worktree } = standing(realm, path);
        if (worktree.branch !== branch) throw new AppError('E_GIT', `${path} is on another branch`);
      }),
  };
}

/** Work whose worktree stands on the branch its note names. */
function found({ git, notes, worktrees, branches, integration }: Realm): readonly FoundLoop[] {
  return [...notes].flatMap(([path, { base, ...note }]) => {
    const tip = branches.get(note.branch);
    if (tip === undefined || worktrees.get(path)?.branch !== note.branch) return [];
    if (integration !== null && git.isAncestor(tip, integration)) return [];
    const { id: head, tree } = git.get(tip);
    return [{ ...note, base, baseTree: git.get(base).tree.id, head, tree: tree.id, worktree: path }];
  });
}

/** The first that is free; who died there holds it no longer. */
async function withGateWorktree<T>(
  realm: Realm,
  host: SimHost,
  op: Op,
  commit: Sha,
  act: (path: string) => Promise<T>,
): Promise<T> {
  const { gateSlots } = realm;
  const take = (): number => {
    let slot = 1;
    while (gateSlots.get(slot)?.dead === false) slot += 1;
    gateSlots.set(slot, host);
    return slot;
  };
  const slot = await op(take, { own: true });
  try {
    return await act(`${GATE_PATH}${slot}:${commit}`);
  } finally {
    gateSlots.delete(slot);
  }
}

/** As the real one: made before, by a host that died, it is found again; where somebody's changes lie it refuses. */
function mergeIn(
  realm: Realm,
  host: SimHost,
  { path, branch, commit, onlyClean }: Parameters<Worktrees['mergeIn']>[0],
): Awaited<ReturnType<Worktrees['mergeIn']>> {
  const { git, mergedIn } = realm;
  const { worktree, tip } = standing(realm, path);
  if (worktree.branch !== branch) throw new AppError('E_NEEDS_PERSON', `${path} is not on ${branch}`);
  const before = mergedIn.get(tip.id);
  if (before !== undefined && tip.parents[1] === commit) return { ...factsOf({ tip }), conflicts: before };
  if (worktree.dirty.size > 0) throw new AppError('E_NEEDS_PERSON', `${path} has changes that are not committed`);
  if (git.isAncestor(commit, tip.id)) return { ...factsOf({ tip }), conflicts: [] };
  // What a host began before it was given up may still happen.
  const isOurs = !host.dead && !host.suspected;
  for (const agent of isOurs ? realm.agents.values() : [])
    if (agent.cwd === path && agent.end === null)
      fail(realm, 'nobody-works-meanwhile', `main was merged into ${path} while ${agent.loop}/${agent.n} works`);
  if (onlyClean && 'conflicts' in git.merge(tip.id, commit))
    return { ...factsOf({ tip }), conflicts: [], isLeft: true };
  const made = git.mergeMarked(tip.id, commit);
  mergedIn.set(made.commit, made.conflicts);
  realm.branches.set(branch, made.commit);
  return { ...factsOf({ tip: git.get(made.commit) }), conflicts: made.conflicts };
}

function standing(realm: Realm, path: string): { readonly worktree: SimWorktree; readonly tip: Commit } {
  const worktree = realm.worktrees.get(path);
  const tip = worktree === undefined ? null : tipOf(realm, worktree);
  if (worktree === undefined || !worktree.exists || tip === null) throw new AppError('E_GIT', `no worktree at ${path}`);
  return { worktree, tip };
}

const factsOf = ({ tip }: { readonly tip: Commit }): { readonly head: Sha; readonly tree: Sha } => ({
  head: tip.id,
  tree: tip.tree.id,
});

function make(
  realm: Realm,
  { branch, base }: Parameters<Worktrees['make']>[0],
): { readonly path: string; readonly reused: boolean } {
  const tip = realm.branches.get(branch);
  if (tip !== undefined && tip !== base) throw new AppError('E_GIT', `${branch} is elsewhere`);
  const before = [...realm.worktrees].find(([, worktree]) => worktree.branch === branch && worktree.exists);
  if (before !== undefined) {
    if (before[1].dirty.size > 0) throw new AppError('E_GIT', `${branch} is checked out at ${before[0]}`);
    return { path: before[0], reused: true };
  }
  realm.branches.set(branch, base);
  const pooled = realm.pool.shift();
  if (pooled !== undefined && realm.worktrees.get(pooled)?.exists === true) {
    realm.worktrees.set(pooled, { branch, exists: true, dirty: new Set() });
    return { path: pooled, reused: true };
  }
  const path = newName(realm, 'worktree-');
  realm.worktrees.set(path, { branch, exists: true, dirty: new Set() });
  return { path, reused: false };
}

function retire(
  realm: Realm,
  { path, branch, head, loop }: Parameters<Worktrees['retire']>[0],
): { readonly kept: string | null } {
  const worktree = realm.worktrees.get(path);
  const tip = worktree === undefined ? null : tipOf(realm, worktree);
  if (worktree === undefined || !worktree.exists || tip === null) return { kept: 'the folder is gone' };
  // Handed on to another loop already: somebody retired it and could not write that down.
  if (worktree.branch !== branch) return { kept: null };
  if (tip.id !== head || worktree.dirty.size > 0) return { kept: `it holds more than what ${loop} landed` };
  if (realm.integration === null || !realm.git.isAncestor(head, realm.integration)) realm.keeps.add(head);
  worktree.branch = null;
  realm.pool.push(path);
  if (realm.branches.get(branch) === head) realm.branches.delete(branch);
  return { kept: null };
}

/** A gate looks at the tree of a commit for a while. */
export function createSimGates(realm: Realm, host: SimHost, op: Op): Gates {
  const { random, timeline } = realm;
  const running = new Set<string>();
  return {
    withWorktree: (commit, act) => withGateWorktree(realm, host, op, commit, act),
    dropWorktrees: async () => undefined,
    run: async ({ path, signal }) => {
      const [, slot, commit = ''] = path.split(':');
      const { tree } = realm.git.get(sha(commit));
      if (realm.gateSlots.get(Number(slot)) !== host)
        fail(realm, 'one-gate-a-slot', `a gate runs in slot ${slot}, which is not its own`);
      if (running.has(path)) fail(realm, 'effects-run-once', `two gates at once in ${path}`);
      running.add(path);
      const durationMs = random.between(20, 300);
      return new Promise((resolve) => {
        const end = (): void => {
          running.delete(path);
          if (signal.aborted) return resolve(null);
          const isGreen = tree.isGreen && !random.chance(realm.scenario.flakes);
          if (isGreen) realm.passed.add(tree.id);
          const failing = isGreen ? null : 'npm test';
          resolve({ report: { verdict: isGreen ? 'green' : 'red', failing, tail: '' }, durationMs });
        };
        timeline.after(durationMs, () => deliver(realm, host, 0, end));
        signal.addEventListener('abort', () => deliver(realm, host, random.between(1, 20), end));
      });
    },
  };
}
