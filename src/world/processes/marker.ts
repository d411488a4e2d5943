import { randomBytes } from 'node:crypto';
import { invariant } from '../../core/model/assert.ts';

/** Carried by everything an iteration starts, and inherited by what that starts: the sweep looks for it. */
export const TOKEN_VARIABLE = 'RALPH_TOKEN';
/** The same for gates, by a name of its own: they are no loop's. */
export const GATE_VARIABLE = 'RALPH_GATE_MARK';
export const LOOP_VARIABLE = 'RALPH_LOOP_ID';

/** A token is compared with raw environment text, so an empty or spaced one could match a stranger's process. */
export function assertToken(token: string): void {
  invariant(
    /^[\w.:-]{1,200}$/.test(token),
    `a process token is letters, digits and _.:- only, not ${JSON.stringify(token)}`,
  );
}

/** An unguessable mark for the processes of one iteration or gate. */
export const newToken = (): string => randomBytes(12).toString('hex');
