import { openLoops } from '../loops/draft.ts';
import { heldLoops, holdingBase, nextOfBase, testerOf } from '../loops/base.ts';
import type { Command } from '../model/commands.ts';
import { leaderOf } from '../fold/hosts.ts';
import type { HostId, Sha } from '../model/ids.ts';
import { boarding } from '../loops/landing-queue.ts';
import type { GateRun, Host, Landing, Loop, State } from '../model/model.ts';
import { isWorking } from '../model/model.ts';
import { isSpent, schedule } from './schedule.ts';
import { isInDoubt, suspectWish } from '../train/suspect.ts';
import { trainLimit } from '../train/drive.ts';
import { timeoutFrom } from '../train/pace.ts';

const DELAY_FIRST_MS = 500;
const DELAY_MAX_MS = 60_000;

/**
 * What a host should be doing, from the state alone. Nothing is remembered beside the log, so a crash
 * loses no command: the next host wishes the same, and each effect first looks whether it has happened.
 */
export function wishes(state: State, me: HostId): readonly Command[] {
  const host = state.hosts[me];
  if (host == null || host.state !== 'up') return [];
  const own = openLoops(state).filter((loop) => loop.host === me && isWorking(loop));
  return [
    ...own.map((loop) => loopWish(state, host, loop)),
    ...landingWishes(state, host),
    ...baseWish(state, host),
    ...leaderWishes(state, host),
    ...publishWish(state, host),
  ];
}

function loopWish(state: State, host: Host, loop: Loop): Command {
  const { limits } = host.policy;
  const key = `${loop.id}:${loop.fence}`;
  switch (loop.phase.at) {
    case 'iterating': {
      const delayMs =
        loop.failureStreak === 0 ? 0 : Math.min(DELAY_MAX_MS, DELAY_FIRST_MS * 2 ** (loop.failureStreak - 1));
      const { n } = loop.phase;
      return {
        type: 'run-iteration',
        key: `iteration:${key}:${n}`,
        loop: loop.id,
        fence: loop.fence,
        n,
        timeoutMs: Math.max(0, limits.runtimeMs - loop.usedMs + loop.granted.usedMs),
        delayMs,
      };
    }
    case 'gating':
      return {
        type: 'run-gates',
        key: `gates:${key}:${loop.phase.n}`,
        loop: loop.id,
        fence: loop.fence,
        n: loop.phase.n,
      };
    case 'updating':
      return {
        type: 'update-worktree',
        key: `update:${key}:${loop.phase.n}`,
        loop: loop.id,
        fence: loop.fence,
        n: loop.phase.n,
        onlyClean: loop.phase.onlyClean === true,
      };
    default:
      return {
        type: 'make-worktree',
        key: `worktree:${key}`,
        loop: loop.id,
        fence: loop.fence,
        branch: loop.branch,
        onto: unlandedHeads(state, loop),
        head: loop.head,
      };
  }
}

function unlandedHeads(state: State, loop: Loop): readonly Sha[] {
  return loop.onto.flatMap((id) => {
    const other = state.loops[id];
    return other == null || other.phase.at === 'landed' || other.head === null ? [] : [other.head];
  });
}

/** The train's next step, and the gate runs that go on meanwhile. */
function landingWishes(state: State, host: Host): readonly Command[] {
  const { landing } = state;
  if (landing === null || landing.host !== host.id) return [];
  return [...stageWish(state, host, landing), ...landing.runs.map((run) => testWish(state, host, landing.fence, run))];
}

function stageWish(state: State, host: Host, { fence, build, stage, base, cars }: Landing): readonly Command[] {
  switch (stage.at) {
    case 'building': {
      const items = boarding(state, trainLimit(state, host));
      return [{ type: 'build-train', key: `build:${fence}:${build}`, fence, build, items, keep: cars }];
    }
    case 'testing':
      return [];
    case 'advancing': {
      const to = stage.commit;
      return base === null || state.suspect !== null
        ? []
        : [{ type: 'advance-integration', key: `advance:${fence}:${to}`, fence, from: base, to }];
    }
  }
}

function testWish(state: State, { policy }: Host, fence: number, { commit, tree, again }: GateRun): Command {
  return {
    type: 'test-candidate',
    key: `test:${fence}:${commit}:${again}`,
    fence,
    commit,
    tree,
    again,
    timeoutMs: policy.gateTimeoutAuto ? timeoutFrom(state.pace) : null,
  };
}

/** Main itself is tested beside the loops that work, so that nobody waits for it where it is green. */
function baseWish(state: State, { id, policy }: Host): readonly Command[] {
  const { gatesHash } = policy;
  if (testerOf(state, gatesHash) !== id || isInDoubt(state)) return [];
  const isIdle = !openLoops(state).some(
    (loop) => isWorking(loop) && loop.host !== null && state.hosts[loop.host]?.policy.gatesHash === gatesHash,
  );
  if (isIdle && (holdingBase(state, policy) === null || !isAnybodyHeld(state, id))) return [];
  const base = state.bases[gatesHash];
  const { integration, targetHead: target } = state;
  const next = nextOfBase(state, policy, isIdle);
  if (next === null) return [];
  if (next === 'find' || base === undefined)
    return [{ type: 'find-base', key: `base:${integration ?? ''}:${target ?? ''}`, seen: { integration, target } }];
  const { commit, tree, runs: again } = base;
  const timeoutMs = policy.gateTimeoutAuto ? timeoutFrom(state.pace) : null;
  return [{ type: 'test-base', key: `test-base:${commit}:${again}`, commit, tree, again, timeoutMs }];
}

/** Something would start, or go on, if main were green. */
function isAnybodyHeld(state: State, me: HostId): boolean {
  const host = state.hosts[me];
  if (host === undefined) return false;
  return (
    heldLoops(state, host.policy).length > 0 || schedule(state, me).waits.some(({ waiting }) => waiting.why === 'base')
  );
}

function leaderWishes(state: State, host: Host): readonly Command[] {
  if (leaderOf(state) !== host.id) return [];
  const retire = openLoops(state)
    .filter(({ phase, worktreeState }) => worktreeState === 'made' && (phase.at === 'landed' || phase.at === 'waiting'))
    .map(({ id, fence }): Command => ({ type: 'retire-worktree', key: `retire:${id}:${fence}`, loop: id }));
  return [...suspectWish(state, host), ...retire];
}

function publishWish(state: State, host: Host): readonly Command[] {
  const to = state.integration;
  const { published, blocked, diverged } = state.publishing;
  if (state.proof === null || state.suspect !== null) return [];
  if (to === null || to === published || blocked?.to === to || diverged || !hasLanded(state)) return [];
  const due =
    host.policy.publish === 'each'
      ? leaderOf(state) === host.id
      : host.policy.publish === 'end' && isSpent(state, host.id);
  return due ? [{ type: 'publish', key: `publish:${to}`, to }] : [];
}

const hasLanded = (state: State): boolean => Object.keys(state.landed).length > 0;
