/** One durable append: everything one host decided at one moment. `seq` starts at 1 and has no gaps. */
export interface LogRecord<E> {
  readonly seq: number;
  /** Wall clock in ms, for display only: order is `seq`. */
  readonly at: number;
  /** The host that wrote it. */
  readonly by: string;
  readonly events: readonly E[];
}

/** `ok: false`: somebody else wrote that number first; read what they wrote and decide again. */
export type Appended = { readonly ok: true; readonly seq: number } | { readonly ok: false };

export interface Snapshot {
  readonly seq: number;
  readonly state: unknown;
}

export interface LogReader<E> {
  /** Every record with `seq > after`, in order, without gaps. Sees all that was acknowledged before the call. */
  read(after: number): Promise<readonly LogRecord<E>[]>;
  /** Calls back once at first, then soon after anything new may be there, until the signal aborts. Never keeps the process alive. */
  watch(onChange: () => void, signal: AbortSignal): void;
  /** The newest usable snapshot; null means: fold from the first record. */
  loadSnapshot(): Promise<Snapshot | null>;
}

export interface Log<E> extends LogReader<E> {
  /**
   * Writes record `expectedSeq + 1`, where `expectedSeq` is the last number the caller has read (0 for an empty log).
   * Durable when it resolves with `ok: true`; when it resolves with `ok: false` nothing was written. A rejection other
   * than a failed disk after the write means that nothing was written either.
   */
  append(expectedSeq: number, by: string, at: number, events: readonly E[]): Promise<Appended>;
  /**
   * After a rejected append: looks at the disk anew, reads the end of the log and flushes its names. A log whose flush failed
   * takes no append before that has worked.
   */
  reopen(): Promise<void>;
  /** Keeps `state`, the fold of records 1..seq, and packs those records together. The last two snapshots are kept. */
  saveSnapshot(seq: number, state: unknown): Promise<void>;
}
