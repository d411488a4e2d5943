import type { Event } from '../../core/model/events.ts';
import type { State } from '../../core/model/model.ts';
import type { Facts } from '../../core/fold/fold.ts';
import { fold } from '../../core/fold/fold.ts';
import { hostsToWatch } from '../../core/plan/reconcile.ts';
import { foldLog } from '../../engine/journal.ts';
import type { Repository } from '../../world/git/run/repository.ts';
import { logFolder } from '../../world/git/run/state-places.ts';
import { readLogOnly } from '../../world/log/file-log.ts';
import { isAlive, isStopped } from '../../world/processes/identity.ts';

/** Hosts that died write nothing, and nobody reads the task file while there is none: it has to be looked at. */
const LOOK_EVERY_MS = 1000;

export type OnFacts = (record: Facts, before: State) => void;

export interface FollowedRun {
  /** What the log says, with hosts that died since counted as gone. */
  readonly state: () => State;
  /** Calls back whenever the state may be another, until the signal aborts. */
  readonly onChange: (tell: () => void, signal: AbortSignal) => void;
}

/** Adds what the task file says now. */
export type WithTasks = (state: State) => Promise<State>;

/** Reads the log of a run of whatever host, record by record, and writes nothing. */
export async function followRun(
  repo: Repository,
  withTasks: WithTasks,
  onFacts: OnFacts = () => {},
): Promise<FollowedRun> {
  const open = () => readLogOnly<Event>(logFolder(repo));
  let log = open();
  let told = await foldLog(log, fold);
  let shown = told;
  const look = async (): Promise<State> => {
    const state = withHosts(told);
    // A host that lives reads the task file itself.
    return Object.values(state.hosts).some((host) => host.state === 'up') ? state : withTasks(state).catch(() => state);
  };
  let seen = await look();

  const catchUp = async (): Promise<void> => {
    try {
      for (const record of await log.read(told.seq)) {
        const before = told;
        told = fold(told, record);
        onFacts(record, before);
      }
    } catch {
      // The log was mended or moved away under us: whatever it says now counts.
      log = open();
      told = await foldLog(log, fold);
    }
  };

  const onChange = (tell: () => void, signal: AbortSignal): void => {
    const show = async (): Promise<void> => {
      const now = await look();
      const isOther = told !== shown || hostsOf(now) !== hostsOf(seen) || now.trackers !== seen.trackers;
      [shown, seen] = [told, now];
      if (isOther && !signal.aborted) tell();
    };
    let isBusy = false;
    let isAgain = false;
    const read = async (): Promise<void> => {
      isAgain = true;
      if (isBusy) return;
      isBusy = true;
      while (isAgain && !signal.aborted) {
        isAgain = false;
        await catchUp().catch(() => {});
        await show();
      }
      isBusy = false;
    };
    log.watch(() => void read(), signal);
    const timer = setInterval(() => void show(), LOOK_EVERY_MS);
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  };

  return { state: () => seen, onChange };
}

const hostsOf = ({ hosts }: State): string =>
  Object.values(hosts)
    .map(({ id, state }) => `${id} ${state}`)
    .join();

/** What a host that lives would write down of the others. */
function withHosts(state: State): State {
  const events = hostsToWatch(state, null).flatMap(({ id, mark }): readonly Event[] => {
    if (!isAlive(mark)) return [{ type: 'host-lost', host: id }];
    return isStopped(mark) ? [{ type: 'host-stopped', host: id }] : [];
  });
  return events.length === 0 ? state : fold(state, { seq: state.seq, at: Date.now(), by: 'reader', events });
}
