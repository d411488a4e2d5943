import type { CompletionSignal } from '../../core/model/settings.ts';

/**
 * How to say that the task is done. The signal never stands last: a client that prints its prompt would otherwise end with it.
 */
export function promiseRule(signal: CompletionSignal, promise: string): string {
  switch (signal) {
    case 'promise':
      return lastLine(`<promise>${promise}</promise>`);
    case 'loop_complete':
      return lastLine('LOOP_COMPLETE');
  }
}

function lastLine(line: string): string {
  return (
    `When the task is complete and verified, end your answer with exactly:\n${line}\n` +
    `If it is not complete, do not print that line; say what is left.`
  );
}
