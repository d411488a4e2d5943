import { AppError } from '../../../core/model/errors.ts';
import { ask } from './ask.ts';
import type { Call } from '../../call/handler.ts';

/** Asks before something is taken away. Nobody there to ask, and no `--yes`: refused. */
export async function confirm(call: Call, question: string, remedy: string): Promise<boolean> {
  if (call.flags['yes'] === true) return true;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new AppError(
      'E_USAGE',
      'this removes something and has to be confirmed, but there is no terminal to ask in',
      { remedy },
    );
  const fitting = (answer: string): boolean => /^y(?:es)?$/i.test(answer.trim());
  return (await ask({ text: `${question} [y/N] `, fitting, triesMax: 1 })) ?? false;
}
