import { AppError, EXIT } from '../../../core/model/errors.ts';
import type { Event } from '../../../core/model/events.ts';
import { readDurationMs } from '../../../text/config/duration.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import { logFolder } from '../../../world/git/run/state-places.ts';
import { readLogOnly } from '../../../world/log/file-log.ts';
import type { Handler } from '../../call/handler.ts';

const WHOLE = /^\d{1,15}$/;

/** The log as it was written: one event a line. Reads and nothing else, so it works beside a run, after it, and without a configuration. */
export const handle: Handler = async ({ cwd, flags, out, signal }) => {
  const log = readLogOnly<Event>(logFolder(findRepository(cwd)));
  const { after, sinceMs } = sinceOf(flags['since']);
  let seq = after;
  const tell = async (): Promise<void> => {
    for (const record of await log.read(seq)) {
      ({ seq } = record);
      if (record.at < sinceMs) continue;
      const at = new Date(record.at).toISOString();
      for (const event of record.events) out.data(inert(JSON.stringify({ seq, at, by: record.by, ...event })));
    }
  };
  await tell();
  if (flags['follow'] !== true) return EXIT.ok;
  await new Promise<void>((resolve, reject) => {
    const over = new AbortController();
    const end = (): void => {
      over.abort();
      resolve();
    };
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, end);
    signal?.addEventListener('abort', end, { once: true });
    // The watch alone keeps no process alive.
    const alive = setInterval(() => {}, 60_000);
    over.signal.addEventListener('abort', () => clearInterval(alive), { once: true });
    // One after the other: two readings at once would tell something twice.
    let reading = Promise.resolve();
    const onChange = (): void => {
      reading = reading.then(tell).catch(reject);
    };
    log.watch(onChange, over.signal);
  });
  return EXIT.ok;
};

// What JSON leaves as it is and a terminal would act on.
const ACTING = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** The same value, by escapes alone. */
const inert = (json: string): string =>
  json.replaceAll(ACTING, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The number of a record, a time, or how long ago. */
function sinceOf(asked: unknown): { readonly after: number; readonly sinceMs: number } {
  if (typeof asked !== 'string') return { after: 0, sinceMs: 0 };
  if (WHOLE.test(asked)) return { after: Number(asked), sinceMs: 0 };
  const ago = readDurationMs(asked);
  if (ago !== null) return { after: 0, sinceMs: Date.now() - ago };
  const at = Date.parse(asked);
  if (!Number.isNaN(at)) return { after: 0, sinceMs: at };
  throw new AppError(
    'E_USAGE',
    `--since ${asked}: not the number of a record, a time such as 2026-11-16T02:00, or how long ago, such as 2h`,
    { remedy: 'ralph events --help' },
  );
}
