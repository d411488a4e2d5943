import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import type { LoopId, Sha } from '../../core/model/ids.ts';
import { makePrivateFolder, readJsonFile, writePrivately } from '../os/files.ts';
import { copyIndex } from '../git/files/private-index.ts';
import { parseChanges, RAW } from '../git/objects/raw-changes.ts';
import { HARDENED, runGitBytes } from '../git/run/run-git.ts';
import { stageAll, writeTree } from '../git/files/snapshot.ts';
import { adminDirOf, realpathLoose } from '../git/files/worktree-admin.ts';
import { embeddedRepositories } from '../git/files/worktree-state.ts';
import type { Repository } from '../git/run/repository.ts';
import type { Change } from '../git/objects/raw-changes.ts';

/** What is known of a checkout since a loop began to work in it. */
export interface InPlaceNote {
  readonly version: 1;
  /** Where the checkout stood then. */
  readonly start: Sha;
  /** The branch it stood on then; null: none. */
  readonly home: string | null;
  /** The branch it stood on when the last iteration began. */
  readonly standing: string | null;
  /** Every file as it was when the loop began, as a tree. */
  readonly files: Sha;
  /** Paths that were changed, staged or new then: a person's, and never the loop's. Bytes as latin1 characters. */
  readonly mine: readonly string[];
  /** What the index said of them when the last iteration began: `mode id stage<TAB>path` each. */
  readonly index: readonly string[];
  /** Their files are not as they were, so that is kept. */
  readonly isKept: boolean;
  /** Commits the agent made on a branch that is not its own; the branch was put back, and they count as its work. */
  readonly taken: readonly Sha[];
  /** On a branch of a person's: the commits of the loop's making. */
  readonly own: readonly Sha[];
}

const folderOf = (repo: Repository): string => join(repo.stateDir, 'in-place');
const fileOf = (repo: Repository, loop: LoopId): string => join(folderOf(repo), `${loop}.json`);

export function writeInPlaceNote(repo: Repository, loop: LoopId, note: InPlaceNote): void {
  makePrivateFolder(folderOf(repo));
  writePrivately(fileOf(repo, loop), JSON.stringify(note));
}

/** Null: none, or one that cannot be read. */
export function readInPlaceNote(repo: Repository, loop: LoopId): InPlaceNote | null {
  const value = readJsonFile(fileOf(repo, loop)) as Partial<InPlaceNote> | null;
  return value?.version === 1 ? (value as InPlaceNote) : null;
}

/** Commits that the loop itself has made. */
export function noteOwn(repo: Repository, loop: LoopId, commits: readonly Sha[]): void {
  const note = readInPlaceNote(repo, loop);
  if (note === null || commits.length === 0) return;
  writeInPlaceNote(repo, loop, { ...note, own: [...new Set([...note.own, ...commits])] });
}

/** The git folder of a checkout: the shared one for the main checkout, its own for a linked worktree. */
export const gitDirOf = (repo: Repository, path: string): string =>
  realpathLoose(path) === realpathLoose(repo.root) ? repo.commonDir : (adminDirOf(repo, path) ?? repo.commonDir);

/** Every file of a checkout that git does not ignore, as a tree, as `git add` would take it. Its own index stays as it is. */
export async function treeOfFiles(repo: Repository, path: string): Promise<Sha> {
  const folder = join(repo.stateDir, 'tmp');
  const file = join(folder, `index-${randomUUID()}`);
  const own = join(gitDirOf(repo, path), 'index');
  mkdirSync(folder, { recursive: true });
  try {
    if (existsSync(own)) copyIndex(own, file);
    const env = { GIT_INDEX_FILE: file };
    await stageAll(path, await embeddedRepositories(path), env);
    return await writeTree(path, env);
  } finally {
    for (const name of [file, `${file}.lock`]) rmSync(name, { force: true });
  }
}

/** What a person had staged. */
export async function stagedChanges(path: string, head: Sha): Promise<readonly Change[]> {
  const { stdout } = await runGitBytes([...HARDENED, 'diff-index', '--cached', '-z', ...RAW, head], { cwd: path });
  return parseChanges(stdout);
}
