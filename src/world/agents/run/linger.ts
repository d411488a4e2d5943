/** A longer gap between two looks means that we slept, not the agent: it counts as no more than this. */
const GAP_MS_MAX = 5000;

export interface LingerLook {
  /** Of a clock that only goes forward. */
  readonly atMs: number;
  /** All it has printed. */
  readonly bytes: number;
}

/**
 * Says when an agent that has said its last word does not end: some clients wait for something that never comes. What still
 * prints is at work, however long it takes. `isOver` is asked once for each silence.
 */
export function createLinger(lingerMs: number, isOver: () => Promise<boolean>): (look: LingerLook) => Promise<boolean> {
  let last: LingerLook | null = null;
  let silentMs = 0;
  let isAsked = false;
  return async (look) => {
    const isSilent = last !== null && look.bytes === last.bytes;
    silentMs = isSilent && last !== null ? silentMs + Math.min(look.atMs - last.atMs, GAP_MS_MAX) : 0;
    last = look;
    if (!isSilent) isAsked = false;
    if (isAsked || silentMs < lingerMs) return false;
    isAsked = true;
    return isOver();
  };
}
