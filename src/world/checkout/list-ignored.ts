import { accessSync, constants, lstatSync, readdirSync } from 'node:fs';
import { matchProtected } from '../../text/protected-paths.ts';
import { onDisk, shown } from '../git/objects/raw-changes.ts';
import { HARDENED, runGitBytes } from '../git/run/run-git.ts';
import { ifThere } from '../os/read-if-there.ts';
import { errnoOf } from '../os/system-failure.ts';

/** An ignored file of a person's, and how it is known to be the same later. */
export interface IgnoredFile {
  /** Bytes as latin1 characters. */
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  readonly mtimeMs: number;
  readonly ino: number;
  /** `keep.ignored` names it. */
  readonly isNamed: boolean;
}

export interface IgnoredFiles {
  readonly kept: readonly IgnoredFile[];
  /** Too large, or too many; of a folder that was not looked through, its name with a slash. */
  readonly beyond: readonly Pick<IgnoredFile, 'path' | 'size'>[];
  /** What `worktree.keep` names and is there: it can be made again, but its owner should know when it is gone. */
  readonly made: readonly string[];
}

export interface IgnoredPatterns {
  /** `keep.ignored`: kept whatever their size, as long as all of it fits. */
  readonly always: readonly string[];
  /** `worktree.keep`: what tools install and build can be made again. Patterns as in .gitignore. */
  readonly made: readonly string[];
}

/** Names that git keeps for itself, on one file system or another. */
const GITS = /^(\.git|git~1)$/i;
const MEGABYTE = 1024 * 1024;
const FILE_BYTES_MAX = MEGABYTE;
const FILES_MAX = 2000;
const BYTES_MAX = 64 * MEGABYTE;
/** One of them tells enough. */
const MADE_MAX = 100;
/** More than this is not looked at to see what fits. */
const LOOKED_AT_MAX = 20_000;
/** Worktrees and logs of ours, but for what people write there. */
const OURS = /^\.ralph\/(?!ralph\.(local\.)?toml$|prompts\/)/;

/** What git ignores in a checkout: what is kept before an agent works there, and what is beyond that. */
export async function listIgnored(cwd: string, patterns: IgnoredPatterns): Promise<IgnoredFiles> {
  const args = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'];
  const { stdout } = await runGitBytes([...HARDENED, ...args], { cwd });
  const names = stdout.toString('latin1').split('\0');
  const files: IgnoredFile[] = [];
  const beyond: Pick<IgnoredFile, 'path' | 'size'>[] = [];
  const made: string[] = [];
  const isMade = madeBy(patterns.made);
  const at: Look = {
    cwd,
    isMade: (path) => isMade(path) && made.push(path) > 0,
    isNamed: namedBy(patterns.always),
    left: { looks: LOOKED_AT_MAX },
    files,
    beyond,
  };
  // A folder may be named, and what is in it once more.
  const folders = names.filter((name) => name.endsWith('/') && !OURS.test(name));
  const isWithin = (name: string): boolean => folders.some((folder) => folder !== name && name.startsWith(folder));
  for (const name of names) if (name !== '' && !OURS.test(name) && !isWithin(name)) look(at, name);
  const room = { files: FILES_MAX, bytes: BYTES_MAX };
  const kept: IgnoredFile[] = [];
  for (const file of [...files.filter((one) => one.isNamed), ...files.filter((one) => !one.isNamed)]) {
    const isWanted = file.isNamed || file.size <= FILE_BYTES_MAX;
    if (isWanted && room.files > 0 && file.size <= room.bytes && isReadable(cwd, file)) {
      room.files -= 1;
      room.bytes -= file.size;
      kept.push(file);
    } else beyond.push({ path: file.path, size: file.size });
  }
  return { kept: kept.toSorted((a, b) => (a.path < b.path ? -1 : 1)), beyond, made: made.slice(0, MADE_MAX) };
}

interface Look {
  readonly cwd: string;
  readonly isMade: (path: string) => boolean;
  readonly isNamed: (path: string) => boolean;
  readonly left: { looks: number };
  readonly files: IgnoredFile[];
  readonly beyond: Pick<IgnoredFile, 'path' | 'size'>[];
}

function look(at: Look, name: string): void {
  if (at.isMade(shown(name))) return;
  if (at.left.looks === 0) {
    at.beyond.push({ path: name, size: 0 });
    return;
  }
  at.left.looks -= 1;
  const stat = ifThere(() => lstatSync(onDisk(at.cwd, name.replace(/\/$/, '')), { throwIfNoEntry: false }));
  if (stat == null) return;
  const path = name.replace(/\/$/, '');
  if (stat.isDirectory()) return lookInto(at, path);
  const { size, mode, mtimeMs, ino } = stat;
  if (stat.isFile() || stat.isSymbolicLink())
    at.files.push({ path, size, mode, mtimeMs, ino, isNamed: at.isNamed(path) });
}

/** A repository of its own is not ours to take apart. */
function lookInto(at: Look, folder: string): void {
  const names = namesIn(onDisk(at.cwd, folder));
  if (names === null || names.some((name) => GITS.test(name))) at.beyond.push({ path: `${folder}/`, size: 0 });
  else for (const name of names) look(at, `${folder}/${name}`);
}

/** Null: it may not be looked into. */
function namesIn(folder: Buffer): readonly string[] | null {
  try {
    return readdirSync(folder, { encoding: 'latin1' });
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  }
}

function isReadable(cwd: string, { path, mode }: IgnoredFile): boolean {
  if ((mode & constants.S_IFMT) === constants.S_IFLNK) return true;
  try {
    accessSync(onDisk(cwd, path), constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function namedBy(patterns: readonly string[]): (path: string) => boolean {
  const anywhere = patterns.map((pattern) => (pattern.includes('/') ? pattern : `**/${pattern}`));
  return (path) => matchProtected([shown(path)], anywhere).length > 0;
}

/** Without a slash a pattern counts in every folder, and what stands for a folder stands for all below it. */
function madeBy(patterns: readonly string[]): (path: string) => boolean {
  const ways = patterns.map((pattern) => {
    const own = pattern.replace(/\/$/, '');
    const glob = own
      .replace(/^\//, '')
      .replaceAll(/[.+^${}()|[\]\\?]/g, String.raw`\$&`)
      .replaceAll('**', '\0')
      .replaceAll('*', '[^/]*')
      .replaceAll('\0', '.*');
    return new RegExp(`${own.includes('/') ? '^' : '(^|/)'}${glob}(/|$)`);
  });
  return (path) => ways.some((way) => way.test(path));
}
