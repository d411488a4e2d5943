import type { Altered } from '../../core/model/altered.ts';
import type { Sha } from '../../core/model/ids.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import type { Repository } from '../git/run/repository.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { adminDirOf } from '../git/files/worktree-admin.ts';

/** What gates did to tracked files; what they write beside them is nobody's concern. */
export type GateTraces = Pick<Altered, 'files' | 'paths' | 'committed'>;

/** More would not tell more. */
const PATHS_SHOWN = 5;

/** One look after the gates, with a second one only where they have moved HEAD. Where git cannot tell, nobody is accused. */
export async function findTraces(repo: Repository, path: string, commit: Sha): Promise<GateTraces | null> {
  const adminDir = adminDirOf(repo, path);
  if (adminDir === null) return null;
  try {
    const status = ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=no'];
    const left = entriesOf((await runGit([...HARDENED, ...status], { cwd: path })).stdout);
    const head = readHeadFile(repo.commonDir, adminDir)?.commit ?? commit;
    const diff = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', commit, head];
    const committed = head === commit ? [] : entriesOf((await runGit([...HARDENED, ...diff], { cwd: path })).stdout);
    const changed = left.map((entry) => entry.slice('XY '.length));
    const paths = [...new Set([...committed, ...changed])].sort();
    if (head === commit && paths.length === 0) return null;
    return { files: paths.length, paths: paths.slice(0, PATHS_SHOWN), committed: head !== commit };
  } catch {
    return null;
  }
}

const entriesOf = (output: string): readonly string[] => output.split('\0').filter((entry) => entry !== '');
