import type { Event } from '../../../src/core/model/events.ts';
import type { LoopNote } from '../../../src/core/model/found-loop.ts';
import type { LoopId, Sha } from '../../../src/core/model/ids.ts';
import { loopId, taskKey } from '../../../src/core/model/ids.ts';
import type { HostPolicy, PolicyAgent, State } from '../../../src/core/model/model.ts';
import { EMPTY_STATE } from '../../../src/core/model/model.ts';
import type { Task } from '../../../src/core/model/task.ts';
import type { LogRecord } from '../../../src/world/contract/log.ts';
import type { AgentOrder, Iteration } from '../../../src/world/contract/world.ts';
import type { IterationEnd, Report } from '../../../src/text/agents/report.ts';
import type { Brain } from '../../../src/engine/brain.ts';
import type { Commit, GitModel } from './git-model.ts';
import { createGitModel } from './git-model.ts';
import type { Random } from './random.ts';
import type { Scenario } from './scenario.ts';
import type { Timeline } from './timeline.ts';
import { createTimeline } from './timeline.ts';

export interface SimHost {
  readonly pid: number;
  readonly policy: HostPolicy;
  readonly drain: AbortController;
  readonly force: AbortController;
  dead: boolean;
  frozenUntilMs: number;
  /** Others cannot see its process, though it lives. */
  suspected: boolean;
  skewMs: number;
  ring: (() => void) | null;
  trackerSeen: number;
  /** How far it has folded the log. */
  seq: number;
}

export interface SimWorktree {
  branch: string | null;
  exists: boolean;
  readonly dirty: Set<string>;
}

export interface SimAgent {
  readonly loop: LoopId;
  readonly n: number;
  readonly cwd: string;
  readonly startedBy: number;
  readonly startedMs: number;
  readonly name: string;
  readonly account: string;
  /** The newest guidance its prompt held. */
  /** The newest guidance it was given. */
  guided: number;
  isDeaf: boolean;
  /** Can be spoken to while it works. */
  readonly canTalk: boolean;
  end: Extract<IterationEnd, { readonly how: 'exited' | 'lost' | 'stopped' }> | null;
  report: Report;
  readonly waiting: (() => void)[];
}

/** The account behind agents, as the service sees it. */
export interface SimAccount {
  limitedUntilMs: number;
  isLoggedIn: boolean;
}

export interface SimTracker {
  version: number;
  tasks: readonly Task[];
}

/** Everything outside the hosts: what really is, whatever the log says. */
export interface Realm {
  readonly scenario: Scenario;
  readonly random: Random;
  readonly timeline: Timeline;
  readonly git: GitModel;
  readonly brain: Brain;
  readonly log: LogRecord<Event>[];
  /** The state after each record; the first is the empty one. */
  readonly states: State[];
  readonly hosts: SimHost[];
  readonly branches: Map<string, Sha>;
  readonly keeps: Set<Sha>;
  readonly worktrees: Map<string, SimWorktree>;
  readonly pool: string[];
  readonly agents: Map<string, SimAgent>;
  readonly accounts: Map<string, SimAccount>;
  /** The iterations that were told each thing a person said. */
  readonly told: Map<string, Set<string>>;
  readonly tracker: SimTracker;
  /** Trees that a gate run really passed. */
  readonly passed: Set<Sha>;
  /** The merges of main into a branch, and what they left to be resolved. */
  readonly mergedIn: Map<Sha, readonly string[]>;
  /** Who tests in which gate worktree. */
  readonly gateSlots: Map<number, SimHost>;
  /** What is kept of the train under way. */
  held: { readonly fence: number; readonly commits: ReadonlySet<Sha> } | null;
  readonly userCommits: Sha[];
  integration: Sha | null;
  /** Where we moved integration last, whatever somebody else has made of it since. */
  movedTo: Sha | null;
  target: Sha;
  userIsDirty: boolean;
  freeMb: number;
  /** What was written beside each worktree about whose it is. */
  readonly notes: Map<string, LoopNote>;
  isCalm: boolean;
  /** Something was handed to a host since this was last cleared: its promises must run before anything else happens. */
  stirred: boolean;
  violation: { readonly invariant: string; readonly detail: string } | null;
  names: number;
  onRecord: (before: State, record: LogRecord<Event>, after: State) => void;
  /** A host is about to start an agent. */
  onStart: (host: SimHost, iteration: Iteration, order: AgentOrder) => void;
}

export const TRACKER = 'PRD.md';
export const ROOM_MB = 10_000;

export function createRealm(scenario: Scenario, random: Random, brain: Brain): Realm {
  const git = createGitModel();
  const root = git.commit([], [git.addToken({ id: 'root', area: 9, bad: scenario.isRedAtFirst, fixes: null })]);
  const realm = emptyRealm(scenario, random, brain, git, root.id);
  if (scenario.past !== null) rememberPast(realm);
  return realm;
}

/** What an earlier life left: a landing in the history, and on the target if it was published. */
function rememberPast(realm: Realm): void {
  const { git, scenario, target, tracker } = realm;
  const [first, second] = scenario.tasks;
  if (first === undefined) return;
  if (second !== undefined && scenario.past !== 'published') rememberWork(realm, second);
  const tokens = [
    ...git.get(target).tree.tokens,
    git.addToken({ id: 'past', area: 8, bad: scenario.past === 'red', fixes: null }),
  ];
  const made = git.commit([target], tokens, { loop: loopId('past-1'), task: first.id });
  realm.integration = made.id;
  if (scenario.past !== 'published') return;
  realm.target = made.id;
  realm.userCommits.push(made.id);
  tracker.tasks = tracker.tasks.map((task) => (task === first ? { ...task, status: 'done' } : task));
}

