/** Who hears that this process waits for another one. */
export interface MutexListener {
  readonly tell: (text: string) => void;
  /** From then on nobody waits for a process that is suspended. Its reason is the signal that asked to end. */
  readonly drain?: AbortSignal;
  /** From then on nobody waits for anybody. */
  readonly force?: AbortSignal;
}

/** One for the whole process, as the queues before its mutexes are. */
let listener: MutexListener = { tell: () => {} };

export function hearWaits(next: MutexListener): void {
  listener = next;
}

export const mutexListener = (): MutexListener => listener;
