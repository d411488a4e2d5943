import { unreachable } from '../model/assert.ts';
import type { Command } from '../model/commands.ts';
import type { Event, Stamp } from '../model/events.ts';
import { standAt } from '../loops/integration-value.ts';
import type { Host, State, Suspect } from '../model/model.ts';
import { PUT_BACKS_MAX } from '../model/vouching.ts';
import { timeoutFrom } from './pace.ts';
import { recordVerdict } from '../loops/odds.ts';

type SuspectEvent = Extract<
  Event,
  {
    type:
      | 'integration-intruded'
      | 'integration-unknown'
      | 'integration-tested'
      | 'integration-put-back'
      | 'integration-left';
  }
>;

/** One red run may be a lie of the gates. */
const REDS_TO_BELIEVE = 2;

/** Commands whose failure stops all landing: nothing may be built on what nothing vouches for. */
export const SUSPECT_COMMANDS: ReadonlySet<string> = new Set<Command['type']>([
  'test-integration',
  'put-back-integration',
]);

/** What became of an integration that the log cannot vouch for. */
export function applySuspectEvent(state: State, event: SuspectEvent, stamp: Stamp): State {
  switch (event.type) {
    case 'integration-intruded':
      return state.suspect === null ? { ...state, suspect: { at: 'intruded', head: event.head } } : state;
    case 'integration-unknown':
      return { ...state, suspect: { at: 'unknown', head: event.head, tree: event.tree, reds: 0 }, landing: null };
    case 'integration-tested':
      return tested(state, event);
    case 'integration-put-back':
      return putBack(state, event, stamp);
    case 'integration-left':
      return state.suspect === null || state.suspect.at === 'unknown' ? state : { ...state, suspect: null };
    default:
      return unreachable(event);
  }
}

function tested(state: State, { host: id, head, tree, again, report }: Of<'integration-tested'>): State {
  const { suspect } = state;
  const host = state.hosts[id];
  if (host === undefined || suspect?.at !== 'unknown' || suspect.head !== head || suspect.reds !== again) return state;
  const next = host.policy.hasGates ? recordVerdict(state, host.policy.gatesHash, tree, report.verdict) : state;
  if (report.verdict === 'green') return { ...next, integration: head, proof: 'landed', granted: [], suspect: null };
  const reds = suspect.reds + 1;
  return { ...next, suspect: reds < REDS_TO_BELIEVE ? { ...suspect, reds } : { at: 'red', head, report } };
}

function putBack(state: State, { found, to, kept }: Of<'integration-put-back'>, { at }: Stamp): State {
  const { suspect } = state;
  if (suspect === null || suspect.at === 'unknown') return state;
  const failing = suspect.at === 'red' ? (suspect.report.failing ?? 'a gate') : null;
  const putBacks = [...state.putBacks, { found, to, kept, failing, at }].slice(-PUT_BACKS_MAX);
  // A landing that was under way may have come to its end since: the log has that, and stays where it is.
  const isWhere = suspect.at === 'intruded' && state.proof !== null;
  return { ...(isWhere ? state : standAt(state, to, true)), suspect: null, putBacks };
}

type Of<T extends Event['type']> = Extract<Event, { type: T }>;

/** What the leader does about it. */
export function suspectWish(state: State, { id: host, policy }: Host): readonly Command[] {
  const { suspect } = state;
  if (suspect === null || suspect.isStuck === true) return [];
  if (suspect.at === 'unknown') {
    const { head: commit, tree, reds: again } = suspect;
    const timeoutMs = policy.gateTimeoutAuto ? timeoutFrom(state.pace) : null;
    const key = `test-integration:${commit}:${again}`;
    return [{ type: 'test-integration', key, host, commit, tree, again, timeoutMs }];
  }
  const { head: found } = suspect;
  const to = state.proof === null ? null : state.integration;
  return [{ type: 'put-back-integration', key: `put-back:${found ?? 'gone'}`, found, to }];
}

export function tryAgain(suspect: Suspect | null): Suspect | null {
  if (suspect?.isStuck !== true) return suspect;
  const { isStuck: _tried, ...rest } = suspect;
  return rest as Suspect;
}

/** No loop begins: neither what it would begin from nor the task list there is known to be sound. */
export const isInDoubt = ({ suspect }: State): boolean => suspect !== null;
