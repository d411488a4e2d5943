import type { CompletionSignal } from '../../core/settings.ts';

/**
 * How to say that the task is done. The signal never stands last: a client that prints its prompt would otherwise end with it.
 */
export function promiseRule(signal: CompletionSignal, promise: string): string {
  switch (signal) {
    case 'promise':
      return lastLine(`<promise>${promise}</promise>`);
    case 'exit_signal':
      return lastLine('EXIT_SIGNAL: true');
    case 'loop_complete':
      return lastLine('LOOP_COMPLETE');
    case 'ship_block':
      return (
        `When the task is complete and verified, end your answer with exactly:\nSHIP\n` +
        `If you cannot go on without a person, end your answer with one line that says what you need:\nBLOCK: WHAT YOU NEED\n` +
        `If it is merely not complete, print neither of these lines; say what is left.`
      );
    case 'structured':
      return (
        `End with a structured answer: {"status": "done", "summary": "TEXT"}. The status is "done" only when the task is ` +
        `complete and verified, "continue" when something is left, "blocked" when you cannot go on without a person. ` +
        `The summary says what you did, what is left, or what you need.`
      );
  }
}

function lastLine(line: string): string {
  return (
    `When the task is complete and verified, end your answer with exactly:\n${line}\n` +
    `If it is not complete, do not print that line; say what is left.`
  );
}
