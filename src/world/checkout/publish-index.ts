import type { Side } from '../git/objects/raw-changes.ts';
import { HARDENED, runGitBytes } from '../git/run/run-git.ts';

/** What the index of a checkout holds, of these paths or of all. Paths are bytes as latin1 characters, like those of changes. */
export async function readIndex(worktree: string, paths: readonly string[] = []): Promise<ReadonlyMap<string, Side>> {
  const only = paths.map((path) => Buffer.from(path, 'latin1').toString('utf8'));
  const args = ['--literal-pathspecs', 'ls-files', '--stage', '-z', '--', ...only];
  const { stdout } = await runGitBytes([...HARDENED, ...args], { cwd: worktree });
  const entries = new Map<string, Side>();
  for (const line of stdout.toString('latin1').split('\0')) {
    const [, mode, id, stage, path] = /^(\d+) ([0-9a-f]+) (\d)\t(.*)$/s.exec(line) ?? [];
    if (mode === undefined || id === undefined || path === undefined) continue;
    entries.set(path, stage === '0' ? { mode, id } : { mode: 'conflict', id });
  }
  return entries;
}
