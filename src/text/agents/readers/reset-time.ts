export interface Moment {
  readonly nowMs: number;
  /** Minutes that local time is ahead of UTC, for times told without a zone. */
  readonly utcOffsetMin: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A date without a year that is further back than this is meant for next year; nearer, it is simply over. */
const LONG_AGO_MS = 182 * DAY_MS;
const MILLISECONDS_FROM = 100_000_000_000;
/** 2020 to 2100: what is not in between is no time, but a mistake. */
const EARLIEST_MS = 1_577_836_800_000;
const END_OF_CENTURY_MS = 4_102_444_800_000;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** `|1794779607`, as Claude told it once. */
const UNIX_TIME = /\|(\d{10}|\d{13})\b/;
/** `resets Nov 18, 8:55pm (UTC)`, `try again at Nov 18th, 2026 8:08 PM`, `resets 9pm`, `resets at 21:53`. */
const SPOKEN =
  /(?:resets?|again|until|after)(?:\s+(?:at|on|in))?:?\s+(?:([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(?:(\d{4}),?\s+)?(?:at\s+)?)?(\d{1,2})(?::(\d\d))?\s*([ap]\.?m\.?)?(?=[\s.,;)]|$)\s*(\(?(?:utc|gmt|z)\)?(?=\W|$))?/i;
/** `try again in 2s`, `retry after 35 minutes`. */
const SPAN = /(?:again|retry|resets?)\s+(?:in|after)\s+(\d+(?:\.\d+)?)\s*(s|sec|second|m|min|minute|h|hour|d|day)s?\b/i;
const SPAN_MS: Readonly<Record<string, number>> = { s: 1000, m: MINUTE_MS, h: 60 * MINUTE_MS, d: DAY_MS };

/** When a limit is over, as a message tells it; null: it does not, or that time is over. Never in the past. */
export function readResetTime(text: string, moment: Moment): number | null {
  const unixTime = UNIX_TIME.exec(text)?.[1];
  if (unixTime !== undefined) return future(fromUnixTime(Number(unixTime)) ?? 0, moment);
  const span = SPAN.exec(text);
  if (span !== null) return moment.nowMs + Number(span[1]) * (SPAN_MS[(span[2] ?? 's')[0]!.toLowerCase()] ?? 1000);
  const spoken = SPOKEN.exec(text);
  return spoken === null ? null : readSpoken(spoken, moment);
}

/** Seconds or milliseconds since 1970, as clients tell them; null: no time an agent of today can mean. */
export function fromUnixTime(told: number | null): number | null {
  const ms = (told ?? 0) < MILLISECONDS_FROM ? (told ?? 0) * 1000 : (told ?? 0);
  return ms >= EARLIEST_MS && ms < END_OF_CENTURY_MS ? ms : null;
}

function readSpoken(parts: RegExpExecArray, moment: Moment): number | null {
  const [, monthName, day, year, hourText, minuteText, half, zone] = parts;
  // A bare number is no time of day: `try again after 3 attempts`.
  if (minuteText === undefined && half === undefined) return null;
  const hour = hourOfDay(Number(hourText), half);
  const minute = Number(minuteText ?? 0);
  if (hour === null || minute > 59) return null;
  const offsetMs = zone === undefined ? moment.utcOffsetMin * MINUTE_MS : 0;
  const local = new Date(moment.nowMs + offsetMs);
  if (monthName === undefined) {
    const today = Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate(), hour, minute) - offsetMs;
    return future(today, moment) ?? today + DAY_MS;
  }
  const month = MONTHS.indexOf(monthName.toLowerCase());
  if (month < 0 || Number(day) < 1 || Number(day) > 31) return null;
  const inYear = (wanted: number): number => Date.UTC(wanted, month, Number(day), hour, minute) - offsetMs;
  if (year !== undefined) return future(inYear(Number(year)), moment);
  const thisYear = inYear(local.getUTCFullYear());
  const isMeantForNextYear = moment.nowMs - thisYear > LONG_AGO_MS;
  return future(isMeantForNextYear ? inYear(local.getUTCFullYear() + 1) : thisYear, moment);
}

function hourOfDay(hour: number, half: string | undefined): number | null {
  if (half === undefined) return hour <= 23 ? hour : null;
  if (hour < 1 || hour > 12) return null;
  return (hour % 12) + (half.toLowerCase().startsWith('p') ? 12 : 0);
}

/** Texts tell whole minutes: the one going on now is over at its end. */
function future(atMs: number, { nowMs }: Moment): number | null {
  if (atMs > nowMs) return atMs;
  return atMs + MINUTE_MS > nowMs ? atMs + MINUTE_MS : null;
}
