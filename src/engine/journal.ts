import type { Event } from '../core/events.ts';
import { EMPTY_STATE } from '../core/model.ts';
import type { State } from '../core/model.ts';
import { fold } from '../core/step.ts';
import type { Log, LogRecord } from '../world/log/log.ts';

/** Every this many records whoever wrote the last one folds them into a snapshot. */
const SNAPSHOT_RECORDS = 256;

/** The log and the state it folds to, kept in step. */
export interface Journal {
  readonly state: () => State;
  /** Folds what others wrote. True: there was something. */
  readonly catchUp: () => Promise<boolean>;
  /** Writes facts if nobody wrote since the state was folded. False: somebody did; look again. */
  readonly append: (by: string, at: number, events: readonly Event[]) => Promise<boolean>;
}

export type OnRecord = (record: LogRecord<Event>, before: State, after: State) => void;

export async function openJournal(log: Log<Event>, onRecord: OnRecord): Promise<Journal> {
  const snapshot = await log.loadSnapshot();
  let state = (snapshot?.state as State | undefined) ?? EMPTY_STATE;
  for (const record of await log.read(state.seq)) state = fold(state, record);

  const take = (record: LogRecord<Event>): void => {
    const before = state;
    state = fold(state, record);
    onRecord(record, before, state);
  };
  const catchUp = async (): Promise<boolean> => {
    const records = await log.read(state.seq);
    for (const record of records) take(record);
    return records.length > 0;
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
