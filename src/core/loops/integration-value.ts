import type { Sha } from '../model/ids.ts';
import type { Landing, State } from '../model/model.ts';
import { stood } from './waiting.ts';

/** What the log knows of where integration is. */
export interface Known {
  readonly head: Sha | null;
  /** Tested commits that integration was let move to, while no record says yet whether it did. */
  readonly granted: readonly Sha[];
}

/** What git knows of a value of integration. */
export interface ValueFacts {
  /** The target holds it. */
  readonly isTargets: boolean;
  /** It holds all that the log has landed. */
  readonly holdsKnown: boolean;
  /** The target once held all that the log has landed and no longer does: its owner took that back. */
  readonly isTakenBack: boolean;
  /** The newest tested commit that it holds: a landing whose record is missing, and something on top of it. */
  readonly landed: Sha | null;
}

/** A look at the integration ref. Without facts: there was nothing to ask, because it is gone or where the log has it. */
export interface SeenValue {
  readonly head: Sha | null;
  readonly facts: ValueFacts | null;
}

export type Standing =
  /** Where the log has it. */
  | 'known'
  /** A landing whose record is still missing: its host died, or has not told yet. */
  | 'landed'
  /** The user's own commits. */
  | 'users'
  /** Neither: it was put there by something else. */
  | 'strange';

export const knownOf = (state: State): Known => ({ head: state.integration, granted: state.granted });

/** What the log knows of the integration of a target and holds a reason to believe. */
export function vouchedFor(state: State, target: string): Known {
  const { integration, proof, granted } = state;
  if (state.target === null || state.target === target) return { head: proof === null ? null : integration, granted };
  const other = state.otherTargets[target];
  return { head: other === undefined || other.proof === null ? null : other.integration, granted: [] };
}

/** Whether integration may be where it is. The ref itself is no evidence: anybody can write it. */
export function standingOf({ head: known, granted }: Known, { head, facts }: SeenValue): Standing {
  if (head === known) return 'known';
  if (head === null) return 'strange';
  if (granted.includes(head)) return 'landed';
  if (facts?.isTargets !== true) return 'strange';
  return known === null || facts.holdsKnown || facts.isTakenBack ? 'users' : 'strange';
}

/** Integration is here, and it may be. What vouches for it is remembered: publishing asks for it. */
export function standAt(state: State, head: Sha, isUsers: boolean): State {
  const isSame = head === state.integration;
  const before = isSame ? state.proof : state.granted.includes(head) ? 'landed' : null;
  return stood({
    ...state,
    integration: head,
    proof: before ?? (isUsers ? 'user' : null),
    granted: isSame ? state.granted : [],
    landing: isSame || state.landing === null ? state.landing : onto(state.landing, head),
  });
}

/** A train on another base is built or tested for nothing. One that moves integration right now may be what moved it. */
function onto(landing: Landing, head: Sha): Landing | null {
  switch (landing.stage.at) {
    case 'building':
      return { ...landing, build: landing.build + 1 };
    case 'testing':
      return landing.base === head ? landing : null;
    case 'advancing':
      return landing;
  }
}
