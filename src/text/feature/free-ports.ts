export interface PortRange {
  readonly portBase: number;
  readonly portStep: number;
}

const LAST_PORT = 65_535;
/** Below it systems do not hand out ports to whoever calls; above 20000 few programs have one by custom. */
const OWN_FIRST = 20_000;
const OWN_LAST = 32_767;

/**
 * Where ranges of ports may begin, in the order in which they are tried. From the port that the settings name upwards; else
 * somewhere in the middle of those that are seldom used, which the repository decides, so that two of them seldom meet.
 */
export function portBases(base: number | 'auto', step: number, repository: number): readonly number[] {
  const [first, last] = base === 'auto' ? [OWN_FIRST, OWN_LAST] : [base, LAST_PORT];
  const count = Math.max(0, Math.floor((last - first + 1) / step));
  const from = base === 'auto' && count > 0 ? repository % count : 0;
  return Array.from({ length: count }, (_, at) => first + ((from + at) % count) * step);
}

/** Whether two ranges have a port in common. */
export const overlaps = (one: PortRange, other: PortRange): boolean =>
  one.portBase < other.portBase + other.portStep && other.portBase < one.portBase + one.portStep;
