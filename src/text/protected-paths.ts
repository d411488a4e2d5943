/**
 * The paths that one of the patterns protects. `*` stands for anything inside a name, `**` for any number of folders; a
 * pattern counts from the root. What is not quite a match on this machine may be one on another, so case and invisible
 * letters never matter, and a file or link in the place of a folder that leads to the protected counts too.
 */
export function matchProtected(paths: readonly string[], patterns: readonly string[]): readonly string[] {
  return fitting(
    paths,
    patterns.flatMap((pattern) => guardsOf(patternParts(pattern))),
  );
}

/**
 * What a list of patterns protects: a pattern behind `!` takes out what it fits, wherever it stands in the list. `named`: paths
 * that are protected as well, unless they are taken out.
 */
export function protectedBy(
  paths: readonly string[],
  patterns: readonly string[],
  named: readonly string[] = [],
): readonly string[] {
  const [out, held] = [patterns.filter((one) => one.startsWith('!')), patterns.filter((one) => !one.startsWith('!'))];
  // Not the folders on the way to it: who takes out one file does not mean a link in the place of its folder.
  const free = new Set(
    fitting(
      paths,
      out.map((pattern) => patternParts(pattern.slice(1))),
    ),
  );
  const found = new Set([...matchProtected(paths, held), ...named]);
  return paths.filter((path) => found.has(path) && !free.has(path));
}

/** A slash at the end means everything below. */
const patternParts = (pattern: string): readonly string[] => partsOf(pattern.replace(/\/$/, '/**'));

const fitting = (paths: readonly string[], guards: readonly (readonly string[])[]): readonly string[] =>
  paths.filter((path) => {
    const parts = partsOf(path);
    return guards.some((guard) => fits(guard, parts, '**', nameFits));
  });

/** The pattern, and the folders on the way to it as far as they have fixed names. */
function guardsOf(parts: readonly string[]): (readonly string[])[] {
  const fixed = parts.findIndex((part) => part.includes('*'));
  const above = parts.slice(0, fixed === -1 ? -1 : fixed).map((_, at) => parts.slice(0, at + 1));
  return parts.length === 0 ? [] : [parts, ...above];
}

function partsOf(path: string): readonly string[] {
  return fold(path)
    .split('/')
    .filter((part) => part !== '' && part !== '.');
}

/** As the most forgiving file system compares names. */
function fold(text: string): string {
  return text
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFC')
    .toUpperCase()
    .toLowerCase();
}

const nameFits = (pattern: string, name: string): boolean =>
  fits(pattern.replaceAll(/\*+/g, '*').split(''), name.split(''), '*', (a, b) => a === b);

/** A star takes as little as it can, and more when the rest does not fit: only the last one ever has to try again. */
function fits(
  pattern: readonly string[],
  found: readonly string[],
  star: string,
  isSame: (pattern: string, found: string) => boolean,
): boolean {
  let at = 0;
  let lastStar = -1;
  let taken = 0;
  for (let index = 0; index < found.length;) {
    const wanted = pattern[at];
    if (wanted === star) {
      [lastStar, taken] = [at, index];
      at += 1;
    } else if (wanted !== undefined && isSame(wanted, found[index] ?? '')) {
      at += 1;
      index += 1;
    } else if (lastStar >= 0) {
      taken += 1;
      [at, index] = [lastStar + 1, taken];
    } else return false;
  }
  return pattern.slice(at).every((part) => part === star);
}
