import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { lastHead } from '../git/refs/last-head.ts';
import { missingFilters, withoutFilters } from '../git/run/missing-filters.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import type { Repository } from '../git/run/repository.ts';
import { HARDENED, runGitBytes } from '../git/run/run-git.ts';
import { adminDirOf, operationIn } from '../git/files/worktree-admin.ts';
import type { HalfMade } from './worktree-intents.ts';

export interface HalfMadeLook {
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
  throw new AppError('E_NEEDS_PERSON', `${made.path} was never finished, and somebody has worked in it.`, {
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
