import type { Event } from '../../../src/core/model/events.ts';
import type { LoopId } from '../../../src/core/model/ids.ts';
import { taskKey } from '../../../src/core/model/ids.ts';
import { canBeQueued, landingQueue } from '../../../src/core/loops/landing-queue.ts';
import type { Loop, State } from '../../../src/core/model/model.ts';
import { isWorking, loopsOf } from '../../../src/core/model/model.ts';
import type { Realm } from './realm.ts';
import { appendRecord, commitDirty, moveIntegration, newName, ROOM_MB, stateOf, TRACKER } from './realm.ts';
import { createTask } from './scenario.ts';
import { pathOf } from './git-model.ts';
import { endAgent } from './agent-life.ts';
import type { HostRunner } from './start-host.ts';
import { livingHosts, policyOf, startHost } from './start-host.ts';

type Act = (realm: Realm, runHost: HostRunner) => void;

/** One thing that goes wrong, or that a person does without asking. */
export function hostileAct(realm: Realm, runHost: HostRunner): void {
  const isMoving = stateOf(realm).landing?.stage.at === 'advancing';
  // Most can go wrong while integration moves.
  realm.random.pick(isMoving && realm.random.chance(0.5) ? ACTS_ON_MOVING : ACTS)(realm, runHost);
}

const crash: Act = (realm, runHost) => {
  const host = pickHost(realm);
  if (host === null) return;
  host.dead = true;
  startLater(realm, runHost);
};

const freeze: Act = (realm, runHost) => {
  // Most can go wrong with the one that is landing.
  const { landing, hosts } = stateOf(realm);
  const pid = landing === null ? undefined : hosts[landing.host]?.mark.pid;
  const lander = livingHosts(realm).find((one) => one.pid === pid);
  const host = lander !== undefined && realm.random.chance(0.5) ? lander : pickHost(realm);
  if (host === null) return;
  // Long enough, now and then, for the others to stop waiting for it.
  const ms = realm.random.chance(0.3) ? realm.random.between(11_000, 25_000) : realm.random.between(200, 4000);
  host.frozenUntilMs = realm.timeline.now() + ms;
  if (!realm.random.chance(0.3)) return;
  host.suspected = true;
  startLater(realm, runHost);
};

const drain: Act = (realm, runHost) => {
  const host = pickHost(realm);
  if (host === null) return;
  realm.stirred = true;
  host.drain.abort();
  if (realm.random.chance(0.3)) realm.timeline.after(200, () => host.force.abort());
  startLater(realm, runHost);
};

const clockJump: Act = (realm) => {
  const host = pickHost(realm);
  if (host !== null) host.skewMs += realm.random.between(-2500, 2500);
};

const pickHost = (realm: Realm) => {
  const hosts = livingHosts(realm);
  return hosts.length === 0 ? null : realm.random.pick(hosts);
};

function startLater(realm: Realm, runHost: HostRunner): void {
  realm.timeline.after(realm.random.between(0, 1500), () => {
    if (!realm.isCalm && livingHosts(realm).length < 4)
      startHost(realm, runHost, policyOf(realm, realm.random.between(1, 4)));
  });
}

const userCommits: Act = (realm) =>
  commitAsUser(realm, realm.random.chance(0.4) ? realm.random.int(2) : realm.random.int(4));

function commitAsUser(realm: Realm, area: number): void {
  const { random, git } = realm;
  const tree = git.get(realm.target).tree;
  const token = git.addToken({
    id: newName(realm, 'user'),
    area,
    bad: random.chance(0.15),
    fixes: random.chance(0.4) ? (tree.flaws[0] ?? null) : null,
  });
  setTarget(realm, git.commit([realm.target], [...tree.tokens, token]).id);
}

/** The user goes on with the very files of landings that wait to be published, however calm it is: that is no mishap. */
export function keepUserBusy(realm: Realm): void {
  const { random, timeline } = realm;
  for (let looks = random.between(2, 6); looks > 0; looks -= 1)
    timeline.after(random.between(1000, 12_000), () => {
      const files = unpublishedFiles(realm);
      if (files.length > 0) commitAsUser(realm, random.pick(files.slice(0, 2)));
    });
}

