import { existsSync, closeSync, constants, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '../run/repository.ts';
import { HARDENED, gitEnvironment, runGit, runGitBytes } from '../run/run-git.ts';
import { findRepository } from '../run/repository.ts';

/** Files with the user's own patterns of what git ignores, which the view does not read. Only their own config is asked. */
export async function ignoreFiles(repo: Repository): Promise<readonly string[]> {
  const args = ['config', '--global', '--type=path', '--get', 'core.excludesFile'];
  const { stdout } = await runGit(args, { cwd: repo.commonDir, ok: [0, 1, 128] });
  const { HOME: home = '', XDG_CONFIG_HOME: config = join(home, '.config') } = gitEnvironment();
  const own = stdout.trim() === '' ? join(config, 'git/ignore') : stdout.trim();
  return [join(repo.commonDir, 'info/exclude'), own].filter((file) => existsSync(file));
}

/** Those of these paths that git ignores in a worktree; with `--no-index` also where they are tracked. */
export async function ignoredOf(
  worktree: string,
  paths: readonly string[],
  flags: readonly '--no-index'[] = [],
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
  // It refuses paths beyond a symlink; then the kind stays unknown, the path is named all the same.
  const { stdout } = await runGitBytes([...HARDENED, 'check-ignore', '-z', '--stdin', ...flags], {
    cwd: worktree,
    input,
    ok: [0, 1, 128],
  });
  return new Set(stdout.toString('latin1').split('\0'));
}

/** Makes git pass over one file or folder/ of a worktree, by its path in it; false: it cannot be told to. The list is shared by all worktrees. */
export function hideFromGit(worktree: string, name: string): boolean {
  try {
    const folder = join(findRepository(worktree).commonDir, 'info');
    mkdirSync(folder, { recursive: true });
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
    const fd = openSync(join(folder, 'exclude'), flags, 0o644);
    try {
      const text = readFileSync(fd, 'utf8');
      const line = `/${name.replaceAll(/[\\[\]*?#! ]/g, String.raw`\$&`)}`;
      if (text.split('\n').includes(line)) return true;
      writeSync(fd, `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`);
      return true;
    } finally {
      closeSync(fd);
    }
  } catch {
    return false;
  }
}
