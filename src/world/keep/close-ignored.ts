import { chmodSync, lstatSync } from 'node:fs';
import { HARDENED, runGitBytes } from '../git/run/run-git.ts';

const OWNER_ONLY = 0o700;

/**
 * A keep knows of a file's rights only whether it may be run. What git ignores and was kept all the same is an `.env` or the like: in
 * a worktree that was just made again it is its owner's alone, whatever others could read before.
 */
export async function closeIgnored(path: string): Promise<void> {
  const args = ['ls-files', '--others', '--ignored', '--exclude-standard', '-z'];
  const { stdout } = await runGitBytes([...HARDENED, ...args], { cwd: path });
  for (const name of stdout.toString('latin1').split('\0')) {
    if (name === '') continue;
    const file = Buffer.concat([Buffer.from(`${path}/`), Buffer.from(name, 'latin1')]);
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (stat?.isFile() === true) chmodSync(file, stat.mode & OWNER_ONLY);
  }
}
