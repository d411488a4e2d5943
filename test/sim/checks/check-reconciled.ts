import type { Realm } from '../model/realm.ts';
import { fail, stateOf, TRACKER } from '../model/realm.ts';
import { simDay } from '../model/sim-world.ts';
import { knownOf } from '../../../src/core/loops/integration-value.ts';
import { seenValue } from '../model/sim-integration.ts';
import { hostsToWatch, worktreesToWatch } from '../../../src/core/plan/reconcile.ts';

/** Whatever the world looks like, once it is written down there is nothing more to write. */
export function checkReconciled(realm: Realm): void {
  const state = stateOf(realm);
  const { reconcile, fold } = realm.brain;
  for (const { id: me } of Object.values(state.hosts)) {
    const observed = {
      nowMs: realm.timeline.now(),
      day: simDay(realm.timeline.now()),
      deadHosts: hostsToWatch(state, me).flatMap(({ id, mark }) =>
        realm.hosts.some((host) => host.pid === mark.pid && !host.dead && !host.suspected) ? [] : [id],
      ),
      stoppedHosts: [],
      freeMb: realm.freeMb,
      missingWorktrees: worktreesToWatch(state, me).flatMap(({ loop, path }) =>
        realm.worktrees.get(path)?.exists === true ? [] : [loop],
      ),
      targetHead: realm.target,
      integration: { seen: seenValue(realm, knownOf(state)), known: knownOf(state) },
      unheldCommits: [],
      tracker: { path: TRACKER, digest: `d${realm.tracker.version}`, tasks: realm.tracker.tasks },
    };
    const record = { seq: state.seq + 1, at: realm.timeline.now(), by: me, events: reconcile(state, observed, me) };
    const again = reconcile(fold(state, record), observed, me);
    if (again.length > 0) fail(realm, 'reconciled-once', again.map((event) => event.type).join(' '));
  }
}
