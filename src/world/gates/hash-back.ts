import { lstatSync, mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { sha } from '../../core/model/ids.ts';
import type { Sha } from '../../core/model/ids.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { findFlaw } from '../git/objects/find-flaw.ts';
import type { Repository } from '../git/run/repository.ts';
import { runGit, runGitBytes } from '../git/run/run-git.ts';
import { openView } from '../git/run/view.ts';
import { ifThere } from '../os/read-if-there.ts';

export interface WrittenFiles {
  readonly repo: Repository;
  /** How they were written: flags, folder and variables of the git that did it. */
  readonly git: readonly string[];
  readonly where: { readonly cwd: string; readonly env: Readonly<Record<string, string>> };
  /** A copy of the index that says what they are. */
  readonly index: string;
  /** By the clock of the disk they are on, before the first of them was written. */
  readonly sinceMs: number;
}

const PATHS_SHOWN = 10;

/**
 * Throws unless every file that was written since is the object that the index names. git hashes again what is not older than its
 * index, through the filters by which it was written; so an index that is older than those files makes it hash them, in one process.
 */
export async function hashBack(files: WrittenFiles): Promise<void> {
  const { atimeMs, mtimeMs } = statSync(files.index);
  // Clocks of disks count in steps, and git in seconds.
  const beforeS = Math.floor(files.sinceMs / 1000) - 1;
  utimesSync(files.index, beforeS, beforeS);
  const differing = await listDiffering(files);
  utimesSync(files.index, atimeMs / 1000, mtimeMs / 1000);
  if (differing.length === 0) return;
  const bad = await findBad(files, differing);
  if (bad.length > 0) throw inexact(files.where.cwd, bad);
}

interface Differing {
  /** Bytes as latin1. */
  readonly name: string;
  readonly blob: Sha;
  readonly isThere: boolean;
}

async function listDiffering({ git, where, index }: WrittenFiles): Promise<readonly Differing[]> {
  const args = ['diff-files', '--raw', '-z', '--no-abbrev', '--no-renames', '--ignore-submodules=all'];
  const env = { ...where.env, GIT_INDEX_FILE: index };
  const fields = (await runGitBytes([...git, ...args], { ...where, env })).stdout.toString('latin1').split('\0');
  const found: Differing[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, , blob = '', , letter] = (fields[at] ?? '').split(' ');
    found.push({ name: fields[at + 1] ?? '', blob: sha(blob), isThere: letter === 'M' });
  }
  return found;
}

/**
 * What differs again when it is written a second time, or whose object is not what its id says. The rest only cannot be turned
 * back: line ends that were committed otherwise than the attributes want them, say.
 */
async function findBad(files: WrittenFiles, differing: readonly Differing[]): Promise<readonly string[]> {
  const { repo, git, where, index } = files;
  const again = mkdtempSync(`${index}-`);
  try {
    const args = ['checkout-index', '-z', '--stdin', `--prefix=${again}/`];
    const env = { ...where.env, GIT_INDEX_FILE: index };
    const there = differing.filter(({ isThere }) => isThere);
    const input = Buffer.from(there.map(({ name }) => name).join('\0'), 'latin1');
    await runGit([...git, ...args], { ...where, env, input });
    const isAlike = ({ name, isThere }: Differing): boolean => isThere && isSame(at(where.cwd, name), at(again, name));
    const alike = differing.filter(isAlike);
    const bad = differing.filter((file) => !alike.includes(file));
    return [...bad, ...(await findSpoilt(repo, alike))].map(({ name }) => name);
  } finally {
    rmSync(again, { recursive: true, force: true });
  }
}

async function findSpoilt(repo: Repository, files: readonly Differing[]): Promise<readonly Differing[]> {
  const place = { repo, view: await openView(repo) };
  const isWhole = async (some: readonly Differing[]): Promise<boolean> =>
    (await findFlaw(
      place,
      some.map(({ blob }) => blob),
      [],
    )) === null;
  if (files.length === 0 || (await isWhole(files))) return [];
  const spoilt: Differing[] = [];
  for (const file of files) if (!(await isWhole([file]))) spoilt.push(file);
  return spoilt;
}

const at = (folder: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]);

function isSame(one: Buffer, other: Buffer): boolean {
  const [a, b] = [one, other].map((path) => ifThere(() => lstatSync(path, { throwIfNoEntry: false })));
  if (a === undefined || b === undefined || (a.mode & 0o170_100) !== (b.mode & 0o170_100)) return false;
  if (a.isSymbolicLink()) return readlinkSync(one, 'buffer').equals(readlinkSync(other, 'buffer'));
  return a.size === b.size && readFileSync(one).equals(readFileSync(other));
}

/** What the disk of a folder takes for now. */
export function nowOn(folder: string): number {
  const made = mkdtempSync(join(folder, '.git-'));
  try {
    return statSync(made).mtimeMs;
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function inexact(folder: string, names: readonly string[]): AppError {
  const shown = names.slice(0, PATHS_SHOWN).map((name) => Buffer.from(name, 'latin1').toString('utf8'));
  const more = names.length > PATHS_SHOWN ? [`and ${names.length - PATHS_SHOWN} more`] : [];
  return new AppError('E_INEXACT', `Files in ${folder} are not what was committed; no gate ran on them.`, {
    facts: [...shown, ...more],
    remedy: `git -C ${shellWord(folder)} fsck`,
  });
}
