import type { Event, Stamp } from '../../../src/core/model/events.ts';
import type { LoopId, Sha, TaskKey } from '../../../src/core/model/ids.ts';
import { taskKey } from '../../../src/core/model/ids.ts';
import type { Host, Loop, State } from '../../../src/core/model/model.ts';
import { isLive, isWorking, loopsOf } from '../../../src/core/model/model.ts';
import { SUSPECT_COMMANDS } from '../../../src/core/train/suspect.ts';
import { findTask } from '../../../src/core/model/tasks.ts';
import type { Realm } from '../model/realm.ts';
import { fail, TRACKER } from '../model/realm.ts';
import { isListed } from './startable.ts';

/** Looks at one event of a record, with the states before and after it. */
export type EventWatch = (before: State, event: Event, after: State, stamp: Stamp) => void;

/** Checks every record as it is written, against the realm and against the states before and after it. */
export function watchRecords(realm: Realm, others: readonly EventWatch[]): void {
  const epochs = new Map<TaskKey, number>();
  const landings = new Map<string, LoopId>();
  const epochOf = new Map<LoopId, string>();
  const below = new Map<LoopId, readonly Sha[]>();
  const checkLoop = (before: State, loop: Loop): void => {
    const was = before.loops[loop.id];
    if (was === loop) return;
    if (was === undefined) {
      epochOf.set(loop.id, `${loop.task}@${epochs.get(loop.task) ?? 0}`);
      // Found in the repository: nobody began it here.
      if (loop.host !== null) checkBegun(realm, before, loop);
      below.set(loop.id, headsBelow(before, loop));
    }
    if (loop.phase.at === 'landed' && was?.phase.at !== 'landed') {
      const epoch = epochOf.get(loop.id) ?? '';
      const other = landings.get(epoch);
      if (other !== undefined) fail(realm, 'lands-once', `${loop.task} landed by ${other} and by ${loop.id}`);
      landings.set(epoch, loop.id);
      checkLanded(realm, loop, loop.phase.commit);
    }
    if (loop.base !== null && was?.base == null) checkBase(realm, loop, below.get(loop.id) ?? []);
  };
  realm.onRecord = (start, record, end) => {
    let before = start;
    for (const event of record.events) {
      if (event.type === 'task-reset') epochs.set(event.task, (epochs.get(event.task) ?? 0) + 1);
      const isAlone = record.events.length === 1;
      const after = isAlone ? end : realm.brain.fold(before, { ...record, events: [event] });
      checkEvent(realm, before, after, event);
      checkFence(realm, before, after, event);
      checkRoom(realm, before, after, event);
      for (const watch of others) watch(before, event, after, record);
      if (after.loops !== before.loops) for (const loop of loopsOf(after)) checkLoop(before, loop);
      before = after;
    }
    checkState(realm, before);
  };
}

function checkState(realm: Realm, state: State): void {
  const live = new Set<TaskKey>();
  const slots = new Set<string>();
  const paths = new Set<string>();
  for (const loop of loopsOf(state)) {
    if (isLive(loop)) {
      if (live.has(loop.task)) fail(realm, 'one-loop-a-task', `${loop.task} has two live loops`);
      live.add(loop.task);
    }
    if (loop.host === null) continue;
    const host = state.hosts[loop.host];
    if (host === undefined) fail(realm, 'held-by-a-host', `${loop.id} is held by ${loop.host}, which is gone`);
    if (!isWorking(loop)) fail(realm, 'held-means-working', `${loop.id} is ${loop.phase.at} and held`);
    const slot = `${loop.host}/${loop.slot}`;
    if (slots.has(slot) || loop.slot < 1) fail(realm, 'slots', `${loop.id} took ${slot}`);
    slots.add(slot);
    if (loop.worktree === null) continue;
    if (paths.has(loop.worktree)) fail(realm, 'one-loop-a-worktree', `${loop.worktree} serves two loops`);
    paths.add(loop.worktree);
  }
  if (state.landing !== null && state.hosts[state.landing.host] === undefined)
    fail(realm, 'held-by-a-host', `the landing is held by ${state.landing.host}, which is gone`);
  for (const host of Object.values(state.hosts)) {
    const keys = realm.brain.wishes(state, host.id).map((wish) => wish.key);
    if (new Set(keys).size !== keys.length) fail(realm, 'wishes-are-unique', keys.join(' '));
  }
}

function checkEvent(realm: Realm, before: State, after: State, event: Event): void {
  switch (event.type) {
    case 'host-lost': {
      const pid = before.hosts[event.host]?.mark.pid;
      const process = realm.hosts.find((host) => host.pid === pid);
      if (process !== undefined && !process.dead && !process.suspected)
        fail(realm, 'the-living-stay', `${event.host} was declared lost and lives`);
      return;
    }
    case 'landing-started':
      if (before.landing !== null && after.landing?.fence !== before.landing.fence)
        fail(realm, 'one-landing', 'a landing began while another was under way');
      return;
    case 'command-failed':
      if (event.code === 'BUG') fail(realm, 'no-bugs', `${event.command}: ${event.message}`);
      return;
    default:
  }
}

