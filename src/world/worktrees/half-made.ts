import { randomUUID, createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { lastHead } from '../git/refs/look-up-ref.ts';
import { missingFilters, withoutFilters } from '../git/run/missing-filters.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import type { Repository } from '../git/run/repository.ts';
import { HARDENED, runGitBytes } from '../git/run/run-git.ts';
import { adminDirOf, operationIn, realpathLoose } from '../git/files/worktree-admin.ts';
import { isAlive, isSame, ownIdentity } from '../processes/identity.ts';
import { ifThere } from '../os/read-if-there.ts';
import { readJsonFile, replaceFile } from '../os/files.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { ProcessIdentity } from '../processes/identity.ts';

interface HalfMadeLook {
  /** Git writes the index last: from then on what is missing was taken by somebody. */
  readonly isCheckedOut: boolean;
  /** There is anything that a checkout of its base does not write. */
  readonly holdsWork: boolean;
}

/** Git writes a few files at once; more that are cut short were cut by somebody. */
const CUT_SHORT_MAX = 64;

/**
 * Looks at what was never finished. The git that wrote its files outlives the process that started it, so it may have become whole
 * since, and somebody may have worked there. Without the worktree's own entry, which may be broken.
 */
export async function lookAtHalfMade(repo: Repository, made: HalfMade, adminDir: string): Promise<HalfMadeLook> {
  const isCheckedOut = existsSync(join(adminDir, 'index'));
  const hasMoved = !standsAtBase(repo, made, adminDir) || operationIn(adminDir) !== null;
  const holdsWork = hasMoved || (existsSync(made.path) && (await differs(repo, made, isCheckedOut ? adminDir : null)));
  return { isCheckedOut, holdsWork };
}

/** For whoever cannot keep anything: what somebody did there since is not theirs to remove. */
export async function refuseWork(repo: Repository, made: HalfMade): Promise<true> {
  const adminDir = adminDirOf(repo, made.path);
  if (adminDir === null || !(await lookAtHalfMade(repo, made, adminDir)).holdsWork) return true;
  throw new AppError('E_NEEDS_PERSON', `${made.path} was never finished, and it holds work`, {
    remedy: 'ralph doctor --fix',
  });
}

function standsAtBase({ commonDir }: Repository, { branch, base }: HalfMade, adminDir: string): boolean {
  const head = readHeadFile(commonDir, adminDir);
  // Its making was cut short before there was a HEAD; the reflog tells whether there was one later.
  if (head?.commit == null) return (lastHead(adminDir) ?? base) === base;
  return head.commit === base && (head.branch === null || head.branch === branch);
}

/** `adminDir` null: the checkout was cut short, so files may be missing, and some be shorter than they should. */
async function differs(repo: Repository, { path, base }: HalfMade, adminDir: string | null): Promise<boolean> {
  const temporary = join(repo.stateDir, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const file = join(temporary, `index-${randomUUID()}`);
  const flags = withoutFilters(await missingFilters(repo.root));
  const ask = async (index: string, ...args: string[]): Promise<readonly string[]> => {
    const env = { GIT_DIR: repo.commonDir, GIT_WORK_TREE: path, GIT_INDEX_FILE: index };
    const { stdout } = await runGitBytes([...HARDENED, ...flags, ...args], { cwd: path, env, ok: [0, 1] });
    return fields(stdout);
  };
  try {
    if (adminDir !== null) {
      const staged = await ask(join(adminDir, 'index'), 'diff-index', '--cached', '--name-only', '-z', base);
      if (staged.length > 0) return true;
    }
    await ask(file, 'read-tree', base);
    // Also what is ignored: no checkout writes it.
    if ((await ask(file, 'ls-files', '--others', '-z')).length > 0) return true;
    const links = (await ask(file, 'ls-files', '-s', '-z')).filter((entry) => entry.startsWith('160000 '));
    if (links.some((entry) => existsSync(bytesOf(path, `${entry.slice(entry.indexOf('\t') + 1)}/.git`)))) return true;
    await ask(file, 'update-index', '-q', '--refresh');
    const changed = pairs(await ask(file, 'diff-files', '-z', '--no-renames'));
    if (adminDir !== null) return changed.length > 0;
    const cut = changed.filter(([how]) => !how.endsWith(' D'));
    if (cut.length > CUT_SHORT_MAX) return true;
    for (const [how, name] of cut) if (!(await isCutShort(repo, how, bytesOf(path, name)))) return true;
    return false;
  } finally {
    for (const name of [file, `${file}.lock`]) rmSync(name, { force: true });
  }
}

/** Whether a file is the beginning of what was to be written there. */
async function isCutShort(repo: Repository, how: string, file: Buffer): Promise<boolean> {
  const [, before, after, id] = /^:(\d+) (\d+) ([0-9a-f]+) [0-9a-f]+ M$/.exec(how) ?? [];
  if (id === undefined || before !== after || !lstatSync(file).isFile()) return false;
  const { stdout } = await runGitBytes([...HARDENED, 'cat-file', 'blob', id], { cwd: repo.commonDir });
  const written = readFileSync(file);
  return written.length < stdout.length && stdout.subarray(0, written.length).equals(written);
}

const fields = (printed: Buffer): readonly string[] =>
  printed
    .toString('latin1')
    .split('\0')
    .filter((field) => field !== '');

const pairs = (printed: readonly string[]): readonly (readonly [string, string])[] =>
  printed.flatMap((field, at) => (at % 2 === 0 ? [[field, printed[at + 1] ?? ''] as const] : []));

const bytesOf = (folder: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]);

/** A worktree that was begun. While its note exists nobody has worked in it, so it may be taken back whole. */
export interface HalfMade {
  readonly path: string;
  readonly branch: string;
  readonly base: Sha;
  /** Whether the branch comes into being with the worktree, and so goes with it. */
  readonly createsBranch: boolean;
}

interface Note extends HalfMade {
  readonly by: ProcessIdentity;
}

/** What this very process is making now: its notes are not debris. */
const underWay = new Set<string>();

/** Notes down what is about to be made, before anything is. */
export function startIntent(repo: Repository, halfMade: HalfMade): HalfMade {
  const made = { ...halfMade, path: realpathLoose(halfMade.path) };
  const note: Note = { ...made, by: ownIdentity() };
  const file = noteFile(repo, made.path);
  mkdirSync(folderOf(repo), { recursive: true });
  replaceFile(file, JSON.stringify(note));
  underWay.add(file);
  return made;
}

export function endIntent(repo: Repository, path: string): void {
  const file = noteFile(repo, realpathLoose(path));
  rmSync(file, { force: true });
  underWay.delete(file);
}

/** The making ended, and not even its remains could be taken back: they are debris from now on. */
export function abandonIntent(repo: Repository, path: string): void {
  underWay.delete(noteFile(repo, realpathLoose(path)));
}

/** What a dead process left half-made at a path; null when there is nothing. */
export function findIntent(repo: Repository, path: string): HalfMade | null {
  const file = noteFile(repo, realpathLoose(path));
  const note = readNote(file);
  if (note === null) return null;
  if (isUnderWay(file, note))
    throw new AppError('E_BUSY', `the worktree ${path} is being made by process ${note.by.pid}`);
  return note;
}

/** Whether a file was written after the making at a path was noted down; false: before, or nothing is noted. */
export function isYoungerThanIntent(repo: Repository, path: string, file: string): boolean {
  const noted = statSync(noteFile(repo, realpathLoose(path)), { throwIfNoEntry: false });
  const written = ifThere(() => statSync(file, { throwIfNoEntry: false }));
  return noted !== undefined && written !== undefined && written.mtimeMs >= noted.mtimeMs;
}

/**
 * Whether somebody made a start at a path, and lives, gave up there or died. Another path is as good, and whoever takes a dead
 * start back would take an empty folder for its remains: then a third one could claim the same name.
 */
export const isTaken = (repo: Repository, path: string): boolean =>
  readNote(noteFile(repo, realpathLoose(path))) !== null;

/** Whether what was found half-made is still that, and not something another process has made there since. */
export function isStillDebris(repo: Repository, { path, branch }: HalfMade): boolean {
  const there = notes(repo).filter(({ note }) => note.path === path);
  const isDead = ({ note }: (typeof there)[number]): boolean =>
    note.branch === branch && (isSame(note.by, ownIdentity()) || !isAlive(note.by));
  return there.length > 0 && there.every(isDead);
}

/** Everything dead processes left half-made. */
export const deadIntents = (repo: Repository): readonly HalfMade[] =>
  notes(repo).flatMap(({ file, note }) => (isUnderWay(file, note) ? [] : [note]));

/** The same, and what is being made now. */
export const allIntents = (repo: Repository): readonly HalfMade[] => notes(repo).map(({ note }) => note);

function notes(repo: Repository): readonly { readonly file: string; readonly note: Note }[] {
  return noteNames(repo).flatMap((name) => {
    const file = join(folderOf(repo), name);
    const note = readNote(file);
    return note === null ? [] : [{ file, note }];
  });
}

function isUnderWay(file: string, note: Note): boolean {
  return isSame(note.by, ownIdentity()) ? underWay.has(file) : isAlive(note.by);
}

const folderOf = (repo: Repository): string => join(repo.stateDir, 'half-made');

function noteFile(repo: Repository, path: string): string {
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 24);
  return join(folderOf(repo), `${digest}.json`);
}

function noteNames(repo: Repository): readonly string[] {
  try {
    return readdirSync(folderOf(repo)).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}

const readNote = (file: string): Note | null => readJsonFile(file) as Note | null;
