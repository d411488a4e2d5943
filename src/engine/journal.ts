import { completeState } from '../core/complete-event.ts';
import type { Event } from '../core/events.ts';
import { EMPTY_STATE } from '../core/model.ts';
import type { State } from '../core/model.ts';
import type { fold as Fold } from '../core/step.ts';
import type { Log, LogReader, LogRecord } from '../world/log/log.ts';

/** Every this many records whoever wrote the last one folds them into a snapshot. */
const SNAPSHOT_RECORDS = 256;

/** The log and the state it folds to, kept in step. */
export interface Journal {
  readonly state: () => State;
  /** Folds what others wrote. */
  readonly catchUp: () => Promise<void>;
  /** Writes facts if nobody wrote since the state was folded. False: somebody did; look again. */
  readonly append: (by: string, at: number, events: readonly Event[]) => Promise<boolean>;
}

export type OnRecord = (record: LogRecord<Event>, before: State, after: State) => void;

/** What the log says now: its newest snapshot and everything after. */
export async function foldLog(log: LogReader<Event>, fold: typeof Fold): Promise<State> {
  const snapshot = await log.loadSnapshot();
  let state = snapshot === null ? EMPTY_STATE : completeState(snapshot.state as State);
  for (const record of await log.read(state.seq)) state = fold(state, record);
  return state;
}

export async function openJournal(log: Log<Event>, fold: typeof Fold, onRecord: OnRecord): Promise<Journal> {
  let state = await foldLog(log, fold);
  const take = (record: LogRecord<Event>): void => {
    const before = state;
    state = fold(state, record);
    onRecord(record, before, state);
  };
  const catchUp = async (): Promise<void> => {
    for (const record of await log.read(state.seq)) take(record);
  };
  const append = async (by: string, at: number, events: readonly Event[]): Promise<boolean> => {
    const written = await log.append(state.seq, by, at, events);
    if (!written.ok) {
      await catchUp();
      return false;
    }
    take({ seq: written.seq, at, by, events });
    // The facts are written: a snapshot that fails (a full disk) is made another time.
    if (written.seq % SNAPSHOT_RECORDS === 0) await log.saveSnapshot(state.seq, state).catch(() => null);
    return true;
  };
  return { state: () => state, catchUp, append };
}