/** A loop that was at work when its log was lost. */
function rememberWork({ git, target, branches, worktrees, notes }: Realm, { id, title }: Task): void {
  const work = git.addToken({ id: 'past-work', area: 7, bad: false, fixes: null });
  const branch = 'ralph/past-2';
  branches.set(branch, git.commit([target], [...git.get(target).tree.tokens, work]).id);
  worktrees.set('past-worktree', { branch, exists: true, dirty: new Set() });
  const task = taskKey(TRACKER, id);
  notes.set('past-worktree', { loop: loopId('past-2'), task, title, attempt: 1, branch, base: target });
}

function emptyRealm(scenario: Scenario, random: Random, brain: Brain, git: GitModel, root: Sha): Realm {
  return {
    scenario,
    random,
    timeline: createTimeline(1_000_000),
    git,
    brain,
    log: [],
    states: [EMPTY_STATE],
    hosts: [],
    branches: new Map(),
    keeps: new Set(),
    worktrees: new Map(),
    pool: [],
    agents: new Map(),
    accounts: new Map(
      agentsOf(scenario.policy).map(({ account }) => [account, { limitedUntilMs: 0, isLoggedIn: true }] as const),
    ),
    told: new Map(),
    tracker: { version: 1, tasks: scenario.tasks },
    passed: new Set(),
    mergedIn: new Map(),
    gateSlots: new Map(),
    held: null,
    userCommits: [root],
    integration: null,
    movedTo: null,
    target: root,
    userIsDirty: false,
    freeMb: ROOM_MB,
    notes: new Map(),
    isCalm: false,
    stirred: false,
    violation: null,
    names: 0,
    onRecord: () => undefined,
    onStart: () => undefined,
  };
}

/** Everybody who may work for a host. */
export const agentsOf = ({ agents, resolver }: Pick<HostPolicy, 'agents' | 'resolver'>): readonly PolicyAgent[] =>
  resolver === null ? agents : [...agents, resolver];

export const stateOf = (realm: Realm): State => realm.states.at(-1) ?? EMPTY_STATE;

/** The first broken invariant ends the run. */
export function fail(realm: Realm, invariant: string, detail: string): void {
  realm.violation ??= { invariant, detail };
}

/** Writes a record if nobody wrote since; tells every host's watch. */
export function appendRecord(
  realm: Realm,
  expectedSeq: number,
  by: string,
  at: number,
  events: readonly Event[],
): boolean {
  if (expectedSeq !== realm.log.length) return false;
  const record: LogRecord<Event> = { seq: realm.log.length + 1, at, by, events };
  const before = stateOf(realm);
  const after = realm.brain.fold(before, record);
  realm.log.push(record);
  realm.states.push(after);
  for (const host of realm.hosts) if (host.ring !== null && realm.random.chance(0.7)) ringSoon(realm, host);
  realm.onRecord(before, record, after);
  return true;
}

export function ringSoon(realm: Realm, host: SimHost): void {
  deliver(realm, host, realm.random.between(1, 20), () => host.ring?.());
}

/** Hands something to a host after a while: never to a dead one, to a frozen one when it wakes. */
export function deliver(realm: Realm, host: SimHost, ms: number, act: () => void): void {
  const { timeline } = realm;
  const arrive = (): void => {
    if (host.dead) return;
    if (host.frozenUntilMs > timeline.now()) return timeline.at(host.frozenUntilMs, arrive);
    realm.stirred = true;
    act();
  };
  if (ms <= 0) arrive();
  else timeline.after(ms, arrive);
}

/** A new name that sorts and reads well in a failure. */
export function newName(realm: Realm, prefix: string): string {
  realm.names += 1;
  return `${prefix}${realm.names}`;
}

export const tipOf = (realm: Realm, worktree: SimWorktree): Commit | null => {
  const tip = worktree.branch === null ? undefined : realm.branches.get(worktree.branch);
  return tip === undefined ? null : realm.git.get(tip);
};

/** Commits what lies in a worktree onto its branch. */
export function commitDirty(realm: Realm, worktree: SimWorktree): void {
  const head = tipOf(realm, worktree);
  if (head === null || worktree.branch === null || worktree.dirty.size === 0) return;
  const commit = realm.git.commit([head.id], [...head.tree.tokens, ...worktree.dirty]);
  realm.branches.set(worktree.branch, commit.id);
  worktree.dirty.clear();
}

/** Integration may only go forward, to a tree that passed the gates or to the user's own commit. */
export function moveIntegration(realm: Realm, to: Sha, how: 'advance' | 'follow'): void {
  const { git, integration } = realm;
  if (integration !== null && !git.isAncestor(integration, to))
    fail(realm, 'integration-goes-forward', `${integration} is not in ${to}`);
  const { tree } = git.get(to);
  if (how === 'advance' && !(tree.isGreen && realm.passed.has(tree.id)))
    fail(realm, 'only-green-lands', `the tree of ${to} never passed the gates`);
  if (how === 'advance' && tree.markers.length > 0)
    fail(realm, 'no-marker-lands', `${to} holds ${tree.markers.map(({ id }) => id).join(' ')}`);
  realm.integration = to;
  realm.movedTo = to;
}