/** Those a person writes in as well. */
function unpublishedFiles({ git, integration, target }: Realm): readonly number[] {
  if (integration === null || !git.isAncestor(target, integration)) return [];
  return [0, 1, 2, 3].filter((area) => git.changed(target, integration).includes(pathOf(area)));
}

/** The same, and at that very moment some host makes a worktree, so integration follows. */
const userCommitsAndIsFollowed: Act = (realm, runHost) => {
  userCommits(realm, runHost);
  const { git, integration, target } = realm;
  if (integration === null || git.isAncestor(integration, target)) moveIntegration(realm, target, 'follow');
};

/** Somebody merges a branch of ours by hand. */
const userMerges: Act = (realm) => {
  const { random, git } = realm;
  if (realm.branches.size === 0) return;
  const branch = random.pick([...realm.branches.values()]);
  const merged = git.merge(realm.target, branch);
  if (!('tokens' in merged) || git.get(branch).tree.markers.length > 0 || git.isAncestor(branch, realm.target)) return;
  const isForward = git.isAncestor(realm.target, branch) && random.chance(0.5);
  setTarget(realm, isForward ? branch : git.commit([realm.target, branch], merged.tokens).id);
};

function setTarget(realm: Realm, to: Realm['target']): void {
  realm.target = to;
  realm.userCommits.push(to);
}

/** Something that is neither a landing nor the user writes the ref: ahead, back, or away. */
const integrationIsMoved: Act = (realm) => {
  const { random, git, integration } = realm;
  if (integration === null) return;
  const { parents, tree } = git.get(integration);
  const token = git.addToken({ id: newName(realm, 'intruder'), area: 9, bad: true, fixes: null });
  const how = random.int(4);
  if (how === 0) realm.integration = null;
  else if (how === 1) realm.integration = parents[0] ?? null;
  else realm.integration = git.commit([integration], [...tree.tokens, token]).id;
};

/** Somebody deletes the refs that hold the train's commits. */
const trainRefsVanish: Act = (realm) => {
  realm.held = null;
};

const userDirt: Act = (realm) => {
  realm.userIsDirty = !realm.userIsDirty;
};

const worktreeVanishes: Act = (realm) => {
  const paths = [...realm.worktrees.values()].filter((worktree) => worktree.exists);
  if (paths.length > 0) realm.random.pick(paths).exists = false;
};

/** A person, or something an agent left running, commits in a loop's worktree. */
const strayCommit: Act = (realm) => {
  const { random, git } = realm;
  const open = [...realm.worktrees.values()].filter((worktree) => worktree.exists && worktree.branch !== null);
  if (open.length === 0) return;
  const { branch } = random.pick(open);
  const tip = branch === null ? undefined : realm.branches.get(branch);
  if (branch === null || tip === undefined) return;
  const token = git.addToken({
    id: newName(realm, 'stray'),
    area: random.int(8),
    bad: random.chance(0.3),
    fixes: null,
  });
  realm.branches.set(branch, git.commit([tip], [...git.get(tip).tree.tokens, token]).id);
};

/** Something fills the disk, and later somebody makes room. */
const diskFills: Act = (realm) => {
  realm.freeMb = 0;
  realm.timeline.after(realm.random.between(200, 5000), () => {
    realm.freeMb = ROOM_MB;
  });
};

/** Kept first, then said, then removed; and perhaps wanted back. */
const personDiscards: Act = (realm) => {
  const { random, branches } = realm;
  const idle = loopsOf(stateOf(realm)).filter((loop) => !isWorking(loop) && loop.phase.at !== 'landed');
  if (idle.length === 0) return;
  const aboard = new Set(stateOf(realm).landing?.cars.map((car) => car.loop));
  const riding = idle.filter((loop) => aboard.has(loop.id));
  const { id: loop, branch, worktree: path } = random.pick(riding.length > 0 && random.chance(0.7) ? riding : idle);
  const worktree = path === null ? undefined : realm.worktrees.get(path);
  const isThere = worktree?.exists === true && worktree.branch === branch;
  if (isThere) commitDirty(realm, worktree);
  const tip = branches.get(branch);
  if (tip !== undefined) realm.keeps.add(tip);
  personWrites(realm, [{ type: 'loop-discarded', loop, kept: tip ?? null }]);
  if (isThere) worktree.exists = false;
  branches.delete(branch);
  if (tip === undefined || random.chance(0.5)) return;
  realm.timeline.after(random.between(10, 1000), () => {
    if (branches.has(branch)) return;
    branches.set(branch, tip);
    personWrites(realm, [{ type: 'loop-restored', loop, path: null }]);
  });
};

