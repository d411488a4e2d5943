const BARE = /^[A-Za-z0-9_-]+$/;
const PART = /"(?:[^"\\]|\\.)*"|'[^']*'|[^.]*/y;

/** A part of a key as TOML writes it: in quotes where it holds more than letters, digits, _ and -. */
export function keyPart(name: string): string {
  return BARE.test(name) ? name : JSON.stringify(name);
}

/** The parts of a dotted key; a part in quotes may hold dots. */
export function splitDotted(dotted: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at <= dotted.length;) {
    PART.lastIndex = at;
    const written = PART.exec(dotted)?.[0] ?? '';
    const end = at + written.length;
    const isWhole = end === dotted.length || dotted[end] === '.';
    const dot = dotted.indexOf('.', at);
    const plain = dotted.slice(at, dot === -1 ? dotted.length : dot);
    parts.push(isWhole ? unquoted(written) : plain);
    at += (isWhole ? written : plain).length + 1;
  }
  return parts;
}

/** The table a key stands in, as a file writes it. */
export function tableOf(dotted: string): string {
  return splitDotted(dotted)
    .slice(0, -1)
    .map((part) => (part === '*' ? part : keyPart(part)))
    .join('.');
}

/** The last part of a key, without quotes. */
export function lastPart(dotted: string): string {
  return splitDotted(dotted).at(-1) ?? '';
}

function unquoted(written: string): string {
  if (written.startsWith("'")) return written.slice(1, -1);
  if (!written.startsWith('"')) return written;
  try {
    return JSON.parse(written) as string;
  } catch {
    return written;
  }
}
