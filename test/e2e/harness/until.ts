import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;

/** Polls until `probe` gives something other than null, undefined or false; fails loudly at the deadline. */
export async function until<T>(
  what: string,
  probe: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  timeoutMs = 30_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await probe();
    if (value !== null && value !== undefined && value !== false) return value;
    if (Date.now() > deadline) throw new Error(`waited in vain for: ${what}`);
    await sleep(POLL_MS);
  }
}
