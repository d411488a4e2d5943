import { AppError } from '../../core/model/errors.ts';
import { nearest } from '../../text/config/nearest.ts';
import { cleanLine } from '../../text/screen/clean.ts';

/** The one thing an exact id or a unique beginning of one names. */
export function findOne<T>(
  things: readonly T[],
  namesOf: (thing: T) => readonly string[],
  id: string,
  what: string,
  remedy: string,
): T {
  // Everything begins with nothing: a variable that is not set must not name the only task there is.
  if (id.trim() === '') throw new AppError('E_USAGE', `an empty id names no ${what}`, { remedy });
  const exact = things.filter((thing) => namesOf(thing).includes(id));
  const found = exact.length > 0 ? exact : things.filter((thing) => namesOf(thing).some((name) => name.startsWith(id)));
  const [one] = found;
  if (found.length === 1 && one !== undefined) return one;
  if (found.length === 0) {
    const close = nearest(id, things.flatMap(namesOf));
    const guess = close === null ? '' : `; did you mean ${cleanLine(close)}?`;
    throw new AppError('E_UNKNOWN_ID', `not found: no ${what} is called ${JSON.stringify(id)}${guess}`, { remedy });
  }
  throw new AppError('E_AMBIGUOUS_ID', `${JSON.stringify(id)} fits ${found.length} of them`, {
    facts: found.map((thing) => namesOf(thing).join(' ')),
    remedy,
  });
}
