import { AppError } from '../../core/model/errors.ts';

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);
/** The last two are what git says when a file it has opened takes no more, without saying why. */
const SAID = /no space left|disk quota exceeded|out of disk ?space|unable to write file|couldn't write '/i;
const CAUSES_MAX = 10;

/** Whether room was all that was missing: the same may work as soon as there is some. */
export function isDiskFull(error: unknown): boolean {
  return chainOf(error).some((one) => FULL.has(errnoOf(one)) || linesOf(one).some(saysDiskFull));
}

/** Whether a program that failed says that it had no room. */
export const saysDiskFull = (text: string): boolean => SAID.test(text);

export function chainOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && chain.length < CAUSES_MAX; at = at.cause) chain.push(at);
  return chain;
}

export const errnoOf = (error: Error): unknown => ('code' in error ? error.code : null);

/** What git printed stands among the facts. */
export const linesOf = (error: Error): readonly string[] => [
  error.message,
  ...(error instanceof AppError ? error.facts : []),
];
