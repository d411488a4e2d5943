import { HARDENED, runGitBytes } from '../run/run-git.ts';

/** What `git status` tells about a worktree, as far as somebody has to act on it. */
export interface Changes {
  /** Nothing is modified, staged or new. Ignored files do not count. */
  readonly clean: boolean;
  /** Nothing that git tracks is modified or staged: there are at most new files. */
  readonly onlyNew: boolean;
  /** Files that git does not track; names are bytes as latin1 characters. */
  readonly untracked: readonly string[];
  /** A conflict was left unresolved. */
  readonly unmerged: boolean;
  /** Something is staged as a bare link to a repository, or a submodule changed. */
  readonly links: boolean;
  /** Repositories inside that git does not track; names are bytes as latin1 characters. */
  readonly embedded: readonly string[];
}

/** One look instead of four: files, index, conflicts and repositories inside. */
export async function lookAtChanges(path: string): Promise<Changes> {
  const args = ['status', '--porcelain=v2', '-z', '--no-renames', '--untracked-files=all', '--ignore-submodules=none'];
  const { stdout } = await runGitBytes([...HARDENED, ...args], { cwd: path });
  const records = stdout
    .toString('latin1')
    .split('\0')
    .filter((record) => record !== '');
  const untracked = records.filter((record) => record.startsWith('? ')).map((record) => record.slice(2));
  return {
    clean: records.length === 0,
    onlyNew: untracked.length === records.length,
    untracked,
    unmerged: records.some((record) => record.startsWith('u ')),
    links: records.some((record) => /^1 \S\S S/.test(record) || /^1 \S\S \S+ \d+ 160000 /.test(record)),
    embedded: untracked.filter((name) => name.endsWith('/')),
  };
}
