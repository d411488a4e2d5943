import type { Event, IterationOutcome } from '../../../src/core/model/events.ts';
import type { Hold, LandingTrouble, Loop, ParkReason, Rework, State } from '../../../src/core/model/model.ts';
import type { PullEvent } from '../../../src/core/model/pull-event.ts';
import { loopsOf } from '../../../src/core/model/model.ts';
import { isUnread } from './watch-reviews.ts';
import type { Realm } from '../model/realm.ts';

/** Everything that can happen, so that a new kind of fact cannot stay out of the simulated worlds. Very rare, or about refs, limits of the project, ends by the clock and trackers outside the tree, which these worlds do not have, or a commit that takes something back, which they cannot: left out. */
const SOUGHT: Record<
  | Exclude<
      Event['type'],
      | PullEvent['type']
      | 'train-refs-lost'
      | 'keeps-changed'
      | 'host-ending'
      | 'claim-lost'
      | 'task-closed'
      | 'revert-made'
    >
  | `it ${IterationOutcome}`
  // Only loops in a person's checkout share a branch, and only another clone does a task of ours: these worlds have neither.
  // Nor have their files a size.
  | `parked ${Exclude<ParkReason, 'replaced' | 'duplicate' | 'too-large' | 'pull-request'>}`
  | `stopped ${Exclude<LandingTrouble['kind'], 'broken'>}`
  | `held ${Hold['kind']}`
  | `waits for ${Exclude<NonNullable<Loop['waitsFor']>, 'limit'>}`
  | 'warned'
  | 'overspent'
  | 'the second agent'
  | `sent back ${Exclude<Rework['kind'], 'checks'>} to owner`
  | 'sent back conflict to resolver'
  | 'several in a train'
  | 'two gates at once'
  | 'a second look'
  | 'upstream aboard'
  | 'boarded later'
  | 'a stack nobody declared'
  | 'only those ahead in the way'
  | 'markers to mend'
  | 'merged by itself'
  | 'mended and landed'
  | 'stopped in the end'
  | 'approved and landed'
  | 'the bound on reviews holds one back'
  | 'a last word'
  | 'gated after a stop'
  | 'put back red'
  | 'one goes on'
  | 'main is green again'
  | 'begins again'
  | 'one more loop',
  true
> = {
  'held limit': true,
  'held rate': true,
  'held auth': true,
  'held missing': true,
  'waits for auth': true,
  'waits for budget': true,
  warned: true,
  overspent: true,
  'the second agent': true,
  'loop-released': true,
  'account-resumed': true,
  'loop-progressed': true,
  'loop-blocked': true,
  'loop-lacks': true,
  'loop-waited': true,
  'loop-done': true,
  'loop-steered': true,
  'loop-reviewed': true,
  'sent back review to owner': true,
  'approved and landed': true,
  'task-proposed': true,
  'several in a train': true,
  'two gates at once': true,
  'a second look': true,
  'upstream aboard': true,
  'boarded later': true,
  'a stack nobody declared': true,
  'only those ahead in the way': true,
  'markers to mend': true,
  'merged by itself': true,
  'mended and landed': true,
  'sent back conflict to owner': true,
  'sent back conflict to resolver': true,
  'sent back red to owner': true,
  'integration-moved': true,
  'integration-intruded': true,
  'integration-unknown': true,
  'integration-tested': true,
  'integration-put-back': true,
  'integration-left': true,
  'put back red': true,
  'day-began': true,
  'host-joined': true,
  'host-draining': true,
  'host-left': true,
  'host-lost': true,
  'tasks-read': true,
  'task-reset': true,
  'task-claimed': true,
  'loop-adopted': true,
  'worktree-made': true,
  'worktree-lost': true,
  'worktree-retired': true,
  'worktree-kept': true,
  'iteration-ended': true,
  'gates-ended': true,
  'landing-requested': true,
  'landing-started': true,
  'train-built': true,
  'upstream-conflicted': true,
  'loop-sent-back': true,
  'main-merged': true,
  'conflicts-foreseen': true,
  'queue-paused': true,
  'run-paused': true,
  'run-unpaused': true,
  'workers-set': true,
  'the bound on reviews holds one back': true,
  'queue-resumed': true,
  'loop-bumped': true,
  'loop-ejected': true,
  'landings-found': true,
  'loops-found': true,
  'loop-discarded': true,
  'loop-restored': true,
  'loop-stopped': true,
  'loop-resumed': true,
  'host-stopped': true,
  'host-woke': true,
  'disk-low': true,
  'disk-freed': true,
  'candidate-tested': true,
  'base-found': true,
  'base-tested': true,
  'waits for base': true,
  'one goes on': true,
  'main is green again': true,
  'begins again': true,
  'one more loop': true,
  'integration-advanced': true,
  'integration-contested': true,
  'target-moved': true,
  published: true,
  'publish-blocked': true,
  'publish-diverged': true,
  'command-failed': true,
  'it claimed': true,
  'it worked': true,
  'it failed': true,
  'it timed-out': true,
  'it interrupted': true,
  'it lost': true,
  'it stalled': true,
  'it limited': true,
  'it throttled': true,
  'it refused': true,
  'parked iterations': true,
  'parked runtime': true,
  'parked no-progress': true,
  'parked failures': true,
  'parked conflict': true,
  'parked red': true,
  'parked base-parked': true,
  'parked broken': true,
  'parked reset': true,
  'parked budget': true,
  'parked blocked': true,
  'parked protected': true,
  'parked ejected': true,
  'parked tampered': true,
  'parked discarded': true,
  'parked stopped': true,
  'stopped in the end': true,
  'a last word': true,
  'gated after a stop': true,
  'stopped upstream-conflict': true,
  'stopped upstream-red': true,
  'stopped main-red': true,
};

