import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export interface GitFolders {
  readonly commonDir: string;
  /** Of the worktree; for the main checkout the same. */
  readonly gitDir: string;
}

/** The repository that git would find from a folder, by reading files: this is asked before every git command. */
export function gitFoldersOf(cwd: string): GitFolders | null {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const dotGit = join(folder, '.git');
    const stat = statSync(dotGit, { throwIfNoEntry: false });
    if (stat?.isDirectory() === true) return { commonDir: dotGit, gitDir: dotGit };
    if (stat?.isFile() === true) return linkedFolders(dotGit);
    if (existsSync(join(folder, 'HEAD')) && existsSync(join(folder, 'objects')))
      return { commonDir: folder, gitDir: folder };
    if (folder === dirname(folder)) return null;
  }
}

function linkedFolders(dotGit: string): GitFolders | null {
  try {
    const [, named = ''] = /^gitdir: (.+?)\r?\n?$/s.exec(readFileSync(dotGit, 'utf8')) ?? [];
    const gitDir = resolve(dirname(dotGit), named);
    const shared = join(gitDir, 'commondir');
    const commonDir = existsSync(shared) ? resolve(gitDir, readFileSync(shared, 'utf8').trimEnd()) : gitDir;
    return { commonDir, gitDir };
  } catch {
    // Not a worktree, or no longer one: git will say so.
    return null;
  }
}
