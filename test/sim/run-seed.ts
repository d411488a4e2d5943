import { canBeQueued } from '../../src/core/loops/landing-queue.ts';
import { loopsOf } from '../../src/core/model/model.ts';
import { newestLoops } from '../../src/core/plan/newest-loops.ts';
import { checkEnd } from './checks/check-end.ts';
import { checkReconciled } from './checks/check-reconciled.ts';
import { watchAgents } from './checks/watch-agents.ts';
import { watchLandings } from './checks/watch-landings.ts';
import { watchMishaps } from './checks/watch-mishaps.ts';
import { watchReviews } from './checks/watch-reviews.ts';
import { checkNobodyWaits, watchWaiting } from './checks/watch-waiting.ts';
import { watchRecords } from './checks/watch-records.ts';
import type { Brain } from '../../src/engine/brain.ts';
import { REAL_BRAIN } from '../../src/engine/brain.ts';
import { gatherCrowd, keepUserBusy, hostileAct, personWrites, requestFor } from './model/hostility.ts';
import { withLightAbort } from './model/light-abort.ts';
import { createRandom } from './model/random.ts';
import type { Realm } from './model/realm.ts';
import { createRealm, fail, ROOM_MB, stateOf } from './model/realm.ts';
import { createScenario } from './model/scenario.ts';
import type { HostRunner } from './model/start-host.ts';
import { livingHosts, policyOf, startHost } from './model/start-host.ts';

/** How long the last hosts may take once nothing goes wrong any more. */
const CALM_MOMENTS_MAX = 20_000;
const CALM_RECORDS_MAX = 600;

/** Lets every promise that can go on do so. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** One seed from the first host to the last: a hostile time, then calm, then the reckoning. */
export function runSeed(seed: number, runHost: HostRunner, brain: Brain = REAL_BRAIN): Promise<Realm> {
  return withLightAbort(async () => {
    const random = createRandom(seed);
    const realm = createRealm(createScenario(random), random, brain);
    watchRecords(realm, [
      watchAgents(realm),
      watchLandings(realm),
      watchMishaps(realm),
      watchReviews(realm),
      watchWaiting(realm),
    ]);
    if (realm.scenario.isCrowd) gatherCrowd(realm);
    if (realm.scenario.isUserBusy) keepUserBusy(realm);
    for (let host = 0; host < realm.scenario.hosts; host += 1)
      realm.timeline.after(random.between(0, 300), () => {
        startHost(realm, runHost, policyOf(realm, random.between(1, 4)));
      });
    await hostileTime(realm, runHost);
    await calmTime(realm, runHost);
    if (realm.violation === null) checkEnd(realm);
    if (realm.violation === null) checkNobodyWaits(realm, stateOf(realm));
    return realm;
  });
}

async function moment(realm: Realm): Promise<boolean> {
  if (realm.violation !== null || !realm.timeline.step()) return false;
  if (realm.stirred) {
    realm.stirred = false;
    await settle();
  }
  return true;
}

async function hostileTime(realm: Realm, runHost: HostRunner): Promise<void> {
  const { hostileMoments, hostility } = realm.scenario;
  for (let moments = 0; moments < hostileMoments; moments += 1) {
    if (!(await moment(realm))) return;
    if (!realm.random.chance(hostility)) continue;
    hostileAct(realm, runHost);
    checkReconciled(realm);
  }
}

async function calmTime(realm: Realm, runHost: HostRunner): Promise<void> {
  realm.isCalm = true;
  realm.userIsDirty = false;
  realm.freeMb = ROOM_MB;
  // What is suspended may well be so for as long as it was to be.
  for (const host of realm.hosts) if (realm.random.chance(0.5)) host.frozenUntilMs = 0;
  if (stateOf(realm).pausedAt !== undefined) personWrites(realm, [{ type: 'run-unpaused' }]);
  if (stateOf(realm).queuePaused) personWrites(realm, [{ type: 'queue-resumed' }]);
  await untilAlone(realm);
  startHost(realm, runHost, policyOf(realm, 2));
  await untilAlone(realm);
  // It went on with a run that had spent its budget, and ended it; the next one begins anew.
  if (stateOf(realm).run.overspent !== null) {
    startHost(realm, runHost, policyOf(realm, 2));
    await untilAlone(realm);
  }
  const ready = loopsOf(stateOf(realm)).filter((loop) => loop.phase.at === 'ready' && canBeQueued(loop));
  if (ready.length > 0) {
    startHost(realm, runHost, policyOf(realm, 0), requestFor(realm, stateOf(realm), ready));
    await untilAlone(realm);
  }
  // What landed by hand may have freed tasks; after this one there must be nothing left to do.
  do {
    startHost(realm, runHost, policyOf(realm, 2));
    await untilAlone(realm);
  } while (realm.violation === null && hasPersonTheLastWord(realm));
}

/** Somebody changed something while the last host was leaving: that is for the next one. */
const hasPersonTheLastWord = ({ log }: Realm): boolean => log.at(-1)?.by === 'cli';

function approveAll(realm: Realm): void {
  const state = stateOf(realm);
  const waiting = [...newestLoops(state).values()].filter(canBeQueued);
  personWrites(realm, requestFor(realm, state, waiting));
}

async function untilAlone(realm: Realm): Promise<void> {
  const records = realm.log.length;
  realm.stirred = true;
  for (let moments = 0; livingHosts(realm).length > 0; moments += 1) {
    if (realm.violation !== null) return;
    if (moments > CALM_MOMENTS_MAX || realm.log.length - records > CALM_RECORDS_MAX)
      return fail(realm, 'hosts-come-to-an-end', `${moments} moments, ${realm.log.length - records} records`);
    // Where only so many may wait for a person, there is one who reads.
    if (moments % 50 === 49 && realm.scenario.policy.maxWaiting !== undefined) approveAll(realm);
    if (!(await moment(realm)) && livingHosts(realm).length > 0)
      return fail(realm, 'hosts-come-to-an-end', 'a host waits for something that will never happen');
  }
}
