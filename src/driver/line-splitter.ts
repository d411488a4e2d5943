const LINE_END = 0x0a;
/** A longer line is no message of a protocol: it is skipped, so that no client can fill our memory. */
const LINE_BYTES_MAX = 1024 * 1024;

/** Cuts a stream of bytes into lines, in bounded memory. */
export function openSplitter(onLine: (line: string) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  const endLine = (): void => {
    if (size > 0 && size <= LINE_BYTES_MAX) onLine(Buffer.concat(parts).toString('utf8'));
    parts = [];
    size = 0;
  };
  const keep = (part: Buffer): void => {
    size += part.length;
    if (size <= LINE_BYTES_MAX) parts.push(part);
    else parts = [];
  };
  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
      keep(chunk.subarray(from, end));
      endLine();
      from = end + 1;
    }
    keep(chunk.subarray(from));
  };
}
