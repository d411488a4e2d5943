/** A duration the way people say it. */
export function describeMs(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)}s`;
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes}m${String(seconds % 60).padStart(2, '0')}s`
    : `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}m`;
}

/** A moment as `2026-11-16T01:02:03Z`, without asking a clock. */
export function isoTime(ms: number): string {
  const two = (n: number): string => String(n).padStart(2, '0');
  const seconds = Math.floor(ms / 1000);
  const days = Math.floor(seconds / 86_400);
  const rest = seconds - days * 86_400;
  // Years that begin in March put the odd day at their end; 719,468 days lie between that calendar's start and 1970.
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const march = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * march + 2) / 5) + 1;
  const month = march < 10 ? march + 3 : march - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${year}-${two(month)}-${two(day)}T${two(Math.floor(rest / 3600))}:${two(Math.floor(rest / 60) % 60)}:${two(rest % 60)}Z`;
}

/** The same with its milliseconds: `2026-11-16T01:02:03.004Z`. */
export const isoMs = (ms: number): string =>
  isoTime(ms).replace('Z', `.${String(Math.floor(ms) % 1000).padStart(3, '0')}Z`);

/** `1 commit`, `2 commits`. */
export const howMany = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** As in: gates do not get DATABASE_URL, which looks like a credential. Hand it on: pass_env = ["DATABASE_URL"] in [gates]. */
export function describeLeftOut(names: readonly string[]): string {
  const [look, it] = names.length === 1 ? ['looks like a credential', 'it'] : ['look like credentials', 'them'];
  const list = names.map((name) => JSON.stringify(name)).join(', ');
  return `gates do not get ${names.join(', ')}, which ${look}; to pass ${it} on: pass_env = [${list}] in [gates]`;
}
