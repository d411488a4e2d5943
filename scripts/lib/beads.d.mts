/** The folder with a version's `bd`, or null when it is not built. */
export function beadsBin(version: string): string | null;
/** Builds what is missing where Go is; a line for each version. */
export function buildBeads(isWanted?: boolean): Promise<readonly string[]>;