/** Nobody takes a loop while as many are at work, all hosts together, as the one that allows most lets. */
function checkRoom(realm: Realm, before: State, after: State, event: Event): void {
  if ((event.type !== 'task-claimed' && event.type !== 'loop-adopted') || before.loops === after.loops) return;
  // A person may let fewer work than do: only what begins has to fit.
  if (event.slot > (after.hosts[event.host]?.policy.slots ?? 0))
    fail(realm, 'slots', `${event.loop} took ${event.slot}`);
  const hosts = Object.values(after.hosts).filter((host) => host.state !== 'stopped');
  const max = Math.max(...hosts.map(({ policy }) => policy.maxWorkers ?? policy.slots));
  const held = loopsOf(after).filter((loop) => hosts.some((host) => host.id === loop.host));
  if (held.length > max) fail(realm, 'workers-are-bounded', `${held.length} loops are at work, and ${max} may be`);
}

/** Why a loop may begin, told without the scheduler. */
function checkBegun(realm: Realm, before: State, loop: Loop): void {
  const host = loop.host === null ? undefined : before.hosts[loop.host];
  const tracker = host === undefined ? undefined : before.trackers[host.policy.tracker];
  const task = tracker?.tasks.find((one) => host !== undefined && taskKey(host.policy.tracker, one.id) === loop.task);
  if (host === undefined || task === undefined) return fail(realm, 'begun-by-a-host', `${loop.id} began from nowhere`);
  if (task.status === 'done' || task.status === 'blocked')
    fail(realm, 'startable', `${loop.task} is ${task.status} and began`);
  for (const dep of task.deps) {
    const key = taskKey(host.policy.tracker, dep);
    const isDone = tracker?.tasks.some((one) => one.id === dep && one.status === 'done') === true;
    const isReady =
      host.policy.mergePolicy === 'manual' &&
      loopsOf(before).some((other) => other.task === key && other.phase.at === 'ready');
    if (before.landed[key] === undefined && !isDone && !isReady)
      fail(realm, 'dependencies-first', `${loop.task} began before ${key}`);
  }
  checkGroup(realm, before, host, loop);
}

function checkGroup(realm: Realm, before: State, host: Host, loop: Loop): void {
  const groupOf = (one: Loop): string | null => one.group ?? (host.policy.strategy === 'group' ? '' : null);
  const group = groupOf(loop);
  if (group === null) return;
  for (const other of loopsOf(before)) {
    if (!isLive(other) || groupOf(other) !== group) continue;
    // Nobody goes on with what was taken out of the list.
    if (other.host === null && !isListed(before, other)) continue;
    if (isWorking(other)) fail(realm, 'groups-take-turns', `${loop.id} began while ${other.id} of ${group} works`);
    else if (other.phase.at === 'ready' && other.phase.queued)
      fail(realm, 'groups-take-turns', `${loop.id} began before ${other.id} of ${group} landed`);
  }
}

/** The heads of all that a loop builds on, as it begins: the unlanded branches and its landed dependencies. */
function headsBelow(state: State, loop: Loop): readonly Sha[] {
  const deps = findTask(state, loop.task)?.deps ?? [];
  const landed = deps.map((dep) => state.landed[taskKey(TRACKER, dep)]?.loop);
  return [...loop.onto, ...landed].flatMap((id) => (id === undefined ? [] : (state.loops[id]?.head ?? [])));
}

function checkBase(realm: Realm, loop: Loop, below: readonly Sha[]): void {
  if (loop.base === null) return;
  const { tokens } = realm.git.get(loop.base).tree;
  for (const head of below) {
    const lacks = [...realm.git.get(head).tree.tokens].filter((token) => !tokens.has(token));
    if (lacks.length > 0) fail(realm, 'starts-from-its-base', `${loop.id} lacks ${lacks.join(' ')} of ${head}`);
  }
}

function checkLanded(realm: Realm, loop: Loop, commit: Loop['head']): void {
  const { git } = realm;
  const holds = (one: Sha | null): boolean => one !== null && commit !== null && git.isAncestor(commit, one);
  // Somebody else may have moved it since, and the log puts that right: where we had it, or to the target.
  const integration = [realm.integration, realm.movedTo, realm.target].find(holds);
  if (integration == null) return fail(realm, 'landed-is-landed', `${loop.id} is said to have landed as ${commit}`);
  if (loop.head === null) return fail(realm, 'landed-is-landed', `${loop.id} landed nothing`);
  const { tokens } = git.get(integration).tree;
  const lacks = [...git.get(loop.head).tree.tokens].filter((token) => !tokens.has(token));
  if (lacks.length > 0) fail(realm, 'landed-is-landed', `integration lacks ${lacks.join(' ')} of ${loop.id}`);
}

/** What a stranger tells changes nothing. */
function checkFence(realm: Realm, before: State, after: State, event: Event): void {
  // About integration itself, which has no fence: whoever could not put it right says so.
  if (event.type === 'command-failed' && SUSPECT_COMMANDS.has(event.command)) return;
  if (!('fence' in event)) return;
  if ('loop' in event && event.loop !== null) {
    const { loop, fence } = event;
    if (before.loops[loop]?.fence !== fence && before.loops[loop] !== after.loops[loop])
      fail(realm, 'strangers-change-nothing', `${event.type} of ${loop} under ${fence}`);
    if (before.landing !== after.landing)
      fail(realm, 'strangers-change-nothing', `${event.type} of ${loop} changed a landing`);
  } else if (
    before.landing?.fence !== event.fence &&
    (before.landing !== after.landing || before.loops !== after.loops)
  )
    fail(realm, 'strangers-change-nothing', `${event.type} under ${event.fence}`);
}
