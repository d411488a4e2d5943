import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;
const POLL_MS_MAX = 200;
/** Other processes may be ten times slower than usual; a test has three minutes. */
const PATIENCE_MS = 90_000;
/** A probe that reads all processes or starts one is asked less often: the machine has others to serve. */
const IDLE_FACTOR = 20;

/** Polls until `probe` gives something other than null, undefined or false; fails loudly at the deadline. */
export async function until<T>(
  what: string,
  probe: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  timeoutMs = PATIENCE_MS,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const begin = performance.now();
    const value = await probe();
    const tookMs = performance.now() - begin;
    if (value !== null && value !== undefined && value !== false) return value;
    if (Date.now() > deadline) throw new Error(`waited in vain for: ${what}`);
    await sleep(Math.min(POLL_MS_MAX, Math.max(POLL_MS, tookMs * IDLE_FACTOR)));
  }
}
