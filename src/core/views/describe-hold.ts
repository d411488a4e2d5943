import { isoTime } from '../model/describe-time.ts';
import type { Hold } from '../model/model.ts';

/** Why an account's agents do not work, in words, with the time it is over. */
export function describeHold({ kind, untilMs, detail }: Hold): string {
  const until = untilMs === null ? '' : `; continues by itself at ${isoTime(untilMs)}`;
  switch (kind) {
    case 'limit':
      return `usage limit (${detail})${until}`;
    case 'rate':
      return `too many requests (${detail})${until}`;
    case 'auth':
      return `not logged in (${detail})`;
    case 'missing':
      return `cannot be started (${detail})`;
  }
}
