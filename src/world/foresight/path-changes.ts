/** What differs between two trees, laid out so that two of them are quickly compared. Paths are bytes as latin1. */
export interface PathChanges {
  readonly paths: ReadonlySet<string>;
  /** Every folder above a changed path. */
  readonly above: ReadonlySet<string>;
  /** The same for paths that are new, and for those that are gone: a rename is one of each. */
  readonly aboveNew: ReadonlySet<string>;
  readonly aboveGone: ReadonlySet<string>;
}

/** For `diff-tree -r -z --name-status --no-renames`. */
export function readChanges(output: Buffer): PathChanges {
  const fields = output.toString('latin1').split('\0');
  const paths = new Set<string>();
  const above = new Set<string>();
  const aboveNew = new Set<string>();
  const aboveGone = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const path = fields[at + 1] ?? '';
    paths.add(path);
    addAbove(above, path);
    if (fields[at] === 'A') addAbove(aboveNew, path);
    if (fields[at] === 'D') addAbove(aboveGone, path);
  }
  return { paths, above, aboveNew, aboveGone };
}

/** Whether a merge of the two could conflict at all. Most pairs share nothing, and this costs no process. */
export function mayClash(a: PathChanges, b: PathChanges): boolean {
  return (
    meet(a.paths, b.paths) ||
    // A file where the other has a folder.
    meet(a.paths, b.above) ||
    meet(a.above, b.paths) ||
    // A folder that moved away, and a new file in it.
    meet(a.aboveGone, b.aboveNew) ||
    meet(a.aboveNew, b.aboveGone)
  );
}

function addAbove(folders: Set<string>, path: string): void {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    const folder = path.slice(0, end);
    if (folders.has(folder)) return;
    folders.add(folder);
  }
}

function meet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [few, many] = a.size < b.size ? [a, b] : [b, a];
  for (const one of few) if (many.has(one)) return true;
  return false;
}
