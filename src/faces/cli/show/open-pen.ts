export interface Pen {
  /** Resolves when it was taken over: no more is read than the reader of our output can take. */
  write(text: string | Buffer): Promise<void>;
  isClosed(): boolean;
}

/** Standard output; that its reader went away (`| head`) is no error. */
export function openPen(): Pen {
  let closed = false;
  process.stdout.on('error', () => {
    closed = true;
  });
  return {
    write: (text) =>
      new Promise((resolve) => {
        if (closed || text.length === 0) return resolve();
        process.stdout.write(text, () => resolve());
      }),
    isClosed: () => closed,
  };
}

const NEWLINE = 0x0a;

/** Writes whole lines, each behind whose it is. */
export function prefixed(pen: Pen, prefix: string): Pen & { readonly end: () => Promise<void> } {
  const before = Buffer.from(prefix);
  let held = Buffer.alloc(0);
  return {
    write: async (text) => {
      held = Buffer.concat([held, Buffer.from(text)]);
      const lines: Buffer[] = [];
      for (let at = held.indexOf(NEWLINE); at >= 0; at = held.indexOf(NEWLINE)) {
        lines.push(before, held.subarray(0, at + 1));
        held = held.subarray(at + 1);
      }
      await pen.write(Buffer.concat(lines));
    },
    isClosed: () => pen.isClosed(),
    end: async () => {
      if (held.length > 0) await pen.write(Buffer.concat([before, held, Buffer.from('\n')]));
      held = Buffer.alloc(0);
    },
  };
}
