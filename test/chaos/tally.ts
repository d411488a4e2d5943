/** What happened in a run, counted. */
export interface Tally {
  readonly counts: Map<string, number>;
  readonly add: (what: string, by?: number) => void;
  readonly most: (what: string, value: number) => void;
}

export function makeTally(): Tally {
  const counts = new Map<string, number>();
  const get = (what: string): number => counts.get(what) ?? 0;
  return {
    counts,
    add: (what, by = 1) => void counts.set(what, get(what) + by),
    most: (what, value) => void counts.set(what, Math.max(get(what), value)),
  };
}

/** Figures in the order in which they are told, with everything under one heading behind it. */
export function describeTally({ counts }: Tally): readonly string[] {
  const get = (what: string): number => Math.round(counts.get(what) ?? 0);
  const group = (prefix: string): string =>
    [...counts]
      .filter(([name]) => name.startsWith(prefix))
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([name, count]) => `${name.slice(prefix.length)} ${count}`)
      .join(', ') || 'none';
  return [
    `loops ${get('loops')} for ${get('tasks')} tasks in ${get('rounds')} rounds, ${get('iterations')} iterations`,
    `landings ${get('landings')}, values of main and integration judged ${get('values')}; parked: ${group('parked ')}`,
    `SIGKILL: ${group('kill ')}`,
    `SIGSTOP: ${group('stop ')}`,
    `failpoints reached: ${group('failpoint ')}`,
    `full disks ${get('disk full')}, second and third hosts ${get('joined')}, hosts started ${get('hosts')}, recoveries checked ${get('recoveries')}`,
    `hosts that ended by themselves: ${group('exit ')}`,
    `the user did: ${group('user ')}`,
    `people did: ${group('people ')}`,
    `loops in place: ${group('place ')}; they ended: ${group('in place ')}`,
    `most memory of a host ${get('peak MB')} MB`,
  ];
}
