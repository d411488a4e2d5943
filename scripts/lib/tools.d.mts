/** The program that checks workflows, or null where it is neither on the PATH nor in the cache. */
export function actionlint(): string | null;
