import type { Repository } from './repository.ts';
import { HARDENED, runGit, runGitBytes } from './run-git.ts';
import type { GitView } from './view.ts';

/** Reads the repository as it is and makes nothing: for commands that promise to change nothing. Never merge or write through it. */
export function plainView(repo: Repository): GitView {
  return {
    gitDir: repo.commonDir,
    refsDir: repo.commonDir,
    // Not asked for: what is not found this way is asked of git, and nothing is written.
    objectFormat: 'sha1',
    isShared: true,
    run: (args, options) => runGit([...HARDENED, ...args], { cwd: repo.commonDir, ...options }),
    bytes: (args, options) => runGitBytes([...HARDENED, ...args], { cwd: repo.commonDir, ...options }),
  };
}