/** Stops a loop, at once or when its iteration ends, and perhaps lets it go on. */
const personStops: Act = (realm) => {
  const { random } = realm;
  const loops = newestLoops(stateOf(realm)).filter((loop) => isWorking(loop) || random.chance(0.05));
  if (loops.length === 0) return;
  const { id: loop } = random.pick(loops);
  personWrites(realm, [{ type: 'loop-stopped', loop, now: random.chance(0.5) }]);
  if (random.chance(0.6))
    realm.timeline.after(random.between(10, 2500), () => personWrites(realm, [{ type: 'loop-resumed', loop }]));
};

const personResumes: Act = (realm) => {
  const parked = loopsOf(stateOf(realm)).filter((loop) => loop.phase.at === 'parked');
  if (parked.length > 0) personWrites(realm, [{ type: 'loop-resumed', loop: realm.random.pick(parked).id }]);
};

const agentVanishes: Act = (realm) => {
  const running = [...realm.agents.values()].filter((agent) => agent.end === null);
  if (running.length > 0) endAgent(realm.random.pick(running), { how: 'lost' });
};

const trackerEdit: Act = (realm) => {
  const { random, tracker } = realm;
  const { tasks } = tracker;
  const chosen = tasks.length === 0 ? null : random.pick(tasks);
  const edit = random.int(5);
  tracker.version += 1;
  if (edit === 0 || chosen === null) tracker.tasks = [...tasks, createTask(random, newName(realm, 'added'), tasks)];
  else if (edit === 1) tracker.tasks = tasks.filter((task) => task !== chosen);
  else
    tracker.tasks = tasks.map((task) => {
      if (task !== chosen) return task;
      if (edit === 2) return { ...task, status: task.status === 'done' ? 'open' : 'done' };
      return edit === 3
        ? { ...task, group: random.pick([null, 'auth', 'ui']) }
        : { ...task, status: task.status === 'blocked' ? 'open' : 'blocked' };
    });
};

export const personWrites = (realm: Realm, events: readonly Event[]): void => {
  realm.stirred = true;
  if (events.length > 0) appendRecord(realm, realm.log.length, 'cli', realm.timeline.now(), events);
};

const taskReset: Act = (realm) => {
  const { tasks } = realm.tracker;
  if (tasks.length > 0)
    personWrites(realm, [{ type: 'task-reset', task: taskKey(TRACKER, realm.random.pick(tasks).id) }]);
};

/** What was chosen from the state as it was a moment ago may no longer be so when it is written. */
const landRequest: Act = (realm, runHost) => {
  const { random } = realm;
  const seen = realm.states[Math.max(0, realm.states.length - 1 - random.int(4))] ?? stateOf(realm);
  const loops = newestLoops(seen).filter((loop) => canBeQueued(loop) && random.chance(0.7));
  const events = requestFor(realm, seen, loops);
  if (events.length === 0) return;
  if (random.chance(0.5)) personWrites(realm, events);
  else if (livingHosts(realm).length < 5) startHost(realm, runHost, policyOf(realm, 0), events);
};

/** Mostly to a loop that works; what is said to one that has ended is said to nobody. */
const personSteers: Act = (realm) => {
  const loops = newestLoops(stateOf(realm)).filter((loop) => isWorking(loop) || realm.random.chance(0.1));
  if (loops.length === 0) return;
  const text = newName(realm, 'please-');
  personWrites(realm, [{ type: 'loop-steered', loop: realm.random.pick(loops).id, text }]);
};

