import { existsSync, lstatSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { isEmptyFolder } from './worktrees.ts';
import { howMany } from '../../core/model/describe-time.ts';

export interface FetchedSubmodules {
  readonly count: number;
  /** Why they are not there; null: they are. */
  readonly failed: string | null;
}

const LONGEST_MS = 15 * 60_000;
/** Fetching from where the user may needs what the user's git knows of passwords; the rest of the guards stays. */
const FETCHING = HARDENED.filter(
  (flag, at) => flag !== 'credential.helper=' && !(flag === '-c' && HARDENED[at + 1] === 'credential.helper='),
);

export const hasSubmodules = (path: string): boolean =>
  lstatSync(join(path, '.gitmodules'), { throwIfNoEntry: false })?.isFile() === true;

/** Fetches what .gitmodules names, from where git by itself allows submodules to come. */
export async function fetchSubmodules(
  path: string,
  flags: readonly string[],
  more: readonly string[] = ['--init'],
): Promise<FetchedSubmodules> {
  if (!hasSubmodules(path)) return { count: 0, failed: null };
  // By --checkout no command that a config names is run in its place.
  const args = ['submodule', '--quiet', 'update', '--recursive', '--checkout', ...more];
  try {
    await runGit([...FETCHING, ...flags, ...args], { cwd: path, timeoutMs: LONGEST_MS });
    return { count: (await initialised(path)).length, failed: null };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'E_GIT') throw error;
    const fatal = error.facts.find((line) => /^(?:fatal|error):/.test(line));
    return { count: (await initialised(path)).length, failed: fatal ?? error.facts[0] ?? error.message };
  }
}

/** The same where somebody else worked before: nothing of what they changed or left in one stays. */
export async function settleSubmodules(path: string, flags: readonly string[]): Promise<FetchedSubmodules> {
  // Taken for known instead of made known: that would write into the user's config what an agent says of where they come from.
  const fetched = await fetchSubmodules(path, [...flags, '-c', 'submodule.active=.'], ['--force']);
  if (fetched.count === 0) return fetched;
  for (const name of await initialised(path)) {
    const cwd = join(path, name);
    // A fresh index has no flag that hides a change.
    const where = { cwd, isStrange: true };
    const { stdout } = await runGit([...HARDENED, 'rev-parse', '--path-format=absolute', '--git-path', 'index'], where);
    await rm(stdout.trimEnd(), { force: true });
    await runGit([...HARDENED, ...flags, 'reset', '-q', '--hard'], where);
    await runGit([...HARDENED, 'clean', '-ffdxq'], where);
  }
  return fetched;
}

/** Submodules that have files here, the inner ones after those they lie in. */
async function initialised(path: string): Promise<readonly string[]> {
  const here = (await linksIn(path)).filter((name) => existsSync(join(path, name, '.git')));
  const inner: string[] = [];
  for (const name of here)
    inner.push(name, ...(await initialised(join(path, name))).map((below) => `${name}/${below}`));
  return inner;
}

async function linksIn(path: string): Promise<readonly string[]> {
  const { stdout } = await runGit([...HARDENED, 'ls-files', '-s', '-z'], { cwd: path });
  return stdout.split('\0').flatMap((line) => /^160000 \S+ \d\t(.+)$/s.exec(line)?.[1] ?? []);
}

/** Files in the folder of a submodule that was never fetched: git sees none of them. */
async function refuseUnseen(path: string): Promise<void> {
  for (const name of await linksIn(path)) {
    const folder = join(path, name);
    if (!isFolder(folder) || existsSync(join(folder, '.git')) || isEmptyFolder(folder)) continue;
    throw unsafe(folder, name, 'is not fetched, but its folder has files', `ls -A ${shellWord(folder)}`);
  }
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Refuses what lives in a submodule alone: its repository goes with the worktree, and no ref of ours can name its commits. */
export async function requireSafeSubmodules(path: string): Promise<readonly string[]> {
  await refuseUnseen(path);
  const names = await initialised(path);
  for (const name of names) {
    await refuseUnseen(join(path, name));
    const folder = join(path, name);
    const git = async (...args: readonly string[]): Promise<string> =>
      (await runGit([...HARDENED, ...args], { cwd: folder, isStrange: true })).stdout.trim();
    if ((await git('status', '--porcelain', '--untracked-files=normal', '--ignore-submodules=none')) !== '')
      throw unsafe(folder, name, 'has changes that are not committed', `git -C ${shellWord(folder)} status`);
    const commits = Number(await git('rev-list', '--count', 'HEAD', '--branches', '--not', '--remotes'));
    if (commits > 0)
      throw unsafe(
        folder,
        name,
        `has ${howMany(commits, 'commit')} never pushed`,
        `git -C ${shellWord(folder)} push origin HEAD:refs/heads/${shellWord(name.replaceAll(/[^\w]+/g, '-'))}-work`,
      );
  }
  return names;
}

/** Leaves empty folders, as in a checkout without submodules. They were found safe before. */
export async function emptySubmodules(path: string, names: readonly string[]): Promise<void> {
  for (const name of names.filter((one) => !names.some((other) => one.startsWith(`${other}/`)))) {
    await rm(join(path, name), { recursive: true, force: true, maxRetries: 3 });
    await mkdir(join(path, name));
  }
}

const unsafe = (path: string, name: string, why: string, remedy: string): AppError =>
  new AppError('E_UNLANDED', `the submodule ${name} ${why}, and nothing could bring them back`, {
    facts: [`in ${path}`],
    remedy,
  });
