import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Sha, sha } from '../../../core/model/ids.ts';
import { HARDENED, runGit, runGitBytes } from '../run/run-git.ts';

export interface Head {
  /** Null: a branch without any commit. */
  readonly commit: Sha | null;
  /** The short name of the branch; null when HEAD is detached. */
  readonly branch: string | null;
}

/** Where a worktree stands. */
export async function headOf(path: string): Promise<Head> {
  const symbolic = await runGit([...HARDENED, 'symbolic-ref', '--quiet', 'HEAD'], { cwd: path, ok: [0, 1] });
  const commit = await runGit([...HARDENED, 'rev-parse', '--quiet', '--verify', 'HEAD^{commit}'], {
    cwd: path,
    ok: [0, 1, 128],
  });
  return {
    commit: commit.code === 0 ? sha(commit.stdout.trim()) : null,
    branch: symbolic.code === 0 ? symbolic.stdout.trim().replace(/^refs\/heads\//, '') : null,
  };
}

/** Whether nothing is modified, staged or new, in repositories inside as well. Ignored files do not count. */
export async function isClean(path: string): Promise<boolean> {
  const args = ['status', '--porcelain', '-z', '--untracked-files=normal', '--ignore-submodules=none'];
  const { stdout } = await runGit([...HARDENED, ...args], { cwd: path });
  return stdout === '';
}

/**
 * Repositories inside a worktree that git does not track: it would record them as empty links and drop what they hold. The names
 * are bytes as latin1 characters, for they need not be text.
 */
export async function embeddedRepositories(
  path: string,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const { stdout } = await runGitBytes([...HARDENED, 'ls-files', '--others', '--exclude-standard', '-z'], {
    cwd: path,
    env,
  });
  const names = stdout.toString('latin1').split('\0');
  return names.filter((name) => name.endsWith('/'));
}

/** Detaches HEAD where it stands and puts every tracked file back; new files go, ignored ones stay because they are slow to make. */
export async function restoreFiles(path: string, adminDir: string, looksClean: boolean): Promise<void> {
  await runGit([...HARDENED, 'checkout', '-q', '--detach'], { cwd: path });
  // Files marked assume-unchanged or skip-worktree would keep an agent's edit out of sight of every later command.
  const hides = await hidesChanges(path);
  if (hides) rmSync(join(adminDir, 'index'), { force: true });
  if (looksClean && !hides) return;
  await runGit([...HARDENED, 'reset', '-q', '--hard'], { cwd: path });
  await runGit([...HARDENED, 'clean', '-f', '-d', '-q'], { cwd: path });
}

async function hidesChanges(path: string): Promise<boolean> {
  const { stdout } = await runGitBytes([...HARDENED, 'ls-files', '-v', '-z'], { cwd: path });
  return stdout
    .toString('latin1')
    .split('\0')
    .some((line) => /^[a-zS] /.test(line));
}