/** What a person says of work as they saw it a moment ago, by the head its branch has now. */
const personReviews: Act = (realm) => {
  const { random, branches } = realm;
  const seen = realm.states[Math.max(0, realm.states.length - 1 - random.int(4))] ?? stateOf(realm);
  const loops = newestLoops(seen).filter((loop) => loop.phase.at === 'ready' || random.chance(0.2));
  if (loops.length === 0) return;
  const loop = random.pick(loops);
  const head = branches.get(loop.branch) ?? loop.head;
  if (head === null) return;
  const verdict = random.chance(0.5) ? 'approved' : 'changes';
  const comments = verdict === 'approved' ? [] : [{ text: newName(realm, 'rather-') }];
  personWrites(realm, [{ type: 'loop-reviewed', loop: loop.id, head, verdict, comments }]);
};

/** Holds the queue for a while; what a person forgets, calm time lets go. */
const personPauses: Act = (realm) => {
  personWrites(realm, [{ type: 'queue-paused' }]);
  if (realm.random.chance(0.7))
    realm.timeline.after(realm.random.between(50, 2000), () => personWrites(realm, [{ type: 'queue-resumed' }]));
};

const personPausesRun: Act = (realm) => {
  personWrites(realm, [{ type: 'run-paused' }]);
  if (realm.random.chance(0.7))
    realm.timeline.after(realm.random.between(50, 2000), () => personWrites(realm, [{ type: 'run-unpaused' }]));
};

const personSetsWorkers: Act = (realm) =>
  personWrites(realm, [{ type: 'workers-set', max: realm.random.between(1, 5) }]);

/** A person lets many get ready before anything lands. */
export function gatherCrowd(realm: Realm): void {
  const { random, timeline } = realm;
  const untilMs = random.between(1000, 3500);
  personWrites(realm, [{ type: 'queue-paused' }]);
  for (let acts = random.int(3); acts > 0; acts -= 1)
    timeline.after(random.between(600, untilMs + 300), () => reorder(realm));
  timeline.after(untilMs, () => personWrites(realm, [{ type: 'queue-resumed' }]));
}

const personReorders: Act = (realm) => reorder(realm);

function reorder(realm: Realm): void {
  const { random } = realm;
  const seen = realm.states[Math.max(0, realm.states.length - 1 - random.int(4))] ?? stateOf(realm);
  const waiting = landingQueue(seen);
  if (waiting.length === 0) return;
  personWrites(realm, [{ type: random.chance(0.6) ? 'loop-bumped' : 'loop-ejected', loop: random.pick(waiting).id }]);
}

function newestLoops(state: State): readonly Loop[] {
  return [...new Map(loopsOf(state).map((loop) => [loop.task, loop])).values()];
}

/** As `ralph land` asks: a loop that was started from another's branch brings that one along. */
export function requestFor(realm: Realm, state: State, chosen: readonly Loop[]): readonly Event[] {
  const all = new Map<LoopId, Loop>();
  const take = (loop: Loop): void => {
    for (const id of loop.onto) {
      const base = state.loops[id];
      if (base != null && canBeQueued(base)) take(base);
    }
    all.set(loop.id, loop);
  };
  for (const loop of chosen) take(loop);
  const items = [...all.values()].flatMap((loop) => {
    const head = realm.branches.get(loop.branch) ?? loop.head;
    return head === null ? [] : [{ loop: loop.id, head }];
  });
  return items.length === 0 ? [] : [{ type: 'landing-requested', items }];
}

const ACTS_ON_MOVING: readonly Act[] = [crash, freeze, userCommitsAndIsFollowed, integrationIsMoved];

const ACTS: readonly Act[] = [
  crash,
  crash,
  crash,
  freeze,
  freeze,
  drain,
  clockJump,
  userCommits,
  userCommits,
  userCommitsAndIsFollowed,
  userCommitsAndIsFollowed,
  userMerges,
  integrationIsMoved,
  integrationIsMoved,
  trainRefsVanish,
  trainRefsVanish,
  userDirt,
  userDirt,
  worktreeVanishes,
  strayCommit,
  agentVanishes,
  diskFills,
  diskFills,
  personDiscards,
  trackerEdit,
  taskReset,
  landRequest,
  landRequest,
  personSteers,
  personSteers,
  personReviews,
  personReviews,
  personPauses,
  personPausesRun,
  personSetsWorkers,
  personReorders,
  personReorders,
  personStops,
  personStops,
  personResumes,
];
