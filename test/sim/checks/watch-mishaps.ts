import type { HostId, LoopId, Sha } from '../../../src/core/model/ids.ts';
import type { Loop, State } from '../../../src/core/model/model.ts';
import { isLive, isWorking, loopsOf } from '../../../src/core/model/model.ts';
import type { Realm } from '../model/realm.ts';
import { fail } from '../model/realm.ts';
import type { EventWatch } from './watch-records.ts';

/** Checks what follows from full disks, suspended hosts, agents that stray, and work that was stopped, thrown away or found. */
export function watchMishaps(realm: Realm): EventWatch {
  const thrownAway = new Set<LoopId>();
  const suspended = new Set<HostId>();
  const stopped = new Map<LoopId, Loop['phase']>();
  let isFull = false;
  return (before, event, after) => {
    if (
      event.type === 'loop-resumed' ||
      (event.type === 'loop-reviewed' && event.verdict === 'changes' && before.loops[event.loop]?.phase.at === 'parked')
    )
      stopped.delete(event.loop);
    const stops = event.type === 'loop-stopped' ? before.loops[event.loop] : undefined;
    if (stops !== undefined && isWorking(stops) && !stopped.has(stops.id)) stopped.set(stops.id, stops.phase);
    if (before.loops !== after.loops) checkStopped(realm, after, stopped, event.type === 'loop-stopped' && event.now);
    switch (event.type) {
      case 'disk-low':
        isFull = true;
        return;
      case 'disk-freed':
        isFull = false;
        return;
      case 'task-claimed':
        if (isFull) fail(realm, 'full-disks-rest', `${event.loop} began without room`);
        return;
      case 'host-stopped':
        if (before.hosts[event.host]?.state === 'up') suspended.add(event.host);
        if (after.landing?.host === event.host) fail(realm, 'nobody-waits-for-the-suspended', 'it keeps its train');
        return;
      case 'host-woke':
      case 'host-left':
      case 'host-draining':
      case 'host-lost':
        suspended.delete(event.host);
        return;
      case 'landing-started':
        if (suspended.has(event.host) && after.landing?.host === event.host)
          fail(realm, 'nobody-waits-for-the-suspended', `${event.host} began a train without having woken`);
        return;
      case 'iteration-ended': {
        const [was, is] = [before.loops[event.loop], after.loops[event.loop]];
        if (event.breach !== null && was !== is && is?.phase.at !== 'parked')
          fail(realm, 'strays-are-parked', `${event.loop} goes on after ${event.breach.did.join()}`);
        return;
      }
      case 'loop-discarded':
        if (before.loops[event.loop] !== after.loops[event.loop]) thrownAway.add(event.loop);
        checkThrownAway(realm, after, thrownAway);
        return;
      case 'loop-restored':
        thrownAway.delete(event.loop);
        return;
      case 'landing-requested':
        // A person may want it after all.
        for (const { loop } of event.items) thrownAway.delete(loop);
        return;
      default:
        if (before.loops !== after.loops) checkThrownAway(realm, after, thrownAway);
    }
  };
}

/** It may end the iteration it was in, and does nothing else until a person lets it go on. */
function checkStopped(realm: Realm, state: State, stopped: ReadonlyMap<LoopId, Loop['phase']>, isNow: boolean): void {
  for (const [id, was] of stopped) {
    const loop = state.loops[id];
    if (loop === undefined || !isWorking(loop)) continue;
    const { phase } = loop;
    const isSame = phase.at === 'iterating' && was.at === 'iterating' && phase.n === was.n;
    if (!isSame) fail(realm, 'stopped-stays-stopped', `${id} is ${phase.at}`);
    else if (isNow && !loop.stopping) fail(realm, 'stopped-stays-stopped', `${id} goes on at once`);
  }
}

/** What integration moved past in that very moment has landed. */
function checkThrownAway(realm: Realm, state: State, thrownAway: ReadonlySet<LoopId>): void {
  const { git, integration, movedTo } = realm;
  // Somebody else may have moved it since, and the log puts that right.
  const isIn = (commit: Sha): boolean =>
    [integration, movedTo].some((one) => one !== null && git.isAncestor(commit, one));
  for (const loop of loopsOf(state)) {
    const { id, phase } = loop;
    if (thrownAway.has(id) && (isLive(loop) || (phase.at === 'landed' && !isIn(phase.commit))))
      fail(realm, 'thrown-away-stays-away', `${id} is ${phase.at}`);
  }
  const { stage, cars } = state.landing ?? { stage: null, cars: [] };
  const moving = stage?.at === 'advancing' ? cars.findIndex((car) => car.commit === stage.commit) + 1 : 0;
  for (const { loop } of cars.slice(moving))
    if (loop !== null && thrownAway.has(loop)) fail(realm, 'thrown-away-stays-away', `${loop} rides in a train`);
}
