import { howMany } from '../core/model/describe-time.ts';
import type { NewLimits } from '../core/model/settings.ts';

/** A file that a loop adds. */
export interface NewFile {
  readonly path: string;
  readonly bytes: number;
  /** It is committed already: it counts, but cannot be left out. */
  readonly isFixed: boolean;
}

/** Files that are too much, under one name. */
export interface Oversize {
  /** A file, or a folder with a slash at its end. */
  readonly name: string;
  readonly why: 'made' | 'files' | 'mb' | 'ignored' | 'repository';
  readonly paths: readonly string[];
  readonly bytes: number;
}

const MADE: ReadonlySet<string> = new Set(['node_modules', 'target', '.venv', 'dist']);
const MB = 1024 * 1024;
const NAMED_MAX = 4;

export const isMade = (folder: string): boolean => MADE.has(folder.slice(folder.lastIndexOf('/') + 1));

/** The outermost folder above a path that tools are known to make and that is not among the `tracked` ones; null: there is none. */
export function madeFolder(path: string, tracked: ReadonlySet<string>): string | null {
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const folder = path.slice(0, at);
    if (isMade(folder) && !tracked.has(folder)) return folder;
  }
  return null;
}

/**
 * What has to stay out so that the rest lands by itself: what tools make, then the largest files, then the fullest folders. A
 * limit that is exceeded by what is committed already leaves nothing out: that waits for a person anyway. `gone`: files removed,
 * in the place of which others may come.
 */
export function findOversized(
  files: readonly NewFile[],
  {
    limits,
    tracked,
    gone,
  }: { readonly limits: NewLimits; readonly tracked: ReadonlySet<string>; readonly gone: number },
): readonly Oversize[] {
  const rest = files.filter(({ path }) => madeFolder(path, tracked) === null);
  const large = largest(rest, limits.mb * MB);
  const isLarge = new Set(large);
  const left = rest.filter((file) => !isLarge.has(file));
  const free = files.filter(({ isFixed }) => !isFixed).map(({ path }) => path);
  return [
    ...findMadeFolders(free, tracked),
    ...large.map((file) => oversize(file.path, 'mb', [file])),
    ...fullest(left, limits.files + gone),
  ];
}

export function findMadeFolders(paths: readonly string[], tracked: ReadonlySet<string>): readonly Oversize[] {
  const made = new Map<string, string[]>();
  for (const path of paths) {
    const folder = madeFolder(path, tracked);
    if (folder !== null) addTo(made, folder, path);
  }
  return [...made].map(([folder, inside]) => ({ name: `${folder}/`, why: 'made', paths: inside, bytes: 0 }));
}

/** What has to be added by force: a file with secrets most often. */
export const asIgnored = (path: string): Oversize => ({ name: path, why: 'ignored', paths: [path], bytes: 0 });

/** What somebody cloned or began inside: git takes no file of it. */
export const asRepository = (name: string): Oversize => ({ name, why: 'repository', paths: [], bytes: 0 });

const oversize = (name: string, why: 'files' | 'mb', files: readonly NewFile[]): Oversize => ({
  name,
  why,
  paths: files.map(({ path }) => path),
  bytes: bytesOf(files),
});

function largest(files: readonly NewFile[], bytesMax: number): readonly NewFile[] {
  let over = bytesOf(files) - bytesMax;
  if (over <= 0 || bytesOf(files.filter(({ isFixed }) => isFixed)) > bytesMax) return [];
  const out: NewFile[] = [];
  for (const file of files.filter(({ isFixed }) => !isFixed).toSorted((a, b) => b.bytes - a.bytes)) {
    if (over <= 0) break;
    out.push(file);
    over -= file.bytes;
  }
  return out;
}

function fullest(files: readonly NewFile[], max: number): readonly Oversize[] {
  const fixed = files.filter(({ isFixed }) => isFixed).length;
  if (fixed > max) return [];
  const out: Oversize[] = [];
  let free = files.filter(({ isFixed }) => !isFixed);
  while (fixed + free.length > max) {
    const { name, inside } = fullestFolder(free, fixed + free.length - max);
    out.push(oversize(name, 'files', inside));
    const taken = new Set(inside);
    free = free.filter((file) => !taken.has(file));
  }
  return out;
}

interface Folder {
  readonly name: string;
  readonly inside: readonly NewFile[];
}

/** A folder of the top, or the one below it that is most of it and enough: work beside what was generated need not go with it. */
function fullestFolder(files: readonly NewFile[], enough: number): Folder {
  let found = largestBelow('', files);
  while (found.name !== './') {
    const below = largestBelow(found.name, found.inside);
    if (below.name === './' || below.inside.length < enough || below.inside.length * 2 <= found.inside.length) break;
    found = below;
  }
  return found;
}

/** Files right below stand together as `./`. */
function largestBelow(folder: string, files: readonly NewFile[]): Folder {
  const groups = new Map<string, NewFile[]>();
  for (const file of files) {
    const end = file.path.indexOf('/', folder.length);
    const name = end === -1 ? './' : file.path.slice(0, end + 1);
    addTo(groups, name, file);
  }
  const [most = ['./', []]] = [...groups].toSorted(([, a], [, b]) => b.length - a.length);
  return { name: most[0], inside: most[1] };
}

/** `node_modules/ (3001 files, made by tools), big.bin (60 MB, landing.max_new_mb is 50)`. */
export function describeOversized(found: readonly Oversize[], limits: NewLimits): string {
  const names = found.slice(0, NAMED_MAX).map((one) => `${one.name} (${reasonOf(one, limits)})`);
  const more = found.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function reasonOf({ why, paths, bytes }: Oversize, limits: NewLimits): string {
  const count = howMany(paths.length, 'file');
  if (why === 'ignored') return 'git ignores it';
  if (why === 'repository') return 'a repository of its own';
  if (why === 'made') return `${count}, made by tools`;
  if (why === 'files') return `${count}, landing.max_new_files is ${limits.files}`;
  return `${Math.round((bytes / MB) * 10) / 10} MB, landing.max_new_mb is ${limits.mb}`;
}

function addTo<T>(groups: Map<string, T[]>, name: string, one: T): void {
  const group = groups.get(name);
  if (group === undefined) groups.set(name, [one]);
  else group.push(one);
}

const bytesOf = (files: readonly NewFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0);
