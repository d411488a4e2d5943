import { chainOf, errnoOf, isDiskFull, linesOf, saysDiskFull } from './disk-full.ts';

/** What a system may be short of for a while: the same works as soon as there is some. */
export type Want = 'disk' | 'processes' | 'files';

const ERRNO: ReadonlyMap<unknown, Want> = new Map([
  ['EAGAIN', 'processes'],
  ['EMFILE', 'files'],
  ['ENFILE', 'files'],
]);
/** What git and shells say that could not start a process, or open one file more. */
const SAID: readonly (readonly [Want, RegExp])[] = [
  ['processes', /resource temporarily unavailable|cannot fork|unable to (fork|create thread)/i],
  ['files', /too many open files/i],
];

/** What was missing; null: something else is wrong. */
export function wantOf(error: unknown): Want | null {
  if (isDiskFull(error)) return 'disk';
  for (const one of chainOf(error)) {
    const want =
      ERRNO.get(errnoOf(one)) ??
      linesOf(one)
        .map(saidWant)
        .find((said) => said !== null);
    if (want != null) return want;
  }
  return null;
}

/** Whether a program that failed says that it was short of something. */
export const saysWant = (text: string): boolean => saysDiskFull(text) || saidWant(text) !== null;

const saidWant = (text: string): Want | null => SAID.find(([, words]) => words.test(text))?.[0] ?? null;

/** Whether a record may be written later: something was missing, or a flush failed and the disk must be looked at anew. */
export function mayBeWrittenLater(error: unknown): boolean {
  return wantOf(error) !== null || chainOf(error).some((one) => errnoOf(one) === 'EIO');
}
