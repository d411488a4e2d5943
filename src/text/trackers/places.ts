/** Where something stands in a file: 1-based line, 1-based column in UTF-16 units. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Start offset of every line; CRLF, LF and a lone CR all end one. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (const end of text.matchAll(/\r\n|\n|\r/g)) starts.push(end.index + end[0].length);
  return starts;
}

/** Turns offsets of one text into places. */
export function placesOf(text: string): (offset: number) => Place {
  const starts = lineStarts(text);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}
