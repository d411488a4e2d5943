import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from '../os/errno.ts';
import { AppError } from '../../core/model/errors.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { openAllFolders } from '../os/files.ts';
import type { CarriedFile } from '../worktrees/feature-note.ts';
import type { GitOptions } from '../git/run/run-git.ts';

export interface LeftFile {
  readonly path: string;
  readonly why: string;
}

interface Carried {
  readonly copied: readonly CarriedFile[];
  readonly left: readonly LeftFile[];
}

/** A file as it was when it was read. */
export interface ReadFile extends CarriedFile {
  readonly content: Buffer;
  readonly mode: number;
}

const FILE_BYTES_MAX = 16 * 1024 * 1024;
const ALL_BYTES_MAX = 256 * 1024 * 1024;
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

/** Why a file stays behind. */
class Left extends Error {}

/**
 * Copies files from one checkout into another, by path from the root. Bytes, never links; no way to a file on either side may
 * lead through a link; nothing that is there is written over. Cut short, it can be done again.
 */
export function carryFiles(from: string, to: string, paths: readonly string[]): Carried {
  const { files, left } = readFiles(from, paths);
  const placed = placeFiles(to, files);
  return { copied: placed.copied, left: [...left, ...placed.left] };
}

/** What there is to copy, read once. */
export function readFiles(
  from: string,
  paths: readonly string[],
): { readonly files: readonly ReadFile[]; readonly left: readonly LeftFile[] } {
  const files: ReadFile[] = [];
  let bytes = 0;
  const left = leftOf(
    paths,
    (path) => path,
    (path) => {
      const { content, mode } = readPlain(from, path);
      bytes += content.length;
      if (bytes > ALL_BYTES_MAX) throw new Left('together they are too large');
      files.push({ path, content, mode, digest: digestOf(content) });
    },
  );
  return { files, left };
}

export function placeFiles(to: string, files: readonly ReadFile[]): Carried {
  const copied: CarriedFile[] = [];
  const left = leftOf(
    files,
    ({ path }) => path,
    ({ path, content, mode, digest }) => {
      placeFile(to, path, content, mode);
      copied.push({ path, digest });
    },
  );
  return { copied, left };
}

function leftOf<T>(all: readonly T[], pathOf: (one: T) => string, act: (one: T) => void): readonly LeftFile[] {
  const left: LeftFile[] = [];
  for (const one of all)
    try {
      act(one);
    } catch (error) {
      left.push({ path: pathOf(one), why: whyLeft(error) });
    }
  return left;
}

const digestOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** Whether a file still is what was copied. */
export function isUntouched(root: string, { path, digest }: CarriedFile): boolean {
  try {
    return digestOf(readPlain(root, path).content) === digest;
  } catch {
    return false;
  }
}

function readPlain(root: string, path: string): { readonly content: Buffer; readonly mode: number } {
  requireFolders(root, path);
  // Without O_NONBLOCK a pipe would hold us up for ever.
  const file = openSync(join(root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new Left('it is no plain file');
    if (stat.size > FILE_BYTES_MAX) throw new Left('it is larger than 16 MB');
    // Somebody may have put a link into the way since we looked.
    requireFolders(root, path);
    const now = lstatSync(join(root, path));
    if (now.ino !== stat.ino || now.dev !== stat.dev) throw new Left('it changed meanwhile');
    return { content: readFileSync(file), mode: stat.mode & 0o777 };
  } finally {
    closeSync(file);
  }
}

/** Every folder on the way is one, and lies where its name says. */
function requireFolders(root: string, path: string): void {
  const parts = path.split('/').slice(0, -1);
  for (const [at] of parts.entries()) {
    const folder = parts.slice(0, at + 1).join('/');
    const stat = lstatSync(join(root, folder), { throwIfNoEntry: false });
    if (stat?.isDirectory() !== true)
      throw new Left(`${folder} is ${stat?.isSymbolicLink() === true ? 'a link' : 'no folder'}`);
  }
  if (realpathSync(dirname(join(root, path))) !== dirname(join(realpathSync(root), path)))
    throw new Left('the way to it leads through a link');
}

function makeFolders(root: string, path: string): void {
  const parts = path.split('/').slice(0, -1);
  for (const [at] of parts.entries()) {
    const folder = join(root, ...parts.slice(0, at + 1));
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) mkdirSync(folder);
  }
}

/** Whole or not at all, and only where nothing is. */
function placeFile(root: string, path: string, content: Buffer, mode: number): void {
  const place = join(root, path);
  makeFolders(root, path);
  requireFolders(root, path);
  const there = lstatSync(place, { throwIfNoEntry: false });
  if (there !== undefined) {
    if (there.isFile() && readPlain(root, path).content.equals(content)) return;
    throw new Left('something is there already');
  }
  const draft = join(dirname(place), `.paralph-carry-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`);
  rmSync(draft, { force: true });
  const file = openSync(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  try {
    writeFileSync(file, content);
    fchmodSync(file, mode);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    putInPlace(draft, place);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** A link, unlike a rename, never takes the place of something. */
function putInPlace(draft: string, place: string): void {
  try {
    linkSync(draft, place);
  } catch (error) {
    if (!NO_LINKS.has(errorCode(error) ?? '')) throw error;
    renameSync(draft, place);
  }
}

function whyLeft(error: unknown): string {
  if (error instanceof Left) return error.message;
  const code = errorCode(error);
  if (code === 'ELOOP') return 'it is a link';
  if (code === 'EEXIST') return 'something is there already';
  return code ?? String(error);
}

/** Deletes every file that is not tracked, ignored or not, but for these (as in .gitignore). Throws if something stays all the same. */
export async function clearFiles(
  where: Pick<GitOptions, 'cwd' | 'env'>,
  keep: readonly string[],
  git: readonly string[] = HARDENED,
): Promise<void> {
  const args = [...git, 'clean', '-ffdxq', ...keep.flatMap((pattern) => ['-e', pattern])];
  try {
    await runGit(args, where);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'E_GIT') throw error;
    // What Go downloads is read-only, folders too; so is what a gate closed.
    openAllFolders(where.cwd);
    await runGit(args, where);
  }
}
