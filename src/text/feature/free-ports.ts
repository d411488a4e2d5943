export interface PortRange {
  readonly portBase: number;
  readonly portStep: number;
}

const LAST_PORT = 65_535;

/** The lowest range that nobody has, counted in steps from where the settings say; null: all are taken. */
export function freePorts(taken: readonly PortRange[], { portBase, portStep }: PortRange): number | null {
  const isFree = (base: number): boolean =>
    taken.every((other) => base + portStep <= other.portBase || other.portBase + other.portStep <= base);
  for (let base = portBase; base + portStep - 1 <= LAST_PORT; base += portStep) if (isFree(base)) return base;
  return null;
}
