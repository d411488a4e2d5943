import { NO_PULL } from '../model/pull.ts';
import { isHeldBack, lacksGreenBase, noteClaim } from './base.ts';
import { describeLeftOut } from '../model/describe-time.ts';
import { withLoop } from './draft.ts';
import { describeRed } from '../model/line-that-matters.ts';
import { canUpdate, isUntold, nextIteration, park, releasedIfStuck, updatedFirst, withinBudget } from './loop.ts';
import { sawVerdict, withOdds, recordVerdict, verdictOf } from './odds.ts';
import type { Event, Stamp } from '../model/events.ts';
import type { GateReport, Host, Loop, State } from '../model/model.ts';

type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;

/** Green gates make a loop ready; red ones are what its next iteration is about. */
export function endGates(state: State, event: Of<'gates-ended'>, stamp: Stamp): State {
  const loop = state.loops[event.loop];
  const host = loop?.host == null ? undefined : state.hosts[loop.host];
  if (loop == null || host == null || loop.fence !== event.fence) return state;
  if (loop.phase.at !== 'gating' || loop.phase.n !== event.n) return state;
  const judged: Loop = {
    ...loop,
    head: event.head,
    // What was counted of it when its iteration ended stays so.
    tree: event.head === loop.head ? loop.tree : event.tree,
    since: stamp.at,
    usedMs: loop.usedMs + event.durationMs,
    footprint: event.changed,
    obeyed: [...event.protected, ...(event.obeyed ?? [])],
    lastGate: event.report,
    besides: event.besides ?? null,
  };
  const { limits } = host.policy;
  const known = noteVerdict(noteClaim(state, host.policy, loop, event), host.policy.gatesHash, event);
  const goesOn = event.report.verdict === 'red' || isUntold(judged);
  const isHeld = goesOn && isHeldBack(known, host.policy, loop);
  const isBaseGone = event.report.verdict === 'red' && canUpdate(judged) && lacksGreenBase(known, host.policy, judged);
  if (isBaseGone) return withLoop(known, { ...judged, phase: { at: 'updating', n: event.n } });
  const after = isHeld
    ? withinBudget({ ...judged, counted: Math.max(0, loop.counted - 1), doneSaid: event.n }, limits, stamp)
    : event.report.verdict === 'red'
      ? nextIteration(judged, limits, describeStillRed(event.report), stamp)
      : isUntold(judged)
        ? nextIteration(judged, limits, 'your message has not reached the agent yet', stamp)
        : readied(judged, host, event, stamp);
  return withLoop(known, updatedFirst(known, host, releasedIfStuck(known, host, after)));
}

const describeStillRed = (report: GateReport): string =>
  `gate still fails: ${describeRed(report)}${report.leftOut === undefined ? '' : `; ${describeLeftOut(report.leftOut)}`}`;

/** The same tree red and then green: the gates cannot be trusted quite. */
function noteVerdict(state: State, gatesHash: string, { tested, report }: Of<'gates-ended'>): State {
  const before = verdictOf(state, gatesHash, tested);
  const known = recordVerdict(state, gatesHash, tested, report.verdict);
  if (report.verdict === 'red') return known;
  return withOdds(known, (odds) => sawVerdict(odds, before === 'red' ? 'flaky' : 'firm'));
}

/**
 * Ready to land, by itself where that is the policy and nothing but its own work would land. What runs in every other loop once it is
 * on main waits for a person who names it, also where a person lands: `ralph land --all` would take it along.
 */
function readied(loop: Loop, host: Host, event: Of<'gates-ended'>, stamp: Stamp): Loop {
  const { protected: touched, tooLarge, beyond } = event;
  const isItsOwn = loop.besides == null;
  if (host.policy.mergePolicy === 'pr' && isItsOwn) return reviewed(loop, event, stamp);
  if (isItsOwn && touched.length > 0)
    return park(
      loop,
      'protected',
      `changes files that later gates and agents use: ${touched.join(', ')}`,
      stamp,
      touched,
    );
  if (isItsOwn && tooLarge !== undefined) return park(loop, 'too-large', tooLarge, stamp);
  // Where a person lands everything, nothing has to be told apart.
  if (isItsOwn && beyond !== undefined && host.policy.mergePolicy === 'auto_merge')
    return park(loop, 'protected', beyond, stamp);
  const lands = isItsOwn && host.policy.mergePolicy === 'auto_merge';
  return { ...loop, host: null, phase: { at: 'ready', queued: lands, readySeq: stamp.seq } };
}

/** It becomes a pull request; what lands only when a person says so needs their approval there. */
function reviewed(loop: Loop, { protected: touched, tooLarge, beyond }: Of<'gates-ended'>, stamp: Stamp): Loop {
  const obeyed = touched.length > 0 ? `changes files that later gates and agents use: ${touched.join(', ')}` : null;
  const pull = { ...(loop.pull ?? NO_PULL), needs: obeyed ?? tooLarge ?? beyond ?? null };
  return { ...loop, host: null, phase: { at: 'reviewing' }, since: stamp.at, pull };
}
