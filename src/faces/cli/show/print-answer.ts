import type { ExitCode } from '../../../core/model/errors.ts';
import { EXIT } from '../../../core/model/errors.ts';
import type { Answer, Call } from '../../call/handler.ts';

/** The one place where an answer becomes bytes: with `--json` its data in one shape, else its text; its messages to standard error. */
export function printAnswer({ out, flags }: Pick<Call, 'out' | 'flags'>, answer: Answer): ExitCode {
  const { data, text = '', says = [], error = null } = answer;
  if (flags['json'] === true && data !== null) out.json({ version: 1, ...data });
  else if (text !== '') out.data(text);
  for (const line of says) out.say(line);
  if (error !== null) throw error;
  return answer.exit ?? EXIT.ok;
}
