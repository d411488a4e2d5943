export interface PortRange {
  readonly portBase: number;
  readonly portStep: number;
}

/** Below it systems do not hand out ports to whoever calls; above 20000 few programs have one by custom. */
const FIRST = 20_000;
const LAST = 32_767;

/** How many ports each worktree has to itself. */
export const PORT_STEP = 10;

/**
 * Where ranges of ports may begin, in the order in which they are tried: from somewhere in the middle of those that are seldom
 * used, which the repository decides, so that two of them seldom meet.
 */
export function portBases(repository: number): readonly number[] {
  const count = Math.floor((LAST - FIRST + 1) / PORT_STEP);
  return Array.from({ length: count }, (_, at) => FIRST + ((repository + at) % count) * PORT_STEP);
}

/** Whether two ranges have a port in common. */
export const overlaps = (one: PortRange, other: PortRange): boolean =>
  one.portBase < other.portBase + other.portStep && other.portBase < one.portBase + one.portStep;
