import { retryLogins } from '../loops/accounts.ts';
import { unreachable } from '../model/assert.ts';
import { askAgain } from '../loops/base.ts';
import type { Event, Stamp } from '../model/events.ts';
import type { HostId, LoopId } from '../model/ids.ts';
import type { Host, Loop, State } from '../model/model.ts';
import { loopsOf } from '../model/model.ts';
import { isPromptTracker } from '../model/tasks.ts';
import { letGoForge } from '../pull/pull-events.ts';
import { closeRun, openRun } from '../loops/run.ts';
import { tryAgain } from '../train/suspect.ts';

type HostEvent = Extract<Event, { type: `host-${string}` }>;
type Joined = Extract<Event, { type: 'host-joined' }>;

/** What became of one host, and of what it held. */
export function applyHostEvent(state: State, event: HostEvent, stamp: Stamp): State {
  switch (event.type) {
    case 'host-joined':
      return hostJoined(state, event, stamp);
    case 'host-draining':
      return changeHost(state, event.host, (host) => ({ ...host, state: 'draining' }));
    case 'host-ending':
      return changeHost(state, event.host, (host) => ({ ...host, isEnding: true }));
    case 'host-left':
      return hostLeft(state, event.host, stamp);
    case 'host-lost':
      return hostGone(state, event.host, stamp, true);
    case 'host-stopped':
      return hostStopped(state, event.host);
    case 'host-woke':
      return changeHost(state, event.host, (host) => (host.state === 'stopped' ? { ...host, state: 'up' } : host));
    default:
      return unreachable(event);
  }
}

function changeHost(state: State, id: HostId, change: (host: Host) => Host): State {
  const host = state.hosts[id];
  return host == null ? state : { ...state, hosts: { ...state.hosts, [id]: change(host) } };
}

function hostJoined(state: State, event: Joined, stamp: Stamp): State {
  const host: Host = { id: event.host, mark: event.mark, policy: event.policy, state: 'up', joinedAt: stamp.at };
  // A new host may find what was in the way gone, so it tries once more.
  const turned = turnTo(state, event.policy.target);
  const publishing = { ...turned.publishing, blocked: null };
  const { gates } = event.policy;
  const joined: State = {
    ...turned,
    suspect: tryAgain(turned.suspect),
    hosts: { ...state.hosts, [host.id]: host },
    publishing,
    landingTrouble: null,
    ...(gates === undefined ? {} : { gates }),
  };
  // A person who starts the only run wants it to work.
  const isFirst = event.policy.slots > 0 && !Object.values(state.hosts).some(({ policy }) => policy.slots > 0);
  const goesOn = isFirst ? unpaused(joined) : joined;
  return openRun(askAgain(retryLogins(goesOn), event.policy), event.policy, stamp);
}

/** Each target has an integration of its own. The one that was landed on before is remembered. */
function turnTo(state: State, target: string): State {
  if (state.target === target) return state;
  if (state.target === null) return { ...state, target };
  const { [target]: back, ...others } = state.otherTargets;
  const { integration, proof, publishing } = state;
  return {
    ...state,
    target,
    otherTargets: { ...others, [state.target]: { integration, proof, published: publishing.published } },
    integration: back?.integration ?? null,
    proof: back?.proof ?? null,
    granted: [],
    suspect: null,
    targetHead: null,
    publishing: { published: back?.published ?? null, blocked: null, diverged: false },
  };
}

export function unpaused({ pausedAt: _since, ...state }: State): State {
  return state;
}

/** What works goes on: where there are more than may be, nothing new starts until some have ended. */
export function setCrowd(state: State, max: number): State {
  const hosts = Object.values(state.hosts).map((host): [HostId, Host] => {
    const { policy } = host;
    const isForList = policy.slots > 0 && policy.only === null && !isPromptTracker(policy.tracker);
    return [host.id, isForList ? { ...host, policy: { ...policy, slots: max, maxWorkers: max } } : host];
  });
  return { ...state, hosts: Object.fromEntries(hosts) };
}

/** A host that left in order may have ended the run. */
function hostLeft(state: State, id: HostId, stamp: Stamp): State {
  const host = state.hosts[id];
  return host == null ? state : hostGone(closeRun(state, host), id, stamp, false);
}

/** Frees all that a host held: its loops go on with whoever adopts them, its landing starts again. */
function hostGone(state: State, id: HostId, stamp: Stamp, hostDied: boolean): State {
  if (state.hosts[id] == null) return state;
  const { [id]: _gone, ...hosts } = state.hosts;
  const loops: Record<LoopId, Loop> = { ...state.loops };
  for (const loop of loopsOf(state))
    if (loop.host === id) loops[loop.id] = { ...loop, host: null, hostDied, since: stamp.at };
  const gone = { ...state, hosts, loops, landing: state.landing?.host === id ? null : state.landing };
  return letGoForge(gone, id, hostDied);
}

/** A suspended process cannot land: its train is let go, so that another host may. Its loops stay its own, for their agents may still work. */
function hostStopped(state: State, id: HostId): State {
  if (state.hosts[id] == null) return state;
  const freed = { ...state, landing: state.landing?.host === id ? null : state.landing };
  const stopped = letGoForge(freed, id, true);
  return changeHost(stopped, id, (host) => (host.state === 'up' ? { ...host, state: 'stopped' } : host));
}

/** The one host that does what any host could do but only one should. */
export function leaderOf(state: State): HostId | null {
  const up = Object.values(state.hosts).filter((host) => host.state === 'up');
  up.sort((a, b) => a.joinedAt - b.joinedAt || (a.id < b.id ? -1 : 1));
  return up[0]?.id ?? null;
}