export interface Coverage {
  readonly add: (realm: Realm) => void;
  readonly missing: () => readonly string[];
}

/** Counts what really happened in the worlds it is shown. */
export function createCoverage(): Coverage {
  const missing = new Set<string>(Object.keys(SOUGHT));
  const see = (what: string): void => void missing.delete(what);
  const add = ({ log, states }: Realm): void => {
    for (const { events, seq } of log)
      for (const event of events) {
        see(event.type);
        seeInEvent(event, see);
        seeStop(event, states[seq - 1], states[seq], see);
        seeBase(event, states[seq - 1], states[seq], see);
      }
    for (const state of states) seeInState(state, see);
  };
  return { add, missing: () => [...missing] };
}

function seeInEvent(event: Event, see: (what: string) => void): void {
  if (event.type === 'train-built') {
    if (event.cars.length > 1) see('several in a train');
    if (event.cars.some((car) => car.loop === null)) see('upstream aboard');
    if (event.build > 1 && event.cars.length > 1) see('boarded later');
    if (event.implied.length > 0) see('a stack nobody declared');
    if (event.clashes.some((clash) => !clash.main && clash.paths.length > 0)) see('only those ahead in the way');
  }
  if (event.type === 'task-claimed' && event.again === true) see('one more loop');
  if (event.type === 'candidate-tested' && event.again > 0) see('a second look');
  if (event.type === 'main-merged') see(event.conflicts.length > 0 ? 'markers to mend' : 'merged by itself');
  if (event.type !== 'iteration-ended') return;
  see(`it ${event.outcome}`);
  if (event.agent === 'bob') see('the second agent');
}

/** A loop that a person stopped: by itself when its iteration ended, or told of afterwards, or judged when it went on. */
function seeStop(event: Event, before: State | undefined, after: State | undefined, see: (what: string) => void): void {
  if (event.type !== 'iteration-ended' && event.type !== 'loop-resumed') return;
  const [was, is] = [before?.loops[event.loop], after?.loops[event.loop]];
  if (event.type === 'loop-resumed' && is?.phase.at === 'gating') see('gated after a stop');
  if (event.type !== 'iteration-ended' || is?.phase.at !== 'parked' || is.phase.reason !== 'stopped') return;
  if (was?.stopping === true) see('stopped in the end');
  else if (was?.iteration !== is.iteration) see('a last word');
}

function seeBase(event: Event, before: State | undefined, after: State | undefined, see: (what: string) => void): void {
  const isRed = (state: State | undefined): boolean =>
    Object.values(state?.bases ?? {}).some(({ red }) => red !== null);
  if (event.type === 'gates-ended' && isRed(after) && after?.loops[event.loop]?.host != null) see('one goes on');
  if (event.type === 'loop-adopted' && before?.loops[event.loop]?.phase.at === 'waiting') see('begins again');
  const was = event.type === 'loop-adopted' ? before?.loops[event.loop]?.waitsFor : null;
  if (was === 'base' && !isRed(after)) see('main is green again');
}

function seeInState(state: State, see: (what: string) => void): void {
  const [policy] = Object.values(state.hosts).flatMap((host) =>
    host.policy.maxWaiting === undefined ? [] : [host.policy],
  );
  if (policy !== undefined && loopsOf(state).filter(isUnread).length >= (policy.maxWaiting ?? 0))
    see('the bound on reviews holds one back');
  if ((state.landing?.runs.length ?? 0) > 1) see('two gates at once');
  if (state.landingTrouble !== null) see(`stopped ${state.landingTrouble.kind}`);
  if (state.run.overspent !== null) see('overspent');
  if (state.putBacks.some(({ failing }) => failing !== null)) see('put back red');
  for (const { hold, warnedUntilMs } of Object.values(state.accounts)) {
    if (hold !== null) see(`held ${hold.kind}`);
    if (warnedUntilMs !== null) see('warned');
  }
  for (const { phase, waitsFor, rework, reviewed } of loopsOf(state)) {
    if (phase.at === 'landed' && reviewed?.verdict === 'approved') see('approved and landed');
    if (phase.at === 'parked') see(`parked ${phase.reason}`);
    if ((phase.at === 'updating' || phase.at === 'preparing') && rework !== null)
      see(`sent back ${rework.kind} to ${rework.by}`);
    if (phase.at === 'landed' && rework !== null) see('mended and landed');
    if (waitsFor !== null) see(`waits for ${waitsFor}`);
  }
}
