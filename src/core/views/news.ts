import { describeLack } from '../loops/waiting.ts';
import { accountOf } from '../loops/accounts.ts';
import { loneLoop } from '../loops/base.ts';
import { describeBesides, heldBesides } from './besides.ts';
import { taskKey, type LoopId, type Sha, type TaskKey } from '../model/ids.ts';
import type { GateReport, Hold, Loop, ParkReason, State } from '../model/model.ts';
import { loopsOf } from '../model/model.ts';
import type { Tracker } from '../model/task.ts';
import { unreadOf } from '../plan/crowd.ts';
import { describeWithdrawn, isWithdrawn } from '../loops/withdrawn.ts';

/** What became of a loop, told once. Derived from two states, never written to the log. */
export type News =
  | {
      readonly type: 'loop-ready';
      readonly loop: LoopId;
      readonly task: TaskKey;
      readonly branch: string;
      readonly queued: boolean;
      /** What else it would land, in words; absent: nothing. */
      readonly detail?: string;
    }
  | { readonly type: 'loop-landed'; readonly loop: LoopId; readonly task: TaskKey; readonly commit: Sha }
  | {
      readonly type: 'loop-parked';
      readonly loop: LoopId;
      readonly task: TaskKey;
      readonly reason: ParkReason;
      readonly detail: string;
      readonly branch: string;
    }
  | {
      readonly type: 'loop-waits';
      readonly loop: LoopId;
      readonly task: TaskKey;
      /** Those it named; none: an earlier one of the list. */
      readonly tasks: readonly TaskKey[];
      readonly detail: string;
    }
  | {
      readonly type: 'loop-returned';
      readonly loop: LoopId;
      readonly task: TaskKey;
      readonly branch: string;
      readonly detail: string;
    }
  | {
      readonly type: 'tasks-changed';
      readonly tracker: string;
      readonly added: readonly string[];
      readonly removed: readonly string[];
    }
  | { readonly type: 'account-held'; readonly account: string; readonly hold: Hold }
  | { readonly type: 'run-overspent'; readonly spent: string }
  | {
      readonly type: 'base-red';
      readonly target: string;
      readonly commit: Sha;
      readonly gate: GateReport;
      readonly likely: readonly string[];
      /** Who goes on meanwhile; null: nobody. */
      readonly loop: LoopId | null;
      /** Every task starts all the same. */
      readonly anyway: boolean;
    }
  /** As many loops as may wait for a review: nothing new starts. */
  | { readonly type: 'reviews-full'; readonly waiting: number; readonly max: number }
  | { readonly type: 'base-green'; readonly target: string; readonly commit: Sha }
  | {
      readonly type: 'landing-stopped';
      readonly kind: string;
      readonly detail: string;
      readonly paths: readonly string[];
    };

export const NEWS_TYPES: ReadonlySet<string> = new Set<News['type']>([
  'loop-ready',
  'loop-landed',
  'loop-parked',
  'loop-waits',
  'loop-returned',
  'tasks-changed',
  'account-held',
  'run-overspent',
  'reviews-full',
  'base-red',
  'base-green',
  'landing-stopped',
]);

export function newsBetween(before: State, after: State): readonly News[] {
  const news: News[] = [];
  for (const loop of loopsOf(after)) {
    const was = before.loops[loop.id];
    if (was === loop || was?.phase === loop.phase) continue;
    const told = newsOf(after, loop, was);
    if (told !== null) news.push(told);
  }
  for (const [path, tracker] of Object.entries(after.trackers)) {
    const was = before.trackers[path];
    if (was !== undefined && was !== tracker && !isOwnTick(after, path, was, tracker))
      news.push(changeOf(path, was, tracker));
  }
  for (const [account, { hold }] of Object.entries(after.accounts))
    if (hold !== null && !isSameHold(hold, accountOf(before, account)?.hold ?? null))
      news.push({ type: 'account-held', account, hold });
  const spent = after.run.overspent;
  if (spent !== null && before.run.overspent === null) news.push({ type: 'run-overspent', spent });
  news.push(...fullNews(before, after), ...baseNews(before, after));
  const trouble = after.landingTrouble;
  if (trouble !== null && trouble !== before.landingTrouble)
    news.push({ type: 'landing-stopped', kind: trouble.kind, detail: trouble.detail, paths: trouble.paths });
  return news;
}

