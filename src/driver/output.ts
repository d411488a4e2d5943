import process from 'node:process';

export interface Output {
  /** Hands bytes on as they are; calls `resume` when there is room for more. */
  write(chunk: Buffer, resume: () => void): void;
  isBroken(): boolean;
  /** Resolves when all is written, or cannot be. */
  flush(): Promise<void>;
}

/** Our standard output. When it breaks, that is told once; what comes after is lost. */
export function openOutput(onBroken: (message: string) => void): Output {
  let isBroken = false;
  const breakOff = (error: Error): void => {
    if (isBroken) return;
    isBroken = true;
    onBroken(`cannot write the client's output: ${error.message}`);
  };
  process.stdout.on('error', breakOff);
  return {
    write: (chunk, resume) => {
      if (isBroken) return resume();
      process.stdout.write(chunk, (error) => {
        if (error != null) breakOff(error);
        resume();
      });
    },
    isBroken: () => isBroken,
    flush: () =>
      new Promise((resolve) => {
        if (isBroken) resolve();
        else process.stdout.write('', () => resolve());
      }),
  };
}
