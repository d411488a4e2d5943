import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { gitSays } from '../harness/git.ts';
import { gitIn } from '../harness/git.ts';
import type { Scratch } from '../harness/scratch.ts';

/** What could make git show another content than the one that is stored. */
const PLANTED = [
  'shallow',
  'info/grafts',
  'info/attributes',
  'objects/info/alternates',
  'refs/replace',
  'hooks',
  'config',
];

/** Why each of these commits would break whoever clones it; nothing of what was planted is in force. */
export function faultsOf(one: Scratch, commits: readonly string[], truth: string): string[] {
  const dir = mkdtempSync(join(one.root, 'judge-'));
  try {
    const store = join(dir, 'store.git');
    cpSync(join(one.repo, '.git'), store, {
      recursive: true,
      filter: (path) => !/\/(?:paralph|worktrees)$/.test(path),
    });
    for (const name of PLANTED) rmSync(join(store, name), { recursive: true, force: true });
    execFileSync('git', ['init', '-q', '--bare', store], { env: one.env, stdio: 'pipe' });
    return [...new Set(commits)].flatMap((commit) => faultOf(one, { dir, store }, commit, truth) ?? []);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

interface Place {
  readonly dir: string;
  readonly store: string;
}

function faultOf(one: Scratch, { dir, store }: Place, commit: string, truth: string): string | null {
  const git = gitIn(store, one.env);
  if (!gitSays(git, 'cat-file', '-e', `${commit}^{commit}`)) return `${commit} is not there`;
  git('update-ref', 'refs/heads/judged', commit);
  const clone = join(dir, 'clone');
  rmSync(clone, { recursive: true, force: true });
  const options = ['-q', '--no-local', '-c', 'transfer.fsckObjects=true', '--single-branch', '-b', 'judged'];
  const cloned = spawnSync('git', ['clone', ...options, `file://${store}`, clone], { env: one.env, encoding: 'utf8' });
  if (cloned.status !== 0 || !existsSync(join(clone, 'gate.sh'))) return `${commit} cannot be cloned: ${cloned.stderr}`;
  const ran = spawnSync('sh', ['-c', truth], { cwd: clone, env: one.env, encoding: 'utf8' });
  return ran.status === 0
    ? null
    : `${commit} is red: ${ran.stdout}${ran.stderr}${git('log', '-3', '--format=%s', commit)}`;
}
