import { createInterface } from 'node:readline';
import { AppError } from '../../core/errors.ts';
import type { Call } from './handler.ts';

/** Asks before something is taken away. Nobody there to ask, and no `--yes`: refused. */
export async function confirm(call: Call, question: string, remedy: string): Promise<boolean> {
  if (call.flags['yes'] === true) return true;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new AppError('E_USAGE', 'this takes something away, and there is nobody to ask', { remedy });
  const asked = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    // Ctrl-C and the end of input are a no.
    asked.on('SIGINT', () => asked.close());
    asked.on('close', () => resolve(false));
    asked.question(`${question} [y/N] `, (answer) => {
      resolve(/^y(?:es)?$/i.test(answer.trim()));
      asked.close();
    });
  });
}
