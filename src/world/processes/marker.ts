import { invariant } from '../../core/assert.ts';

/** Carried by everything an iteration or a gate starts, and inherited by what those start: the sweep looks for it. */
export const TOKEN_VARIABLE = 'RALPH_TOKEN';
export const LOOP_VARIABLE = 'RALPH_LOOP_ID';

/** A token is compared with raw environment text, so an empty or spaced one could match a stranger's process. */
export function assertToken(token: string): void {
  invariant(
    /^[\w.:-]{1,200}$/.test(token),
    `a process token is letters, digits and _.:- only, not ${JSON.stringify(token)}`,
  );
}
