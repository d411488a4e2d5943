const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
const SHAPE = /^(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/;

/** Timers hold 31 bits of milliseconds; anything longer would fire at once. */
export const LONGEST_DURATION_H = 596;

/** Reads seconds as a number, or text like `500ms`, `5s`, `1h30m`; null when it is neither or out of range. */
export function readDurationMs(value: unknown): number | null {
  const ms = typeof value === 'number' ? value * 1000 : typeof value === 'string' ? sumOfParts(value) : Number.NaN;
  const whole = Math.round(ms);
  return whole >= 1 && whole <= LONGEST_DURATION_H * 3_600_000 ? whole : null;
}

function sumOfParts(text: string): number {
  const parts = SHAPE.exec(text);
  if (text === '' || parts === null) return Number.NaN;
  const sizes = Object.values(UNIT_MS);
  return sizes.reduce((sum, size, at) => sum + Number(parts[at + 1] ?? 0) * size, 0);
}
