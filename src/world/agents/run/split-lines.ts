const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** A line longer than this says nothing we need: the file still holds it. */
const LINE_BYTES_MAX = 1024 * 1024;

export interface LineSplitter {
  /** The bytes may be used again once this returns. */
  take(bytes: Buffer): void;
  /** A last line without an end is one too. */
  finish(): void;
  /** How many lines were too long to be held. */
  skipped(): number;
}

/** Cuts bytes into lines of text. Whole lines are decoded, so that a piece never ends inside a character. */
export function createLineSplitter(onLine: (line: string) => void): LineSplitter {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let isTooLong = false;
  let skipped = 0;

  function hold(piece: Buffer): void {
    pendingBytes += piece.length;
    isTooLong ||= pendingBytes > LINE_BYTES_MAX;
    if (isTooLong) pending = [];
    else if (piece.length > 0) pending.push(Buffer.from(piece));
  }

  function end(rest: Buffer): void {
    const isWhole = pendingBytes === 0 && rest.length <= LINE_BYTES_MAX;
    if (!isWhole) hold(rest);
    if (isTooLong) skipped += 1;
    else onLine(decode(isWhole ? rest : Buffer.concat(pending)));
    pending = [];
    pendingBytes = 0;
    isTooLong = false;
  }

  return {
    take: (bytes) => {
      let from = 0;
      for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
        end(bytes.subarray(from, at));
        from = at + 1;
      }
      hold(bytes.subarray(from));
    },
    finish: () => {
      if (pendingBytes > 0) end(Buffer.alloc(0));
    },
    skipped: () => skipped,
  };
}

function decode(line: Buffer): string {
  return line.toString('utf8', 0, line.at(-1) === RETURN ? line.length - 1 : line.length);
}
