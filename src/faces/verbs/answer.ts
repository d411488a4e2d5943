import type { ExitCode } from '../../core/model/errors.ts';
import { EXIT } from '../../core/model/errors.ts';
import type { Call } from '../call/handler.ts';
import { claimFrom } from './caller.ts';
import type { CallerPlace } from './caller.ts';

/** What a verb answers, the same to a shell and to an MCP client. */
export interface Answer {
  /** For people and agents; may have lines of a stranger's text, which is cleaned. */
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export const placeOf = (call: Call): CallerPlace => ({ cwd: call.cwd, env: call.env, claim: claimFrom(call.env) });

/** A message for whoever did something. */
export function tell(call: Call, answer: Answer): ExitCode {
  if (call.flags['json'] === true) call.out.json({ version: 1, ...answer.data });
  else call.out.say(answer.text);
  return EXIT.ok;
}

/** Data for whoever asked something. */
export function show(call: Call, answer: Answer): ExitCode {
  if (call.flags['json'] === true) call.out.json({ version: 1, ...answer.data });
  else if (answer.text !== '') call.out.data(answer.text);
  return EXIT.ok;
}