function fullNews(before: State, after: State): readonly News[] {
  if (before.loops === after.loops) return [];
  const [policy] = Object.values(after.hosts).flatMap((host) =>
    host.policy.maxWaiting === undefined ? [] : [host.policy],
  );
  const max = policy?.maxWaiting;
  if (policy === undefined || max === undefined) return [];
  const { waiting } = unreadOf(after, policy);
  return waiting >= max && unreadOf(before, policy).waiting < max ? [{ type: 'reviews-full', waiting, max }] : [];
}

/** That main itself fails is told once in each run, and that it is green again. */
function baseNews(before: State, after: State): readonly News[] {
  if (before.bases === after.bases) return [];
  return Object.entries(after.bases).flatMap(([gatesHash, { commit, red, runs }]): News[] => {
    const was = before.bases[gatesHash];
    const policy = Object.values(after.hosts).find((host) => host.policy.gatesHash === gatesHash)?.policy;
    if (policy === undefined) return [];
    const { target } = policy;
    if (red === null) return was?.red == null ? [] : [{ type: 'base-green', target, commit }];
    if (runs === 0 || (was?.red != null && was.runs > 0)) return [];
    const loop = loneLoop(after, policy)?.id ?? null;
    const anyway = policy.base === 'tell';
    return [{ type: 'base-red', target, commit, gate: red.report, likely: red.likely, loop, anyway }];
  });
}

/** Several loops meet the same limit; that is one piece of news. */
const isSameHold = (a: Hold, b: Hold | null): boolean => a.kind === b?.kind && a.untilMs === b.untilMs;

/** Nobody edited the list: what landed is ticked there, and lines may have moved by it. */
function isOwnTick({ landed }: State, path: string, was: Tracker, now: Tracker): boolean {
  const essence = ({ tasks }: Tracker): string =>
    JSON.stringify(
      tasks.map(({ line: _line, ...task }) => (landed[taskKey(path, task.id)] === undefined ? task : task.id)),
    );
  return essence(was) === essence(now);
}

function changeOf(path: string, was: Tracker, now: Tracker): News {
  const without = (some: Tracker, others: Tracker): readonly string[] =>
    some.tasks.filter((task) => !others.tasks.some((other) => other.id === task.id)).map((task) => task.id);
  return { type: 'tasks-changed', tracker: path, added: without(now, was), removed: without(was, now) };
}

function newsOf(state: State, loop: Loop, was: Loop | undefined): News | null {
  const { phase, id, task, branch } = loop;
  switch (phase.at) {
    case 'ready':
      return was?.phase.at === 'ready' ? null : readyNews(state, loop, phase.queued);
    case 'reviewing':
      return null;
    case 'landed':
      return was?.phase.at === 'landed' ? null : { type: 'loop-landed', loop: id, task, commit: phase.commit };
    case 'parked':
      return was?.phase.at === 'parked'
        ? null
        : { type: 'loop-parked', loop: id, task, reason: phase.reason, detail: phase.detail, branch };
    case 'waiting':
      return was?.phase.at === 'waiting'
        ? null
        : { type: 'loop-waits', loop: id, task, tasks: phase.tasks, detail: describeLack(state, phase.tasks) };
    case 'preparing':
    case 'iterating':
    case 'gating':
    case 'updating':
      return was?.phase.at === 'ready' || was?.phase.at === 'reviewing'
        ? { type: 'loop-returned', loop: id, task, branch, detail: loop.rework?.detail ?? '' }
        : null;
  }
}

function readyNews(state: State, loop: Loop, queued: boolean): News {
  const { id, task, branch } = loop;
  if (isWithdrawn(state, loop))
    return { type: 'loop-ready', loop: id, task, branch, queued: false, detail: describeWithdrawn(state, loop) };
  const besides = heldBesides(loop);
  const detail = besides === null ? {} : { detail: describeBesides(besides) };
  return { type: 'loop-ready', loop: id, task, branch, queued, ...detail };
}
