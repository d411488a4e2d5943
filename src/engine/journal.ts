import type { Event } from '../core/model/events.ts';
import { EMPTY_STATE } from '../core/model/model.ts';
import type { State } from '../core/model/model.ts';
import { foldAll } from '../core/fold/fold.ts';
import type { fold as Fold } from '../core/fold/fold.ts';
import type { Appended, Log, LogReader, LogRecord } from '../world/contract/log.ts';
import type { DiskWait } from './disk-wait.ts';
import { mayBeWrittenLater } from './trouble/want.ts';

/** Every this many records whoever wrote the last one folds them into a snapshot. */
const SNAPSHOT_RECORDS = 256;

/** The log and the state it folds to, kept in step. */
export interface Journal {
  readonly state: () => State;
  /** Folds what others wrote. */
  readonly catchUp: () => Promise<void>;
  /** Writes facts if nobody wrote since the state was folded, however long that takes. False: somebody did; look again. */
  readonly append: (by: string, at: number, events: readonly Event[]) => Promise<boolean>;
}

export type OnRecord = (record: LogRecord<Event>, before: State, after: State) => void;

/** What the log says now: its newest snapshot and everything after. */
export async function foldLog(log: LogReader<Event>, fold: typeof Fold): Promise<State> {
  const snapshot = await log.loadSnapshot();
  const state = snapshot === null ? EMPTY_STATE : { ...EMPTY_STATE, ...(snapshot.state as State) };
  return foldAll(state, await log.read(state.seq), fold);
}

export async function openJournal(
  log: Log<Event>,
  fold: typeof Fold,
  onRecord: OnRecord,
  disk: Pick<DiskWait, 'pause' | 'over'>,
): Promise<Journal> {
  let state = await foldLog(log, fold);
  const take = (record: LogRecord<Event>): void => {
    const before = state;
    state = fold(state, record);
    onRecord(record, before, state);
  };
  const catchUp = async (): Promise<LogRecord<Event> | undefined> => {
    const records = await log.read(state.seq);
    for (const record of records) take(record);
    return records[0];
  };
  const append = async (by: string, at: number, events: readonly Event[]): Promise<boolean> => {
    const record = { seq: state.seq + 1, at, by, events };
    const written = await persist(log, record, disk);
    if (!written.ok) {
      const first = await catchUp();
      // A flush that failed may have left the record where everybody sees it: then these facts are told.
      return written.isLate && first !== undefined && isSame(first, record);
    }
    take(record);
    // The facts are written: a snapshot that fails (a full disk) is made another time.
    if (record.seq % SNAPSHOT_RECORDS === 0) await log.saveSnapshot(state.seq, state).catch(() => null);
    return true;
  };
  return { state: () => state, catchUp: async () => void (await catchUp()), append };
}

/** A record that meets a full disk is tried again as it is, until it is written or its number is taken. */
async function persist(
  log: Log<Event>,
  { seq, by, at, events }: LogRecord<Event>,
  disk: Pick<DiskWait, 'pause' | 'over'>,
): Promise<Appended & { readonly isLate: boolean }> {
  for (let isLate = false; ; isLate = true) {
    try {
      // Nobody knows what a failed write left: only who has read it again may write on.
      if (isLate) await log.reopen();
      const appended = await log.append(seq - 1, by, at, events);
      if (isLate) disk.over();
      return { ...appended, isLate };
    } catch (error) {
      if (!mayBeWrittenLater(error) || !(await disk.pause(error))) throw error;
    }
  }
}

const isSame = (one: LogRecord<Event>, other: LogRecord<Event>): boolean =>
  one.seq === other.seq &&
  one.by === other.by &&
  one.at === other.at &&
  JSON.stringify(one.events) === JSON.stringify(other.events);
