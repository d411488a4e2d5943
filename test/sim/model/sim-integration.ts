import { taskId } from '../../../src/core/ids.ts';
import type { Sha } from '../../../src/core/ids.ts';
import type { BuildOptions, Integration, Synced } from '../../../src/world/world.ts';
import type { Op } from './op.ts';
import type { Realm } from './realm.ts';
import { fail, moveIntegration } from './realm.ts';

const LOOP_TRAILER = /^Ralph-Loop: (.+)$/m;

export function createSimIntegration(realm: Realm, op: Op): Integration {
  const { git } = realm;
  return {
    target: 'main',
    targetHead: () => op(() => realm.target),
    head: () => op(() => realm.integration),
    sync: () => op(() => sync(realm)),
    treeOf: (commit) => op(() => git.get(commit).tree.id),
    findLanded: ({ head, loop, integration }) =>
      op(() => git.findLanding(integration, loop) ?? (git.isAncestor(head, integration) ? integration : null)),
    build: (options) => op(() => build(realm, options)),
    join: (base, heads) => op(() => join(realm, base, heads)),
    advance: ({ from, to }) =>
      op(() => {
        const now = realm.integration;
        if (now !== null && git.isAncestor(to, now)) return { moved: true };
        if (now !== from) return { moved: false, now: now ?? from };
        moveIntegration(realm, to, 'advance');
        return { moved: true };
      }),
    holdCandidate: () => op(() => undefined),
    dropCandidate: () => op(() => undefined),
    publish: (to) => op(() => publish(realm, to)),
    describe: () => op(() => ({ commits: [], stat: '' })),
  };
}

function sync(realm: Realm): Synced {
  const { git, integration, target } = realm;
  if (integration !== null && git.isAncestor(target, integration)) return { head: integration, upstream: null };
  if (integration !== null && !git.isAncestor(integration, target)) return { head: integration, upstream: target };
  moveIntegration(realm, target, 'follow');
  return { head: target, upstream: null };
}

function build(
  realm: Realm,
  { base, head, message, method, tick }: BuildOptions,
): { readonly commit: Sha; readonly tree: Sha } | { readonly conflicts: readonly string[] } {
  const { git } = realm;
  const merged = git.merge(base, head);
  if ('conflicts' in merged) return merged;
  const loop = LOOP_TRAILER.exec(message)?.[1] ?? null;
  const ticked = tick !== null && realm.scenario.tracked ? [git.addToken(tickToken(tick))] : [];
  const made = git.commit(
    method === 'squash' ? [base] : [base, head],
    [...merged.tokens, ...ticked],
    loop as Parameters<typeof git.commit>[2],
  );
  return { commit: made.id, tree: made.tree.id };
}

const TICK = 'done:';
const tickToken = (task: string) => ({ id: `${TICK}${task}`, area: 9, bad: false, fixes: null });

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

function publish(realm: Realm, to: Sha): Awaited<ReturnType<Integration['publish']>> {
  const { git, target } = realm;
  if (git.isAncestor(to, target)) return { outcome: 'current' };
  if (!git.isAncestor(target, to)) return { outcome: 'diverged', now: target };
  if (realm.userIsDirty) return { outcome: 'blocked', why: 'it would touch local changes', paths: ['area-5.txt'] };
  realm.target = to;
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
