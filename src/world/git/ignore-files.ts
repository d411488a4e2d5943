import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from './repository.ts';
import { gitEnvironment, runGit } from './run-git.ts';

/** Files with the user's own patterns of what git ignores, which the view does not read. Only their own config is asked. */
export async function ignoreFiles(repo: Repository): Promise<readonly string[]> {
  const args = ['config', '--global', '--type=path', '--get', 'core.excludesFile'];
  const { stdout } = await runGit(args, { cwd: repo.commonDir, ok: [0, 1, 128] });
  const { HOME: home = '', XDG_CONFIG_HOME: config = join(home, '.config') } = gitEnvironment();
  const own = stdout.trim() === '' ? join(config, 'git/ignore') : stdout.trim();
  return [join(repo.commonDir, 'info/exclude'), own].filter((file) => existsSync(file));
}
