import type { Draft } from './draft.ts';
import type { Stamp } from '../model/events.ts';
import type { Host, HostPolicy, State } from '../model/model.ts';
import type { Budget, Usage } from '../model/usage.ts';
import { addUsage, NO_USAGE, overspent } from '../model/usage.ts';

/** A host that runs loops begins a run, or goes on with one that was cut short: what that one spent still counts. */
export function openRun(state: State, policy: HostPolicy, stamp: Stamp): State {
  if (policy.slots === 0) return state;
  const { run } = state;
  const usage = run.isOpen ? run.usage : NO_USAGE;
  const since = run.isOpen ? run.since : stamp.at;
  return { ...state, run: { isOpen: true, since, usage, overspent: overspent(usage, policy.budget) } };
}

/** What trackers outside the tree know it by. */
export const runName = ({ since }: State['run']): string => `r-${since.toString(36)}`;

/** The run is over when its last host leaves because nothing is left to do; one that was stopped or died leaves it open. */
export function closeRun(state: State, host: Host): State {
  const others = Object.values(state.hosts).some((other) => other.id !== host.id && other.policy.slots > 0);
  if (host.policy.slots === 0 || host.state === 'draining' || others) return state;
  return { ...state, run: { ...state.run, isOpen: false } };
}

export function noteSpending(state: State, spent: Usage, budget: Budget): Draft<State> {
  const { isOpen, since, usage: before } = state.run;
  const usage = addUsage(before, spent);
  return { ...state, run: { isOpen, since, usage, overspent: overspent(usage, budget) } };
}
