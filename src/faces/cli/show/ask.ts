import { createInterface } from 'node:readline';
import { ReadStream } from 'node:tty';

export interface Question<T> {
  readonly text: string;
  /** What an answer means; undefined: it is asked again. */
  readonly fitting: (answer: string) => T | undefined;
  readonly triesMax: number;
}

/** Asks at the terminal. Null: no answer fitted, Ctrl-C, or the end of input. */
export function ask<T>({ text, fitting, triesMax }: Question<T>): Promise<T | null> {
  // A stream of its own can be closed for good: whoever is started next has the terminal to itself.
  const input = new ReadStream(process.stdin.fd);
  // One reader for all tries: what was typed ahead must not be lost.
  const reader = createInterface({ input, output: process.stderr, prompt: text });
  let tries = 0;
  return new Promise((resolve) => {
    reader.on('SIGINT', () => reader.close());
    reader.on('close', () => {
      input.destroy();
      resolve(null);
    });
    reader.on('line', (answer) => {
      const found = fitting(answer);
      tries += 1;
      if (found !== undefined) resolve(found);
      if (found !== undefined || tries === triesMax) reader.close();
      else reader.prompt();
    });
    reader.prompt();
  });
}
