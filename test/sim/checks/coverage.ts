import type { EventType, IterationOutcome } from '../../../src/core/events.ts';
import type { Hold, LandingTrouble, Loop, ParkReason } from '../../../src/core/model.ts';
import { LANDING_WIDTH_MAX, loopsOf } from '../../../src/core/model.ts';
import type { Realm } from '../model/realm.ts';

/** Everything that can happen, so that a new kind of fact cannot stay out of the simulated worlds. Very rare: left out. */
const SOUGHT: Record<
  | EventType
  | `it ${IterationOutcome}`
  | `parked ${ParkReason}`
  | `stopped ${Exclude<LandingTrouble['kind'], 'broken'>}`
  | `held ${Hold['kind']}`
  | `waits for ${NonNullable<Loop['waitsFor']>}`
  | 'warned'
  | 'overspent'
  | 'the second agent'
  | 'several in a candidate'
  | 'fewer in a candidate',
  true
> = {
  'held limit': true,
  'held rate': true,
  'held auth': true,
  'waits for auth': true,
  'waits for budget': true,
  warned: true,
  overspent: true,
  'the second agent': true,
  'loop-released': true,
  'account-resumed': true,
  'loop-progressed': true,
  'loop-blocked': true,
  'loop-done': true,
  'loop-steered': true,
  'task-proposed': true,
  'several in a candidate': true,
  'fewer in a candidate': true,
  'integration-moved': true,
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
  'candidate-built': true,
  'candidate-conflicted': true,
  'candidate-contained': true,
  'candidate-tested': true,
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
  'it blocked': true,
  'parked iterations': true,
  'parked runtime': true,
  'parked no-progress': true,
  'parked failures': true,
  'parked conflict': true,
  'parked red': true,
  'parked main-red': true,
  'parked base-parked': true,
  'parked broken': true,
  'parked reset': true,
  'parked budget': true,
  'parked blocked': true,
  'parked protected': true,
  'stopped upstream-conflict': true,
  'stopped upstream-red': true,
};

export interface Coverage {
  readonly add: (realm: Realm) => void;
  readonly missing: () => readonly string[];
}

/** Counts what really happened in the worlds it is shown. */
export function createCoverage(): Coverage {
  const missing = new Set<string>(Object.keys(SOUGHT));
  const add = ({ log, states }: Realm): void => {
    for (const { events } of log)
      for (const event of events) {
        missing.delete(event.type);
        if (event.type === 'candidate-built' && event.candidate.members.length > 1)
          missing.delete('several in a candidate');
        if (event.type !== 'iteration-ended') continue;
        missing.delete(`it ${event.outcome}`);
        if (event.agent === 'bob') missing.delete('the second agent');
      }
    for (const state of states) {
      if (state.landing !== null && state.landing.width < LANDING_WIDTH_MAX) missing.delete('fewer in a candidate');
      if (state.landingTrouble !== null) missing.delete(`stopped ${state.landingTrouble.kind}`);
      if (state.run.overspent !== null) missing.delete('overspent');
      for (const { hold, warnedUntilMs } of Object.values(state.accounts)) {
        if (hold !== null) missing.delete(`held ${hold.kind}`);
        if (warnedUntilMs !== null) missing.delete('warned');
      }
      for (const { phase, waitsFor } of loopsOf(state)) {
        if (phase.at === 'parked') missing.delete(`parked ${phase.reason}`);
        if (waitsFor !== null) missing.delete(`waits for ${waitsFor}`);
      }
    }
  };
  return { add, missing: () => [...missing] };
}
