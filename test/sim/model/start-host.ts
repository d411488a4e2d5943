import { AppError } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/events.ts';
import type { HostPolicy, State } from '../../../src/core/model/model.ts';
import type { HostOrder } from '../../../src/engine/host.ts';
import type { World } from '../../../src/world/contract/world.ts';
import type { Realm, SimHost } from './realm.ts';
import { fail } from './realm.ts';
import { createSimWorld } from './sim-world.ts';

export type HostRunner = (world: World, order: HostOrder) => Promise<State>;

/** One more process: it lives until it comes to its own end, is asked to stop, or is killed. */
export function startHost(
  realm: Realm,
  runHost: HostRunner,
  policy: HostPolicy,
  opening: readonly Event[] = [],
): SimHost {
  const host: SimHost = {
    pid: 100 + realm.hosts.length,
    policy,
    drain: new AbortController(),
    force: new AbortController(),
    dead: false,
    frozenUntilMs: 0,
    suspected: false,
    skewMs: realm.random.chance(0.3) ? realm.random.between(-3000, 3000) : 0,
    ring: null,
    trackerSeen: 0,
    seq: 0,
  };
  // Whoever starts a host has often logged in before.
  if (realm.isCalm || realm.random.chance(0.7))
    for (const account of realm.accounts.values()) account.isLoggedIn = true;
  realm.hosts.push(host);
  realm.stirred = true;
  runHost(createSimWorld(realm, host), {
    policy,
    completion: { signal: 'loop_complete', promise: '' },
    gateCommands: ['npm test'],
    protect: realm.scenario.protect,
    needs: null,
    landing: { message: null, auto: { paths: [], maxLines: null, labels: [] } },
    pull: { labels: [], reviewers: [], assignees: [], title: null, body: null },
    opening: () => opening,
    drain: host.drain.signal,
    force: host.force.signal,
    onRecord: ({ seq }) => {
      host.seq = seq;
    },
    onWarning: () => undefined,
  }).then(
    () => {
      host.dead = true;
    },
    (error: unknown) => {
      // What cannot even be looked at ends a host, as a crash would; anything else is a mistake of ours.
      if (!host.dead && !(error instanceof AppError))
        fail(realm, 'hosts-end-in-order', error instanceof Error ? (error.stack ?? '') : String(error));
      host.dead = true;
    },
  );
  return host;
}

export const livingHosts = (realm: Realm): readonly SimHost[] => realm.hosts.filter((host) => !host.dead);

/** As the scenario says, now and then with another mind about one thing. Who only lands has nobody to mend anything. */
export function policyOf(realm: Realm, slots: number): HostPolicy {
  const { random, scenario } = realm;
  const { train } = scenario.policy;
  if (slots === 0)
    return { ...scenario.policy, slots, agents: [], resolver: null, train: { ...train, onConflict: 'stop' } };
  const policy: HostPolicy = { ...scenario.policy, slots };
  if (realm.isCalm || !random.chance(0.1)) return policy;
  const others: readonly Partial<HostPolicy>[] = [
    { mergePolicy: policy.mergePolicy === 'manual' ? 'auto_merge' : 'manual' },
    { strategy: policy.strategy === 'queue' ? 'group' : 'queue' },
    { train: { ...train, onConflict: train.onConflict === 'stop' ? 'requeue' : 'stop' } },
  ];
  return { ...policy, ...random.pick(others) };
}
