/** The folder with the program and what it reads, or null when it is not built. */
export function giteaBin(): string | null;
/** Builds it where it is missing and Go is there; a line about it. */
export function buildGitea(isWanted?: boolean): Promise<readonly string[]>;
