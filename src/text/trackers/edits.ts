/** One piece of a text, and what stands there afterwards. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** All of them at once: every offset is one of the text as it was. */
export const applyEdits = (text: string, edits: readonly Edit[]): string =>
  edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((now, { start, end, text: to }) => now.slice(0, start) + to + now.slice(end), text);
