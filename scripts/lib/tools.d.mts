/** The program that checks workflows, or null where it is neither on the PATH nor in the cache. */
export function actionlint(): string | null;

/** The folder with the program that plays our recipes, or null where it is not installed. */
export function justBin(): string | null;
export function isThere(name: string, path?: string): boolean;
