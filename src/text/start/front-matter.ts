export interface FrontMatter {
  /** What stands between the two lines of dashes. */
  readonly head: string;
  /** Where it begins in the whole text. */
  readonly headAt: number;
  readonly body: string;
}

const OPENING = /^\uFEFF?---[ \t]*\r?\n/;
const CLOSING = /^---[ \t]*(?:\r?\n|$)/m;

/** Cuts a text at its first two lines of dashes; further ones belong to the body. Null: it has no front matter. */
export function splitFrontMatter(text: string): FrontMatter | null {
  const headAt = OPENING.exec(text)?.[0].length;
  if (headAt === undefined) return null;
  const rest = text.slice(headAt);
  const closing = CLOSING.exec(rest);
  if (closing === null) return null;
  return { head: rest.slice(0, closing.index), headAt, body: rest.slice(closing.index + closing[0].length) };
}
