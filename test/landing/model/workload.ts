import type { LoopId, Sha } from '../../../src/core/model/ids.ts';
import { loopId } from '../../../src/core/model/ids.ts';
import type { HostPolicy } from '../../../src/core/model/model.ts';
import type { ConflictStrategy, PublishMode } from '../../../src/core/model/settings.ts';
import type { Random } from '../../sim/model/random.ts';
import type { Repo, Tokens } from './repo.ts';
import { commit, createRepo, FILES, get, move, newToken, violated } from './repo.ts';

/** One branch that wants to land. */
export interface Item {
  readonly loop: LoopId;
  readonly task: string;
  readonly base: Sha;
  readonly head: Sha;
  /** What this branch itself brings, with what its mending added. */
  own: Tokens;
  /** The mark that its task is done. */
  readonly tick: Tokens;
  /** Loops it says it was started from. */
  readonly onto: readonly LoopId[];
  readonly priority: number | null;
  /** Sent back, its owner mends it. */
  readonly mends: boolean;
  readonly isLate: boolean;
}

export interface Workload {
  readonly repo: Repo;
  readonly items: readonly Item[];
  /** How often the gates call a green tree red. */
  readonly flake: number;
  readonly retries: number | 'auto';
  readonly gateSlots: number;
  readonly publish: PublishMode;
  readonly onConflict: ConflictStrategy;
  readonly maxAttempts: number;
  readonly hosts: number;
  readonly hostSlots: number;
  /** How often somebody else does something. */
  readonly hostility: number;
  readonly crashes: boolean;
  readonly moments: number;
}

/** Everything about a workload but the order in which things happen. */
export function createWorkload(random: Random): Workload {
  const repo = createRepo();
  const old = repo.target;
  const early = newToken(repo, random.chance(0.3) ? random.int(FILES) : null);
  const now = commit(repo, [old], early).id;
  repo.target = now;
  move(repo, 'integration', now, 'follow');
  const items = createItems(repo, random, { old, now, early });
  const onConflict = random.pick(['stop', 'requeue', 'requeue', 'ai_resolve'] as const);
  return {
    repo,
    items,
    flake: random.pick([0, 0, 0, 0, 0.05, 0.3]),
    retries: random.pick([0, 1, 1, 2, 'auto', 'auto'] as const),
    gateSlots: random.between(1, 4),
    publish: random.pick(['each', 'end', 'end', 'manual'] as const),
    onConflict,
    maxAttempts: random.between(0, 3),
    hosts: random.between(1, 2),
    hostSlots: onConflict === 'stop' ? 0 : random.between(0, 2),
    hostility: random.pick([0, 0.03, 0.08, 0.2]),
    crashes: random.chance(0.4),
    moments: random.between(10, 90),
  };
}

/** Groups of two and of three are always among them: what goes wrong only with company must have it. */
const sizeOf = (random: Random): number => random.pick([1, 2, 3, 3, 4, 5, 7, 10, 14]);

interface Main {
  readonly old: Sha;
  readonly now: Sha;
  readonly early: Tokens;
}

function createItems(repo: Repo, random: Random, main: Main): readonly Item[] {
  const items: Item[] = [];
  const size = sizeOf(random);
  const conflictRate = random.pick([0, 0.1, 0.4]);
  for (let index = 0; index < size; index += 1) items.push(createItem(repo, random, main, items, conflictRate));
  addRules(repo, random, items, main.early);
  // A branch is ready only when its own gates were green: no rule may be broken by what it was tested with.
  const tested = items.map((item) => get(repo, item.head).tokens);
  const kept = repo.rules.filter(
    (rule) => !tested.some((tokens) => violated({ ...repo, rules: [rule] }, tokens).length > 0),
  );
  repo.rules.splice(0, repo.rules.length, ...kept);
  return items;
}

function createItem(repo: Repo, random: Random, main: Main, before: readonly Item[], conflictRate: number): Item {
  const index = before.length;
  const below = before.length > 0 && random.chance(0.15) ? random.pick(before) : null;
  const base = below?.base ?? random.pick([main.old, main.now, main.now]);
  let own = newToken(repo);
  if (random.chance(conflictRate)) own |= newToken(repo, random.int(FILES));
  const start = below?.head ?? base;
  const head = commit(repo, [start], get(repo, start).tokens | own).id;
  const loop = loopId(`i${index}`);
  repo.branches.set(`ralph/${loop}`, head);
  return {
    loop,
    task: `t${index}`,
    base,
    head,
    own,
    tick: newToken(repo),
    onto: below !== null && random.chance(0.5) ? [below.loop] : [],
    priority: random.chance(0.2) ? random.between(1, 3) : null,
    mends: random.chance(0.7),
    // Nobody can know of work whose loop the log has not heard of.
    isLate: below?.isLate === true || (index > 1 && random.chance(0.25)),
  };
}

const lowest = (tokens: Tokens): Tokens => tokens & -tokens;

/** Red with what main holds by now, red together in twos and threes, and sometimes mended by a third. */
function addRules(repo: Repo, random: Random, items: readonly Item[], early: Tokens): void {
  const badRate = random.pick([0, 0.1, 0.3]);
  const pairRate = random.pick([0, 0.1, 0.3]);
  const one = (): Tokens => lowest(random.pick(items).own);
  const maybeMended = (): Tokens => (random.chance(0.15) ? one() : 0n);
  for (const item of items) {
    if (random.chance(badRate)) repo.rules.push({ all: lowest(item.own) | early, unless: maybeMended() });
    if (random.chance(pairRate)) repo.rules.push({ all: lowest(item.own) | one(), unless: maybeMended() });
    if (random.chance(pairRate / 4)) repo.rules.push({ all: lowest(item.own) | one() | one(), unless: maybeMended() });
  }
}

export const TRACKER = 'PRD.md';

export function policyOf(workload: Workload, slots: number): HostPolicy {
  return {
    tracker: TRACKER,
    slots,
    strategy: 'queue',
    mergePolicy: 'auto_merge',
    limits: {
      iterations: 4,
      runtimeMs: 3_600_000,
      noProgress: 2,
      // No loop of a workload begins here.
      attempts: 0,
      consecutiveFailures: 2,
      graceMs: 100,
      maxCostUsd: null,
      maxTokens: null,
      freeMb: 0,
    },
    target: 'main',
    place: { at: 'worktree' },
    only: null,
    publish: workload.publish,
    method: 'merge',
    agents: [{ name: 'scripted', account: 'scripted' }],
    budget: { maxCostUsd: null, maxTokens: null },
    resolver: null,
    gatesHash: 'g',
    hasGates: true,
    base: 'off',
    gateTimeoutAuto: false,
    train: {
      gateSlots: workload.gateSlots,
      cores: 4,
      flakeRetries: workload.retries,
      onConflict: slots === 0 ? 'stop' : workload.onConflict,
      maxAttempts: workload.maxAttempts,
    },
  };
}

/** The tree its own gates saw: with the task ticked where that is what would land now. */
export function testedTokens(repo: Repo, head: Sha, tick: Tokens): Tokens {
  const { tokens, line } = get(repo, head);
  const main = repo.integration;
  return main !== null && (line & get(repo, main).bit) !== 0n ? tokens | tick : tokens;
}
