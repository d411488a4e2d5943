const two = (n: number): string => String(n).padStart(2, '0');

/** A moment as a person's clock shows it, with how far that is from UTC: `2026-11-16 03:02:03 +0200`. */
export function localTime(ms: number): string {
  const at = new Date(ms);
  const ahead = -at.getTimezoneOffset();
  const [hours, minutes] = [Math.floor(Math.abs(ahead) / 60), Math.abs(ahead) % 60];
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':');
  return `${day} ${time} ${ahead < 0 ? '-' : '+'}${two(hours)}${two(minutes)}`;
}

/** The day of a moment in a person's calendar: `2026-11-16`. */
export const localDay = (ms: number): string => localTime(ms).slice(0, 'yyyy-mm-dd'.length);

const UTC = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A sentence of ours, made where no clock is known, with its times as a person's clock shows them. */
export const inLocalTime = (text: string): string => text.replaceAll(UTC, (time) => localTime(Date.parse(time)));
